import { describe, expect, test } from "bun:test";
import { scanJson } from "@sluice/control-plane/platform/scan-json.ts";
import fc from "fast-check";
import { keyText, objectText, spaced, stringText, valueText } from "../../support/values/json-text.ts";
import { processorMsOf } from "../../support/values/processor-time.ts";

const numRuns = process.env["TEST_FULL"] === "1" ? 20_000 : 300;
const most = Number.MAX_SAFE_INTEGER;
const noLimits = { depthMax: most, keysMax: most, topLevelKeysMax: most, valuesMax: most };
const names = ["model", "stream", "a", "__proto__", "constructor", ""];
const knownKey = fc.constantFrom(...names).chain((name) => keyText(name));
const members = fc.array(fc.tuple(fc.oneof(knownKey, stringText), valueText), { maxLength: 6 });
/** An object and the keys that were written into it, in their order and as often as they were. */
const anyObject = members.chain((pairs) =>
  spaced(objectText(fc.constant(pairs))).map((text) => ({
    text,
    keys: pairs.map(([key]) => JSON.parse(key) as string),
  })),
);

/** The keys and positions in a text, derived from the values that it encodes. */
function measure(value: unknown): { depth: number; keys: number } {
  if (typeof value !== "object" || value === null) {
    return { depth: 0, keys: 0 };
  }
  const parts = Object.values(value).map(measure);
  const ownKeys = Array.isArray(value) ? 0 : Object.keys(value).length;
  return {
    depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
    keys: parts.reduce((sum, { keys }) => sum + keys, ownKeys),
  };
}

describe("a scan of JSON's structure", () => {
  test("finds the keys and the positions of the values that the runtime finds", () => {
    fc.assert(
      fc.property(anyObject, ({ text }) => {
        const bytes = Buffer.from(text);
        const value = JSON.parse(text) as object;
        const { topLevel } = scanJson(bytes, noLimits);
        expect([...topLevel.keys()].toSorted()).toEqual(Object.keys(value).toSorted());
        for (const [key, [start, end]] of topLevel) {
          const expected: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
          expect(JSON.parse(bytes.toString("utf8", start, end))).toEqual(expected);
        }
      }),
      { numRuns },
    );
  });

  test("reports a duplicate key exactly when there is one, however it is spelled", () => {
    fc.assert(
      fc.property(anyObject, ({ text, keys }) => {
        expect(scanJson(Buffer.from(text), noLimits).hasDuplicateTopLevelKey).toBe(new Set(keys).size < keys.length);
      }),
      { numRuns },
    );
  });

  test("applies each limit to the last key and the last level", () => {
    fc.assert(
      // Keys of one object differ here, because the runtime drops all but the last of them.
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const bytes = Buffer.from(text);
        const value: unknown = JSON.parse(text);
        const { depth, keys } = measure(value);
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
        const topLevelKeys = isObject ? Object.keys(value).length : 0;
        const isOver = (limits: object) => scanJson(bytes, { ...noLimits, ...limits }).isOverLimit;
        expect(isOver({ depthMax: depth, keysMax: keys, topLevelKeysMax: topLevelKeys })).toBe(false);
        expect(isOver({ depthMax: depth - 1 })).toBe(depth > 0);
        expect(isOver({ keysMax: keys - 1 })).toBe(keys > 0);
        expect(isOver({ topLevelKeysMax: topLevelKeys - 1 })).toBe(topLevelKeys > 0);
      }),
      { numRuns },
    );
  });

  test.each([
    ['{"model":1,"model":2}', true],
    ['{"model":1,"mo\\u0064el":2}', true],
    ['{"model":1,"\\u006d\\u006F\\u0064\\u0065\\u006c":2}', true],
    ['{"model":1,"Model":2}', false],
    ['{"a":{"model":1,"model":2}}', false],
    ['{"a":"model","model":1}', false],
    ['{"a":["model","model"]}', false],
    ['{"a\\\\":1,"a\\\\\\\\":2}', false],
    ['{"a\\"":1,"a\\u0022":2}', true],
  ])("%s has a duplicate key: %p", (text, expected) => {
    expect(scanJson(Buffer.from(text), noLimits).hasDuplicateTopLevelKey).toBe(expected);
  });

  test("stops early when the text is nested too deep or has too many keys", () => {
    const deep = Buffer.from("[".repeat(20_000_000));
    const wide = Buffer.from(`{${'"a":1,'.repeat(3_000_000)}`);
    const scan = () => {
      expect(scanJson(deep, { ...noLimits, depthMax: 64 }).isOverLimit).toBe(true);
      expect(scanJson(wide, { ...noLimits, keysMax: 1_000 }).isOverLimit).toBe(true);
    };
    // To their ends it takes hundreds.
    expect(processorMsOf(scan)).toBeLessThan(50);
  });

  test("stops at bytes that are not JSON", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(scanJson(Buffer.from(bytes), noLimits).topLevel.size).toBeLessThanOrEqual(bytes.length);
      }),
      { numRuns },
    );
  });
});
