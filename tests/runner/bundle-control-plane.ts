import { join } from "node:path";
import { root } from "./environment.ts";

/** Where a test process finds the program that it starts. Without it, it starts the source. */
export const programVariable = "TEST_CONTROL_PLANE";

/**
 * Bundles the control plane of a run into one compiled file, whose start takes less than half the processor time of one
 * from 2,000 files of source; a run starts it some 500 times. The bundle has the addresses of the source written into
 * it, so that it finds its threads, migrations and pages where they are. Returns the path of its entry.
 */
export async function bundleControlPlane(folder: string): Promise<string> {
  const result = await Bun.build({
    entrypoints: [join(root, "control-plane/src/main.ts")],
    outdir: folder,
    target: "bun",
    format: "cjs",
    bytecode: true,
    // The texts of functions stay as they are: the router reads from them what a handler needs.
    minify: false,
    // Every error of the database has a stack, and to find its lines in the source takes 0.1 s of the first one. A file that is run
    // alone starts the source.
    sourcemap: "none",
  });
  const entry = result.outputs.find(({ kind }) => kind === "entry-point");
  if (entry === undefined) {
    throw new Error(`the control plane could not be bundled: ${result.logs.join("\n")}`);
  }
  return entry.path;
}
