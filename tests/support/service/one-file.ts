import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isInRunFolder } from "../../runner/run-folder.ts";
import { tryClaim } from "./claim.ts";
import { unlessFull, unlessLinux } from "./obstacles.ts";
import { repositoryRoot, startProgram } from "./start-process.ts";

/** The name of the build for this machine. */
export const oneFileName = `sluice-${process.platform}-${process.arch}`;

const buildMsMax = 600_000;
const pollMs = 100;
/** Compresses less than for a release, except in a full run. */
const quickWords: readonly string[] = unlessFull === null ? [] : ["--quick"];

/** What `bun run release` makes around the program: the word for it, its files, and the tools that it needs. */
const packages = [
  { word: "--image", files: /\.oci\.tar/, tools: ["tar", "ldd"] },
  { word: "--with-postgres", files: /-with-postgres-/, tools: ["tar", "gzip"] },
  { word: "--deb", files: /\.deb/, tools: ["dpkg-deb"] },
];

/** What one build makes for a whole run: everything that can be made on this machine. */
const sharedPackages = packages.filter(({ tools }) => tools.every((tool) => Bun.which(tool) !== null));

/**
 * The service as one file in a folder. A build takes up to 17 s of processor time, so that in an ordinary run every file that
 * needs the program or a package of it gets a copy of one build.
 * @param words of `bun run release`: packages, or another target
 */
export async function buildOneFile(folder: string, ...words: readonly string[]): Promise<void> {
  const canShare = isInRunFolder() && unlessLinux === null && unlessFull !== null;
  if (!(canShare && words.every((word) => sharedPackages.some((each) => each.word === word)))) {
    await build(folder, words);
    return;
  }
  const built = await sharedBuild();
  mkdirSync(folder, { recursive: true });
  const isWanted = (name: string): boolean =>
    packages.every(({ word, files }) => words.includes(word) || !files.test(name));
  for (const name of readdirSync(built).filter(isWanted)) {
    cpSync(join(built, name), join(folder, name));
  }
}

/** @returns its folder */
async function sharedBuild(): Promise<string> {
  const built = join(tmpdir(), "one-file-build");
  const claim = `${built}.claim`;
  for (const deadline = Date.now() + buildMsMax; !(existsSync(built) || tryClaim(claim)); await Bun.sleep(pollMs)) {
    if (Date.now() > deadline) {
      throw new Error(`the one file that another test builds was not there after ${buildMsMax} ms`);
    }
  }
  try {
    if (!existsSync(built)) {
      // Moved when it is complete.
      const draft = `${built}.${process.pid}`;
      await build(
        draft,
        sharedPackages.map(({ word }) => word),
      );
      renameSync(draft, built);
    }
  } finally {
    rmSync(claim, { force: true });
  }
  return built;
}

async function build(folder: string, words: readonly string[]): Promise<void> {
  const command = [process.execPath, join(repositoryRoot, "binary/build.ts"), ...words, ...quickWords, "--out", folder];
  const building = startProgram({ command, env: {} });
  if ((await building.exited) !== 0) {
    throw new Error(building.output());
  }
}

/** A call with the key of the first start. @returns status and body */
export async function callOneFile(url: string, key: string): Promise<[number, string]> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] }),
  });
  return [answer.status, await answer.text()];
}

/** Copies the system's libraries that ldd says these programs need. */
export function copyLibraries(rootFolder: string, programs: readonly string[]): void {
  const needed = programs.map((program) => Bun.spawnSync(["ldd", program]).stdout.toString()).join("");
  for (const [, path = ""] of needed.matchAll(/(?:^\s|=> )(\/lib\S+)/gm)) {
    mkdirSync(join(rootFolder, dirname(path)), { recursive: true });
    cpSync(realpathSync(path), join(rootFolder, path));
  }
}

/** The folders of a machine that has nothing in them. */
export function makeFolders(rootFolder: string): void {
  for (const each of ["bin", "data", "dev", "etc", "proc", "tmp"]) {
    mkdirSync(join(rootFolder, each), { recursive: true });
  }
}

/** For `sh -c`: starts the program of the second argument in the root of the first. */
export const inRoot = 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$1" "$2" start';
