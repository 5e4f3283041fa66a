/**
 * `bun deploy/start/build-program.ts`: builds the control plane if its sources have changed, as `bun start` does, and prints
 * the folder as a line of JSON. For checkouts that the service can't write to.
 */
import { join } from "node:path";
import { ensureBuilt } from "./built-program.ts";

process.stdout.write(`${JSON.stringify({ directory: await ensureBuilt(join(import.meta.dir, "../..")) })}\n`);
