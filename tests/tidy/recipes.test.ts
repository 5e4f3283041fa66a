import { describe, expect, test } from "bun:test";
import { listFiles, readText } from "./tree.ts";

const page = readText("docs/development.md") ?? "";

/** How the example of a recipe is spelled in the product. */
const examples: Readonly<Record<string, RegExp>> = {
  "A priced unit": /cache_?write/i,
  "An operation under /v1": /\brerank\b/,
  "A fault of the sandbox provider": /\bsilence\b/,
  "A column of a list": /\bis_?paid_?late\b/i,
  "A form that changes something": /channel-cost\/save/,
  "A field of an API key": /\ballowed_?ips\b/i,
  "A setting": /analytics\.retention_days/,
  "An environment variable": /\bEXIT_NODE_CHECK_MS\b/,
  "A job": /clean-up-approvals/,
  "A secret": /mail\.gateway_key/,
};

/** Files in which an example means something else, by recipe. */
const elsewhere: Readonly<Record<string, RegExp>> = {
  // The addresses of providers name the path, too, and the list of changes names what came in earlier versions.
  "An operation under /v1":
    /^(packages\/contracts\/src\/provider-presets|web\/src\/admin\/(pages\/upstreams\/|zh\/upstreams\.ts)|web\/src\/site\/docs\/changelog\/)/,
  // The word also means what providers do on their own.
  "A fault of the sandbox provider": /^(?!packages\/sandbox-provider\/)/,
};

const isProduct = (path: string): boolean =>
  /^(control-plane\/src|node-agent\/src|packages\/[^/]+\/src|web\/src|deploy)\//.test(path) &&
  !/(\/migrations\/|\.md$)/.test(path);

const product = listFiles()
  .filter(isProduct)
  .map((path) => ({ path, text: readText(path) ?? "" }));

/** The paths in the first column of the table of a recipe. */
function pathsOf(title: string): string[] {
  const [, section = ""] = page.split(`\n## ${title}\n`);
  const [own = ""] = section.split("\n## ");
  const cells = [...own.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path));
}

describe.each(Object.entries(examples))("the recipe: %s", (title, example) => {
  const found = product.filter(({ path, text }) => example.test(text) && elsewhere[title]?.test(path) !== true);
  const globs = pathsOf(title).map((path) => ({ path, glob: new Bun.Glob(path) }));

  test("names every file that its example is in", () => {
    expect(globs.length).toBeGreaterThan(0);
    expect(found.map(({ path }) => path).filter((path) => !globs.some(({ glob }) => glob.match(path)))).toEqual([]);
  });

  test("names no file without its example", () => {
    expect(globs.filter(({ glob }) => !found.some(({ path }) => glob.match(path))).map(({ path }) => path)).toEqual([]);
  });
});
