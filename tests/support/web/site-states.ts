import { mkdir, readdir, rename, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInRunFolder } from "../../runner/run-folder.ts";

/** A state is named for the build and the catalog that it was rendered from, and takes some 15 MB. */
const stateName = /^[0-9a-f]{32}$/;
const statesMax = 8;

const { TEST_FULL } = process.env;
/** To render the public pages takes a second of processor time, and most services of a run show the same. */
const isShared = isInRunFolder() && TEST_FULL !== "1";
const sharedFolder = join(tmpdir(), "site-states");

/** Gives a service that is about to start the public pages that others of this run have rendered. */
export async function lendSiteStates(dataDirectory: string): Promise<void> {
  if (isShared) {
    await linkStates(sharedFolder, join(dataDirectory, "site"));
  }
}

/** Keeps the public pages that a service has rendered, once it has ended. */
export async function keepSiteStates(dataDirectory: string): Promise<void> {
  if (isShared) {
    await moveStates(join(dataDirectory, "site"), sharedFolder);
  }
}

/** A service removes the link of a state that it no longer needs, and not the state. */
export async function linkStates(from: string, to: string): Promise<void> {
  const names = await statesIn(from);
  await mkdir(to, { recursive: true });
  await Promise.all(names.map((name) => symlink(join(from, name), join(to, name)).catch(ignoreCode("EEXIST"))));
}

/** States that are links have been lent. Of two services that rendered the same, the first one gives it. */
export async function moveStates(from: string, to: string): Promise<void> {
  const names = await statesIn(from);
  if (names.length > 0) {
    await mkdir(to, { recursive: true });
  }
  for (const name of names) {
    if ((await statesIn(to)).length < statesMax) {
      await rename(join(from, name), join(to, name)).catch(ignoreCode("ENOTEMPTY", "EEXIST"));
    }
  }
}

async function statesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreCode("ENOENT"));
  return (entries ?? []).filter((entry) => entry.isDirectory() && stateName.test(entry.name)).map(({ name }) => name);
}

function ignoreCode(...codes: readonly string[]): (error: NodeJS.ErrnoException) => null {
  return (error) => {
    if (error.code === undefined || !codes.includes(error.code)) {
      throw error;
    }
    return null;
  };
}
