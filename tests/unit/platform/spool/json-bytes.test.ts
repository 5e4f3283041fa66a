import { describe, expect, test } from "bun:test";
import { JsonBytes } from "@sluice/control-plane/platform/spool/json-bytes.ts";
import fc from "fast-check";
import { anyCharacter } from "../../../support/values/any-character.ts";

/** What is written, or null if it is not plain. */
function written(write: (out: JsonBytes) => void): string | null {
  const out = new JsonBytes();
  out.ascii("[");
  write(out);
  return out.isPlain ? out.written.toString("utf8").slice(1) : null;
}

const isPlain = (text: string): boolean => /^[ !#-[\]-~]*$/.test(text);

describe("JSON that is written as bytes", () => {
  test("has every safe integer as JSON has it, and no other number", () => {
    const numbers = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -20, max: 1e10 }), fc.double());
    fc.assert(
      fc.property(numbers, (value) => {
        const expected = Number.isSafeInteger(value) ? JSON.stringify(value) : null;
        expect(written((out) => out.integer(value))).toBe(expected);
      }),
      { examples: [[999_999_999], [1_000_000_000], [-1_000_000_000], [Number.MAX_SAFE_INTEGER], [-0], [Number.NaN]] },
    );
  });

  test("has no count that a number can't hold", () => {
    expect(written((out) => out.bigint(2n ** 53n - 1n))).toBe("9007199254740991");
    expect(written((out) => out.bigint(2n ** 53n))).toBeNull();
    expect(written((out) => out.bigint(-(2n ** 53n)))).toBeNull();
  });

  test("has a text as JSON has it if it is plain and short enough, and else none", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 40 }), fc.nat({ max: 50 }), (value, lengthMax) => {
        const expected = isPlain(value) && value.length <= lengthMax ? JSON.stringify(value) : null;
        expect(written((out) => out.text(value, lengthMax))).toBe(expected);
      }),
    );
  });

  test("grows with what is written, and forgets what is cut off", () => {
    const out = new JsonBytes();
    const long = "\u6f22".repeat(50_000);
    out.text("first");
    const { length } = out;
    out.text('"');
    out.json(JSON.stringify(long));
    expect(out.isPlain).toBe(false);
    out.cut(length);
    for (let count = 0; count < 10_000; count += 1) {
      out.integerOrNull(count % 2 === 0 ? count : null);
      out.textOrNull(count % 2 === 0 ? null : "word");
    }
    const rest = Array.from({ length: 10_000 }, (_, at) => (at % 2 === 0 ? `${at}null` : 'null"word"'));
    expect([out.isPlain, out.written.toString("utf8")]).toEqual([true, `"first"${rest.join("")}`]);
  });
});
