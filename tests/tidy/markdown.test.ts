import { describe, expect, test } from "bun:test";
import { findBrokenLinks, findBrokenTables, findLostPaths } from "./markdown-check.ts";
import { listFiles, readText } from "./tree.ts";

const paths: ReadonlySet<string> = new Set(listFiles());
const pages = [...paths].filter((path) => path.endsWith(".md")).map((path) => ({ path, text: readText(path) ?? "" }));

describe("the pages of the repository", () => {
  test("link only to files and headings that exist", () => {
    expect(pages.map(({ path }) => path)).toContain("README.md");
    expect(pages.flatMap((each) => findBrokenLinks(each, paths, (path) => readText(path) ?? ""))).toEqual([]);
  });

  test("have a header on every table and as many cells in every row", () => {
    expect(pages.flatMap(findBrokenTables)).toEqual([]);
  });

  test("name only paths that exist", () => {
    expect(pages.flatMap((each) => findLostPaths(each, paths))).toEqual([]);
  });
});
