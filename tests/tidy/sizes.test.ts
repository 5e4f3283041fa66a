import { expect, test } from "bun:test";
import { listFiles, readText } from "./tree.ts";

const linesMax = 400;

/**
 * Files that were longer than the limit when it was introduced, with the length they may have. The list may only
 * shrink: split the file, or at least write down the smaller number; nothing is ever added.
 */
const tooLong: Readonly<Record<string, number>> = {};

const measured = /\.([cm]?[jt]sx?|css|html|sh|sql)$/;
const notWrittenByHand = /(\.gen\.\w+$|(^|\/)(migrations|i18n|fixtures)\/)/;

/** Lines as an editor counts them: a last line without a line end counts, the empty one behind the last end does not. */
function countLines(text: string): number {
  const lines = text.split("\n").length;
  return text.endsWith("\n") ? lines - 1 : lines;
}

/** Files over the limit, and entries of the list that are no longer true. */
function findViolations(
  lengths: Readonly<Record<string, number>>,
  ratchet: Readonly<Record<string, number>>,
): string[] {
  const grown = Object.entries(lengths)
    .filter(([path, lines]) => lines > (ratchet[path] ?? linesMax))
    .map(([path, lines]) => `${path}: ${lines} lines, ${ratchet[path] ?? linesMax} are allowed; give each part a file`);
  const stale = Object.entries(ratchet)
    .filter(([path, lines]) => (lengths[path] ?? 0) < lines)
    .map(([path, lines]) => {
      const now = lengths[path] ?? 0;
      return `${path}: listed with ${lines} lines, has ${now}; ${now > linesMax ? "write the smaller number down" : "take it off the list"}`;
    });
  return [...grown, ...stale];
}

test("no file is longer than can be read in one go", () => {
  const paths = listFiles().filter((path) => measured.test(path) && !notWrittenByHand.test(path));
  expect(paths).toContain("tests/tidy/sizes.test.ts");
  const lengths = Object.fromEntries(paths.map((path) => [path, countLines(readText(path) ?? "")]));
  expect(findViolations(lengths, tooLong)).toEqual([]);
});

test("a file over the limit is reported", () => {
  expect(findViolations({ "a.ts": 401, "b.ts": 400 }, {})).toEqual([
    "a.ts: 401 lines, 400 are allowed; give each part a file",
  ]);
});

test("a listed file may not grow", () => {
  expect(findViolations({ "a.ts": 501 }, { "a.ts": 500 })).toEqual([expect.stringMatching(/^a\.ts: 501 lines, 500/)]);
});

test("the list follows a file that shrank, was split or was removed", () => {
  const ratchet = { "a.ts": 500, "b.ts": 500, "c.ts": 500 };
  expect(findViolations({ "a.ts": 450, "b.ts": 400 }, ratchet)).toEqual([
    expect.stringMatching(/a\.ts.*write the smaller number down/),
    expect.stringMatching(/b\.ts.*take it off the list/),
    expect.stringMatching(/c\.ts.*take it off the list/),
  ]);
  expect(findViolations({ "a.ts": 500 }, { "a.ts": 500 })).toEqual([]);
});

test("lines are counted as an editor counts them", () => {
  expect([countLines(""), countLines("a"), countLines("a\n"), countLines("a\nb")]).toEqual([1, 1, 1, 2]);
});
