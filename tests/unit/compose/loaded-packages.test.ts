import { expect, test } from "bun:test";
import { join } from "node:path";

const folder = join(import.meta.dir, "../../../control-plane/src/compose");
/** Large packages for what a process may never do. */
const seldom = ["@simplewebauthn/server", "stripe", "nodemailer", "@pydantic/genai-prices", "aws4fetch"];

/** The paths of everything that is loaded when this module has been loaded. */
function loadedBy(module: string): string[] {
  const script = `
    await import("./${module}");
    console.log(JSON.stringify(Object.keys(require.cache)));
    process.exit(0);`;
  const run = Bun.spawnSync([process.execPath, "-e", script], { cwd: folder, stderr: "inherit" });
  return JSON.parse(run.stdout.toString());
}

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
