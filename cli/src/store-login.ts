import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { readAddress } from "./address.ts";
import { Failure } from "./failure.ts";

/** A token, and the service that it belongs to. */
export type Login = { readonly url: string; readonly token: string };

export type Env = Readonly<Record<string, string | undefined>>;

function folderOf({ XDG_CONFIG_HOME: given, HOME: home = homedir() }: Env): string {
  return join(given?.startsWith("/") === true ? given : join(home, ".config"), "sluice");
}

const pathOf = (env: Env): string => join(folderOf(env), "login.json");

/** Writes the login so that only its owner can read it. Returns where it is. */
export async function storeLogin(env: Env, login: Login): Promise<string> {
  const path = pathOf(env);
  await mkdir(folderOf(env), { recursive: true, mode: 0o700 });
  // A file that exists keeps its rights when it is written, so that a new one takes its place.
  const draft = `${path}.${process.pid}`;
  await rm(draft, { force: true });
  await writeFile(draft, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: "wx" });
  await rename(draft, path);
  return path;
}

export async function forgetLogin(env: Env): Promise<void> {
  await rm(pathOf(env), { force: true });
}

/**
 * The login of the environment (SLUICE_URL and SLUICE_TOKEN), or the stored one.
 * @throws Failure without either, and for a file that others can read
 */
export async function readLogin(env: Env): Promise<Login> {
  const { SLUICE_URL: url, SLUICE_TOKEN: token } = env;
  if (url === undefined && token === undefined) {
    return await readStored(pathOf(env));
  }
  if (url === undefined || token === undefined) {
    // Half of it could be sent to the service of the stored login.
    throw new Failure("usage", "SLUICE_URL and SLUICE_TOKEN go together: set both or neither.");
  }
  return { url: readAddress(url, "SLUICE_URL"), token };
}

async function readStored(path: string): Promise<Login> {
  const found = await stat(path).catch(() => null);
  if (found === null) {
    throw new Failure("login", "You are not logged in. Run: sluice login");
  }
  if (process.platform !== "win32" && (found.mode & 0o077) !== 0) {
    throw new Failure("login", `Others can read your token. Run: chmod 600 ${path}`);
  }
  const stored = parse(await readFile(path, "utf8"));
  if (typeof stored?.url !== "string" || typeof stored.token !== "string") {
    throw new Failure("login", `${path} is damaged. Run: sluice login`);
  }
  return { url: readAddress(stored.url, path), token: stored.token };
}

function parse(text: string): Partial<Login> | null {
  try {
    return JSON.parse(text) as Partial<Login> | null;
  } catch {
    return null;
  }
}
