import { describe, expect, test } from "bun:test";
import { findBrokenLinks, findBrokenTables, findLostPaths } from "./markdown-check.ts";
import { listFiles, readText } from "./tree.ts";

const paths: ReadonlySet<string> = new Set(listFiles());
const pages = [...paths].filter((path) => path.endsWith(".md")).map((path) => ({ path, text: readText(path) ?? "" }));

const page = (text: string, path = "docs/page.md") => ({ path, text });

describe("the pages of the repository", () => {
  test("lead only to files and headings that are there", () => {
    expect(pages.map(({ path }) => path)).toContain("README.md");
    expect(pages.flatMap((each) => findBrokenLinks(each, paths, (path) => readText(path) ?? ""))).toEqual([]);
  });

  test("have a head on every table and as many cells in every row", () => {
    expect(pages.flatMap(findBrokenTables)).toEqual([]);
  });

  test("name only paths that are there", () => {
    expect(pages.flatMap((each) => findLostPaths(each, paths))).toEqual([]);
  });
});

describe("links", () => {
  const tree = new Set(["docs/page.md", "docs/other.md", "docs/pictures/a.png", "README.md"]);
  const read = (path: string): string =>
    path === "docs/other.md" ? "# Other `things` here\n\n## Two\n\n## Two\n" : "";
  const broken = (text: string): string[] => findBrokenLinks(page(text), tree, read);

  test.each([
    "[a](other.md)",
    "[a](other.md#other-things-here)",
    "[a](other.md#two-1)",
    "[a](../README.md)",
    "[a](pictures/)",
    '<img src="pictures/a.png">',
    "[a](https://example.org/x)",
    "`[a](gone.md)`",
    "```\n[a](gone.md)\n```",
  ])("%s is fine", (text) => {
    expect(broken(text)).toEqual([]);
  });

  test.each([
    ["[a](gone.md)", /no such file/],
    ["![a](pictures/b.png)", /no such file/],
    ['<img src="pictures/b.png">', /no such file/],
    ["[a](other.md#three)", /no such heading/],
    ["[a](#here)", /no such heading/],
  ])("%s is reported", (text, reason) => {
    expect(broken(`first\n${text}`)).toEqual([expect.stringMatching(reason)]);
    expect(broken(`first\n${text}`)[0]).toStartWith("docs/page.md:2:");
  });
});

describe("tables", () => {
  test("rows after a paragraph, without a head, are reported once", () => {
    const text = "Measured once.\n| a | b |\n| c | d |\n";
    expect(findBrokenTables(page(text))).toEqual([expect.stringMatching(/^docs\/page\.md:2: .*head/)]);
  });

  test("a row with another number of cells is reported", () => {
    const text = "| a | b |\n| --- | --: |\n| c | d |\n| e | f | g |\n";
    expect(findBrokenTables(page(text))).toEqual([expect.stringMatching(/^docs\/page\.md:4: 3 cells/)]);
  });

  test("an escaped bar is part of its cell", () => {
    expect(findBrokenTables(page("| a | b |\n| --- | --- |\n| `x \\| y` | d |\n"))).toEqual([]);
  });
});

describe("paths between backticks", () => {
  const tree = new Set([
    "web/src/site/docs/a.ts",
    "web/README.md",
    "docs/page.md",
    "control-plane/src/gateway/model.ts",
  ]);
  const lost = (text: string, path?: string): string[] => findLostPaths(page(text, path), tree);

  test.each([
    "`control-plane/src/gateway/`",
    "`control-plane/src/*/model.ts`",
    "`gateway/model.ts`",
    "`gateway/`",
    "`/login/`",
    "`model.ts`",
    "`text/plain`",
    "`/backend/admin/x.ts`",
    "`<name>/page.tsx`",
    "`bun run x.ts`",
  ])("%s is fine", (text) => {
    expect(lost(text)).toEqual([]);
  });

  test("a page may shorten what lies below its own folder", () => {
    expect(lost("`docs/a.ts`", "web/README.md")).toEqual([]);
    expect(lost("`docs/a.ts`")).toHaveLength(1);
  });

  test.each(["`control-plane/src/relay/`", "`relay/`", "`gateway/store.ts`", "`store.ts`", "`web/src/console/*.tsx`"])(
    "%s is reported",
    (text) => {
      expect(lost(`first\n${text}`)).toEqual([expect.stringMatching(/^docs\/page\.md:2: .* is not in the tree$/)]);
    },
  );
});
