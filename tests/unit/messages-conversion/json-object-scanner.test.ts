import { describe, expect, test } from "bun:test";
import { JsonObjectScanner } from "@sluice/messages-conversion/arguments/json-object-scanner";
import fc from "fast-check";

const { TEST_FULL } = process.env;
const runs = TEST_FULL === "1" ? 5_000 : 150;

function scan(...pieces: string[]): JsonObjectScanner {
  const scanner = new JsonObjectScanner();
  for (const piece of pieces) {
    scanner.feed(piece);
  }
  return scanner;
}

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

const objects = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ maxDepth: 4, stringUnit: "grapheme" }));
const texts = fc.tuple(objects, fc.constantFrom(0, 1, 2)).map(([value, indent]) => JSON.stringify(value, null, indent));

describe("a text that is one object", () => {
  test("is followed to its end, however it is torn, and what comes after it is ignored", () => {
    fc.assert(
      fc.property(texts, fc.nat(), (text, place) => {
        const cut = place % (text.length + 1);
        const scanner = scan(text.slice(0, cut), text.slice(cut), " }{ nonsense");
        expect(scanner.state).toBe("complete");
        expect(scanner.validLength).toBe(text.length);
      }),
      { numRuns: runs },
    );
  });

  test("torn anywhere it is incomplete, and its complete part can be parsed", () => {
    fc.assert(
      fc.property(texts, fc.nat(), (text, place) => {
        const torn = text.slice(0, 1 + (place % (text.length - 1)));
        const scanner = scan(torn);
        expect(scanner.state).toBe("open");
        expect(isObject(torn.slice(0, scanner.cutLength) + scanner.closers)).toBe(true);
      }),
      { numRuns: runs },
    );
  });

  test("with one character changed is complete exactly when JSON.parse accepts it", () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.constantFrom(...'{}[]",:\\ \n0-+.eEtfnu/x\u0001'), (text, place, replaced) => {
        const at = place % text.length;
        const changed = text.slice(0, at) + replaced + text.slice(at + 1);
        const scanner = scan(changed);
        const isWhole = scanner.state === "complete" && changed.slice(scanner.validLength).trim() === "";
        expect([changed, isWhole]).toEqual([changed, isObject(changed)]);
      }),
      { numRuns: runs * 3 },
    );
  });
});

test.each([
  ["", "empty", 0],
  [" \n\t\r", "empty", 4],
  ["[", "invalid", 0],
  ['"{}"', "invalid", 0],
  [" x", "invalid", 1],
  ["{,", "invalid", 1],
  ['{"a" 1', "invalid", 5],
  ['{"a":01', "invalid", 6],
  ['{"a":1.}', "invalid", 7],
  ['{"a":1e+}', "invalid", 8],
  ['{"a":-}', "invalid", 6],
  ['{"a":tru3', "invalid", 8],
  ['{"a":1,}', "invalid", 7],
  ['{"a":[1,]', "invalid", 8],
  ['{"a":[1}', "invalid", 7],
  ['{"a":"\n', "invalid", 6],
  ['{"a":"\\x', "invalid", 7],
  ['{"a":"\\u12g', "invalid", 10],
  ["{}", "complete", 2],
  ['{"a":[]}', "complete", 8],
  ['{"a":-0.5E-10 , "b":null}', "complete", 25],
])("%j is %s after %d characters", (text, state, validLength) => {
  expect([scan(text).state, scan(text).validLength]).toEqual([state as never, validLength]);
});

test("nesting has a limit", () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  expect(scan(nested(512)).state).toBe("complete");
  expect(scan(nested(513)).state).toBe("invalid");
});
