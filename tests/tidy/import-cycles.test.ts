import { describe, expect, test } from "bun:test";
import { findImportCycles } from "./import-cycles.ts";
import { readCode, type SourceFile } from "./tree.ts";

const invented = (files: Readonly<Record<string, string>>): SourceFile[] =>
  Object.entries(files).map(([path, text]) => ({ path, text }));

test("no file imports itself over others, not even for a type", () => {
  expect(findImportCycles(readCode())).toEqual([]);
});

describe("a circle of imports", () => {
  test("is found over several files, in whatever form they are imported", () => {
    const files = invented({
      "a.ts": 'import { b } from "./deep/b.ts";',
      "deep/b.ts": 'import type { C } from "../c.ts";',
      "c.ts": 'const a = await import("./a.ts");',
      "d.ts": 'import "./a.ts";',
    });
    expect(findImportCycles(files)).toEqual(["a.ts > deep/b.ts > c.ts > a.ts"]);
  });

  test("is not two ways to the same file", () => {
    const files = invented({
      "a.ts": 'import "./b.ts"; import "./c.ts";',
      "b.ts": 'import "./d.ts";',
      "c.ts": 'import "./d.ts";',
      "d.ts": "",
    });
    expect(findImportCycles(files)).toEqual([]);
  });
});
