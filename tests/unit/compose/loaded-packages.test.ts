import { expect, test } from "bun:test";
import { join } from "node:path";

const folder = join(import.meta.dir, "../../../control-plane/src/compose");
/** Large packages that a process may never need. */
const seldom = ["@simplewebauthn/server", "stripe", "nodemailer", "@pydantic/genai-prices", "aws4fetch"];

/** The value of an expression once this module is loaded. */
function readAfter<Value>(module: string, expression: string): Value {
  const script = `
    const { heapStats } = require("bun:jsc");
    await import("./${module}");
    Bun.gc(true);
    console.log(JSON.stringify(${expression}));
    process.exit(0);`;
  const run = Bun.spawnSync([process.execPath, "-e", script], { cwd: folder, stderr: "inherit" });
  return JSON.parse(run.stdout.toString());
}

/** The paths of everything that is loaded with this module. */
const loadedBy = (module: string): string[] => readAfter(module, "Object.keys(require.cache)");

const packagesAmong = (names: readonly string[], loaded: readonly string[]): string[] =>
  names.filter((name) => loaded.some((path) => path.includes(`/node_modules/${name}/`)));

test("a start loads none of the large packages for passkeys, cards, mails and proposals", () => {
  const loaded = loadedBy("program.ts");
  expect(loaded.length).toBeGreaterThan(1_000);
  expect(packagesAmong(seldom, loaded)).toEqual([]);
});

test("the second thread of the books loads neither schemas nor the query builder", () => {
  const loaded = loadedBy("books-work.ts");
  expect(loaded.length).toBeGreaterThan(30);
  expect(packagesAmong(["zod", "drizzle-orm"], loaded)).toEqual([]);
});

test("a start makes at most half of the schemas: the fields of contracts are made when they are first needed", () => {
  // Each schema has a set of its kinds; there are about fifty other sets.
  const sets: number = readAfter("program.ts", "heapStats().objectTypeCounts.Set");
  expect(sets).toBeGreaterThan(500);
  expect(sets).toBeLessThan(3_600);
});
