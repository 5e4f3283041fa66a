/** The entry of the one-file build: `sluice <command>`. */
// A package of the service needs it first and says so, but a bundle does not keep that order.
import "reflect-metadata";
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
