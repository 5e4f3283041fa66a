import { cpSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot, startProgram } from "./start-process.ts";

/** The name of the build for this machine. */
export const oneFileName = `sluice-${process.platform}-${process.arch}`;

/** @param words of `bun run release` */
export async function buildOneFile(folder: string, ...words: readonly string[]): Promise<void> {
  const command = [process.execPath, join(repositoryRoot, "binary/build.ts"), ...words, "--out", folder];
  const build = startProgram({ command, env: {} });
  if ((await build.exited) !== 0) {
    throw new Error(build.output());
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
