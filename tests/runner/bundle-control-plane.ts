import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BunPlugin } from "bun";
import { root } from "./environment.ts";
import {
  fewerPartitions,
  lighterPasswords,
  lighterProgram,
  pagesCompressedLess,
  pagesRenderedOnce,
  schemasWithoutCode,
  unwatchedLoop,
} from "./lighter-program.ts";

/** Where a test process finds the program that it starts. Without it, it starts the source. */
export const programVariable = "TEST_CONTROL_PLANE";

const main = "control-plane/src/main.ts";
/** Threads are programs of their own. The one that renders invoices is seldom started, and finds its fonts from the source only. */
const threads = ["control-plane/src/compose/books-work.ts", "control-plane/src/compose/side-work.ts"];

/**
 * Bundles the control plane of a run and its threads into compiled files, whose start takes less than half the processor
 * time of one from 2,000 files of source; a run starts them some 500 times. A bundle has the addresses of the source
 * written into it, so that it finds migrations and pages where they are.
 * The build of `bun start` takes a fifth more processor time until it is ready, because its parts can't be compiled.
 * @param isLighter with less work in it, see `lighterProgram`
 * @returns the path of the program
 */
export async function bundleControlPlane(folder: string, isLighter: boolean): Promise<string> {
  const bundled = (path: string): string => join(folder, basename(path).replace(/\.ts$/, ".js"));
  const result = await Bun.build({
    entrypoints: [main, ...threads].map((path) => join(root, path)),
    outdir: folder,
    naming: "[name].[ext]",
    target: "bun",
    format: "cjs",
    bytecode: true,
    // The texts of functions stay as they are: the router reads from them what a handler needs.
    minify: false,
    // Every error of the database has a stack, and to find its lines in the source takes 0.1 s of the first one. A file that is run
    // alone starts the source.
    sourcemap: "none",
    plugins: [
      redirectThreads(new Map(threads.map((path) => [path, pathToFileURL(bundled(path)).href]))),
      ...(isLighter
        ? [
            lighterProgram(
              ...[lighterPasswords, fewerPartitions, schemasWithoutCode, unwatchedLoop],
              ...[pagesRenderedOnce, pagesCompressedLess],
            ),
          ]
        : []),
    ],
  });
  if (!result.outputs.some(({ path }) => path === bundled(main))) {
    throw new Error(`the control plane could not be bundled: ${result.logs.join("\n")}`);
  }
  return bundled(main);
}

/** Lets the function that knows where files of the program are find the bundles of these threads, by their paths. */
function redirectThreads(addresses: ReadonlyMap<string, string>): BunPlugin {
  return {
    name: "threads",
    setup: (build) => {
      build.onLoad({ filter: /\/control-plane\/src\/platform\/program-files\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, "utf8");
        const renamed = source.replace("export function programFile(", "function sourceFile(");
        if (renamed === source) {
          throw new Error(`${path} has no programFile`);
        }
        const added = `
          const addresses: Record<string, string> = ${JSON.stringify(Object.fromEntries(addresses))};
          export const programFile = (path: string): URL => new URL(addresses[path] ?? sourceFile(path).href);`;
        return { contents: renamed + added, loader: "ts" };
      });
    },
  };
}
