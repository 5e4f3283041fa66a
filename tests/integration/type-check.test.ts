import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkTypes, composePrograms, listTypePrograms } from "../runner/types.ts";
import { repositoryRoot } from "../support/service/start-process.ts";

const compiler = join(repositoryRoot, "node_modules/.bin/tsc");
const files = {
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      ...{ target: "ESNext", module: "Preserve", moduleResolution: "bundler", lib: ["ESNext"], types: [] },
      ...{ strict: true, noEmit: true, allowImportingTsExtensions: true, skipLibCheck: true },
    },
    files: [],
  }),
  "node_modules/dependency/package.json": '{"name":"dependency","version":"1.0.0","types":"index.d.ts"}',
  "node_modules/dependency/index.d.ts": "export declare function price(): number;\n",
  "prices/src/price.ts": 'import { price } from "dependency";\nexport const cost = () => price();\n',
  "prices/src/quote.ts": 'import { cost } from "./price.ts";\nexport const quote = { cost: cost() };\n',
  "bills/src/bill.ts":
    'import { quote } from "../../prices/src/quote.ts";\nexport const sum: number = quote.cost + 1;\n',
};
const [program] = composePrograms([
  { folder: "prices", include: ["src"], hasOptions: false },
  { folder: "bills", include: ["src"], hasOptions: false },
]);

let tree = "";

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(tree, path)), { recursive: true });
  await writeFile(join(tree, path), text);
}

/** The places and codes of the errors that a run finds. */
async function check(): Promise<string[]> {
  const { output, exitCode } = await checkTypes(program ?? expect.unreachable(), { tree, compiler, timeoutMs: 60_000 });
  const errors = [...output.matchAll(/^(\S+?)\(\d+,\d+\): error (TS\d+)/gm)].map(([, path, code]) => `${path} ${code}`);
  expect([output, exitCode !== 0]).toEqual([output, errors.length > 0]);
  return errors;
}

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), "sluice-types-"));
  for (const [path, text] of Object.entries(files)) {
    await write(path, text);
  }
});

afterAll(() => rm(tree, { recursive: true }));

test("a run that builds on the last one finds what is wrong since, and keeps finding it", async () => {
  expect(await check()).toEqual([]);
  await write("prices/src/quote.ts", "export const quote = { cost: String(0) };\n");
  const changed = ["bills/src/bill.ts TS2322"];
  expect([await check(), await check()]).toEqual([changed, changed]);
  await write("prices/src/quote.ts", files["prices/src/quote.ts"]);
  expect(await check()).toEqual([]);
});

test("a change of a dependency is found in a file that imports it through others", async () => {
  expect(await check()).toEqual([]);
  await write("node_modules/dependency/index.d.ts", "export declare function price(): string;\n");
  expect(await check()).toEqual(["bills/src/bill.ts TS2322"]);
  await write("node_modules/dependency/index.d.ts", "export declare function amount(): number;\n");
  expect(await check()).toContain("prices/src/price.ts TS2305");
  await write("node_modules/dependency/index.d.ts", files["node_modules/dependency/index.d.ts"]);
  expect(await check()).toEqual([]);
});

test("a file that is gone, a new file and another option are seen", async () => {
  expect(await check()).toEqual([]);
  await rm(join(tree, "prices/src/quote.ts"));
  expect(await check()).toEqual(["bills/src/bill.ts TS2307"]);
  await write("prices/src/quote.ts", files["prices/src/quote.ts"]);
  await write("prices/src/new.ts", "export const count: number = true;\n");
  expect(await check()).toEqual(["prices/src/new.ts TS2322"]);
  await write("prices/src/new.ts", "export const first = (list: number[]): number => list[0];\n");
  expect(await check()).toEqual([]);
  await write("tsconfig.json", files["tsconfig.json"].replace('"strict"', '"noUncheckedIndexedAccess":true,"strict"'));
  expect(await check()).toEqual(["prices/src/new.ts TS2322"]);
});

test("what was kept and is damaged does no harm", async () => {
  await write("prices/src/new.ts", "export const count: number = true;\n");
  await write(".data/types/shared.tsbuildinfo", '{"version":"7.0.2","root":[');
  expect(await check()).toEqual(["prices/src/new.ts TS2322"]);
});

test("every workspace with types is in one of the programs", async () => {
  const patterns = ["*/tsconfig.json", "packages/*/tsconfig.json"];
  const configs = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: repositoryRoot })]);
  const programs = await listTypePrograms();
  expect(programs.flatMap(({ workspaces }) => workspaces).sort()).toEqual(configs.map((path) => dirname(path)).sort());
});
