import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { StartError } from "../start-error.ts";
import { type Account, canEnter } from "./account.ts";

/** Folders that every account may enter and that survive a reboot, best first. */
export const outsideRoots = ["/var/lib/sluice", "/opt/sluice", "/srv/sluice", "/var/tmp/sluice"] as const;

/** The folder in the home of a cluster that contains the database files, if their user has access. */
export const clusterName = "cluster";

const placeFileName = "place.json";
const originFileName = "origin";

/**
 * Creates a folder and its missing parents. When Postgres runs as another account, it can only pass through those
 * parents; otherwise nobody else may look inside.
 */
export async function createHome(directory: string, account: Account | null): Promise<void> {
  const parent = dirname(directory);
  if (!(await exists(parent))) {
    await createHome(parent, account);
  }
  if (!(await exists(directory))) {
    await mkdir(directory);
    await chmod(directory, account === null ? 0o700 : 0o711);
  }
}

/**
 * Returns the folder that holds (or will hold) the database files of the cluster at `home`. It is below `home`, unless
 * the account that runs Postgres can't enter a folder on the way: then it is outside, and recorded in `home` so that
 * every later start finds it again.
 */
export async function chooseClusterDirectory(
  home: string,
  account: Account | null,
  report: (line: string) => void,
): Promise<string> {
  const inside = join(home, clusterName);
  if (await exists(inside)) {
    return inside;
  }
  const remembered = await readRememberedPlace(home, report);
  if (remembered !== null) {
    return join(remembered, clusterName);
  }
  if (await canEnter(account, home)) {
    return inside;
  }
  const place = await createOutsidePlace(await realpath(home));
  await writeFile(join(home, placeFileName), `${JSON.stringify({ directory: place })}\n`, { mode: 0o600 });
  report(`the database files are in ${place}, because their user may not enter ${home}`);
  return join(place, clusterName);
}

async function readRememberedPlace(home: string, report: (line: string) => void): Promise<string | null> {
  const text = await readFile(join(home, placeFileName), "utf8").catch(() => null);
  if (text === null) {
    return null;
  }
  const { directory }: { directory: string } = JSON.parse(text);
  const originFile = join(directory, originFileName);
  const origin = await readFile(originFile, "utf8").catch(() => null);
  if (origin === null) {
    report(`the database files that were in ${directory} are gone; starting with an empty database`);
    return null;
  }
  const here = await realpath(home);
  if (origin === here) {
    return directory;
  }
  if (await exists(origin)) {
    report(`this folder is a copy of ${origin}, which keeps its database; starting with an empty one`);
    return null;
  }
  await writeFile(originFile, here);
  return directory;
}

async function createOutsidePlace(origin: string): Promise<string> {
  const checkout = basename(dirname(dirname(origin))).replace(/[^\w.-]/g, "-");
  const name = `${checkout}-${createHash("sha256").update(origin).digest("hex").slice(0, 12)}`;
  for (const root of outsideRoots) {
    try {
      await mkdir(root, { recursive: true });
      await chmod(root, 0o755);
      const place = join(root, name);
      await mkdir(place, { recursive: true });
      await chmod(place, 0o711);
      await writeFile(join(place, originFileName), origin);
      return place;
    } catch {
      // The root is read-only or forbidden, so the next one is tried.
    }
  }
  throw new StartError(
    `The user that runs Postgres can't enter ${origin}, and none of ${outsideRoots.join(", ")} can be written. ` +
      "Set DATA_DIR to a folder that other users can enter, or DATABASE_URL to a Postgres of version 15 or later.",
  );
}

/** Whether the path exists. */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
