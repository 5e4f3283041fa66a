import { describe, expect, test } from "bun:test";
import { visibleText } from "@sluice/control-plane/trace/visible-text.ts";
import fc from "fast-check";

describe("a stranger's text", () => {
  test.each([
    ["a line break", "a\r\nb", "a\\u000d\\u000ab"],
    ["a terminal sequence", "\u001b[31mred", "\\u001b[31mred"],
    ["a byte that Postgres can't hold", "a\0b", "a\\u0000b"],
    ["a character that reverses the direction", "a\u202eb", "a\\u202eb"],
    ["a line separator", "a\u2028b", "a\\u2028b"],
    ["half of a surrogate pair", "a\ud800b", "a\ufffdb"],
    ["ordinary text in any script", "Пример/1.0 (日本; 🙂) \\n", "Пример/1.0 (日本; 🙂) \\n"],
  ])("is stored visibly: %s", (_, text, expected) => {
    expect(visibleText(text, 1_024)).toBe(expected);
  });

  test("is cut to its limit in bytes, between two characters", () => {
    expect(visibleText("x".repeat(2_000), 1_024)).toBe("x".repeat(1_024));
    expect(visibleText("🙂".repeat(1_000), 10)).toBe("🙂🙂");
    expect(visibleText("é".repeat(512), 1_024)).toBe("é".repeat(512));
    expect(visibleText(`${"a".repeat(9)}é`, 10)).toBe("a".repeat(9));
  });

  test("is never longer than the limit, never holds a control character, and is always well formed", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
        fc.nat(50),
        (text, limit) => {
          const shown = visibleText(text, limit);
          expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(limit);
          expect(shown.isWellFormed()).toBe(true);
          expect(
            [...shown].some((character) => character < " " || (character >= "\u007f" && character < "\u00a0")),
          ).toBe(false);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
