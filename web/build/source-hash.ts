import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The inputs of a build, relative to the folder of the web: its own files, the contracts, and the packages. */
const sources = [
  "src/**/*",
  "prerender/**/*",
  "build/**/*",
  "package.json",
  "../packages/contracts/src/**/*",
  "../bun.lock",
];
const hashLength = 16;

/** The name of a build of the current sources. */
export async function hashSources(webRoot: string): Promise<string> {
  const hash = createHash("sha256");
  for (const pattern of sources) {
    const files = await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: webRoot, onlyFiles: true }));
    for (const file of files.sort()) {
      hash.update(`${file}\0`).update(await readFile(join(webRoot, file)));
    }
  }
  return hash.digest("hex").slice(0, hashLength);
}
