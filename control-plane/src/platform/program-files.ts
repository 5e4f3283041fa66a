import { basename } from "node:path";
import { pathToFileURL } from "node:url";

/** Where the one-file build keeps its files, by their paths in the repository. */
const embeddedRoot = "/$bunfs/root/";

/** Whether this process runs the one-file build instead of a checkout. */
export const isOneFile = Bun.isStandaloneExecutable;

/** Whether this process runs the built program of a checkout (`deploy/start/built-program.ts`) instead of its source. */
const isBuilt = import.meta.url.endsWith(".js");

/**
 * The address of a file that the program reads or runs, in the checkout or in the one-file build.
 * @param path in the repository; a folder ends with `/`
 */
export function programFile(path: string): URL {
  if (isOneFile) {
    return pathToFileURL(`${embeddedRoot}${path.replace(/\.ts$/, ".js")}`);
  }
  if (isBuilt && path.endsWith(".ts")) {
    return new URL(`${basename(path, ".ts")}.js`, import.meta.url);
  }
  // A built program is as deep in the checkout as this file.
  return new URL(`../../../${path}`, import.meta.url);
}
