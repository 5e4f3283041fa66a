import { pathToFileURL } from "node:url";

/** Where the one-file build keeps its files, by their paths in the repository. */
const embeddedRoot = "/$bunfs/root/";

/** Whether this process runs the one-file build instead of a checkout. */
export const isOneFile = Bun.isStandaloneExecutable;

/**
 * The address of a file that the program reads or runs, in the checkout or in the one-file build.
 * @param path in the repository; a folder ends with `/`
 */
export function programFile(path: string): URL {
  if (!isOneFile) {
    return new URL(`../../../${path}`, import.meta.url);
  }
  return pathToFileURL(`${embeddedRoot}${path.replace(/\.ts$/, ".js")}`);
}
