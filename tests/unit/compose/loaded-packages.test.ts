import { expect, test } from "bun:test";
import { join } from "node:path";

const folder = join(import.meta.dir, "../../../control-plane/src/compose");
/**
 * Large packages for what a process may never do. That for passkeys is not one of them: a bundle of the program can't load it late.
 */
const seldom = ["nodemailer", "@pydantic/genai-prices", "aws4fetch"];

test("a start loads none of the large packages for mails and proposals", () => {
  const script = `
    await import("./program.ts");
    console.log(JSON.stringify(Object.keys(require.cache)));
    process.exit(0);`;
  const run = Bun.spawnSync([process.execPath, "-e", script], { cwd: folder, stderr: "inherit" });
  const loaded: string[] = JSON.parse(run.stdout.toString());
  expect(loaded.length).toBeGreaterThan(1_000);
  expect(seldom.filter((name) => loaded.some((path) => path.includes(`/node_modules/${name}/`)))).toEqual([]);
});
