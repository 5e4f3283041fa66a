import { expect, test } from "bun:test";
import { rowWriter } from "@sluice/control-plane/platform/list-query/export-rows.ts";
import { column } from "@sluice/control-plane/platform/list-query/model.ts";
import fc from "fast-check";

/** Reads a line of RFC 4180. */
function cellsOf(line: string): string[] {
  return [...`${line},`.matchAll(/(?:"((?:[^"]|"")*)"|([^,"]*)),/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'),
  );
}

const dangerous = /^[\s\0\u200b]*[=+\-@\u2212\uff1d\ufe66]|^[\t\r]/;

test("a text comes back unchanged, except for the mark before what a spreadsheet would calculate", () => {
  const { write } = rowWriter("csv", { a: column("text", "a"), b: column("text", "b") });
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom(
      "=1+1",
      "\t=1",
      "-1",
      '"',
      ",",
      "\r\n",
      "@a,b",
      "\u200b=1",
      "\u22121",
      "\ufe661",
      "a;=1;",
      "a; @b",
      "a\t=1",
      ";;=1",
    ),
  );
  fc.assert(
    fc.property(text, text, (a, b) => {
      const line = write({ a, b }, false);
      expect(line.endsWith("\r\n")).toBe(true);
      const cells = cellsOf(line.slice(0, -2));
      // If a comma does not separate cells, a semicolon or a tab does.
      const pieces = cells.flatMap((cell) => cell.split(";").flatMap((part) => part.split(/(?<=.)\t/s)));
      expect(pieces.filter((piece) => dangerous.test(piece))).toEqual([]);
      const unmarked = (cell: string): string => cell.replaceAll("'", "");
      expect(cells.map(unmarked)).toEqual([a, b].map(unmarked));
    }),
  );
});

test("a text without formulas stays as it is, even a long one of only tabs", () => {
  const { write } = rowWriter("csv", { a: column("text", "a") });
  expect(write({ a: "it's; fine - or a=b" }, false)).toBe("it's; fine - or a=b\r\n");
  // Looking ahead from each tab to the end would never finish.
  expect(write({ a: `x${"\t;".repeat(200_000)}` }, false)).toHaveLength(400_003);
});

test("our numbers and decimals stay what they are, including negative ones", () => {
  const columns = {
    a: column("bigint", "a"),
    b: column("numeric", "b"),
    c: column("boolean", "c"),
    d: column("jsonb", "d"),
  };
  const { write, head } = rowWriter("csv", columns);
  expect(head).toBe("a,b,c,d\r\n");
  expect(write({ a: -5n, b: "-1.50", c: true, d: { x: "=1" } }, false)).toBe('-5,-1.50,true,"{""x"":""=1""}"\r\n');
  expect(write({ a: 2n ** 60n, b: null, c: null, d: null }, false)).toBe("1152921504606846976,,,\r\n");
});

test("JSON is one list, with integers beyond the exact range as strings", () => {
  const { head, write, tail } = rowWriter("json", { a: column("bigint", "a") });
  const text = `${head}${write({ a: 1n }, true)}${write({ a: 2n ** 60n }, false)}${tail}`;
  expect(JSON.parse(text)).toEqual([{ a: 1 }, { a: "1152921504606846976" }]);
});
