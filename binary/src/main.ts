/** The entry of the one-file build: `sluice <command>`. */
import { innerPrograms } from "./inner-programs.ts";

const nameAt = 2;
const name = process.argv[nameAt] ?? "";
const inner = Object.hasOwn(innerPrograms, name) ? innerPrograms[name] : undefined;

if (inner === undefined) {
  await import("./command-line.ts");
} else {
  process.argv.splice(nameAt, 1);
  await inner();
}
