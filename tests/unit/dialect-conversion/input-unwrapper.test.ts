import { describe, expect, test } from "bun:test";
import { InputUnwrapper } from "@sluice/dialect-conversion/responses-to-chat/input-unwrapper";
import fc from "fast-check";

/** What comes out after each piece. */
const unwrap = (pieces: readonly string[]): readonly string[] => {
  const unwrapper = new InputUnwrapper();
  return pieces.map((piece) => unwrapper.push(piece));
};

const loneHalf = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

describe("the input of a tool", () => {
  test("is read while it comes", () => {
    expect(unwrap([' {"in', 'put" : "*** Be', "gin\\", 'n\\"', "x\\u00e", '9"', "}"])).toEqual([
      ...["", "*** Be", "gin", '\n"', "x", "é", ""],
    ]);
  });

  test("never has half a character in a piece", () => {
    expect(unwrap(['{"input":"\\ud83d', "\\ude00", "\ud83d", '\ude00"}'])).toEqual(["", "😀", "", "😀"]);
  });

  test("is what the model meant, where it forgot an escape", () => {
    expect(unwrap(['{"input":"a\nb\\x\\u12"}']).join("")).toBe("a\nb\\x\\u12");
  });

  test.each(["*** Begin Patch", '{"patch":"x"}', '["input"]', `${" ".repeat(300)}{"input":"x"}`])(
    "is not found in something else: %s",
    (text) => {
      const unwrapper = new InputUnwrapper();
      expect([unwrapper.push(text), unwrapper.hasOpened]).toEqual(["", false]);
    },
  );

  test("is the same text, however it is cut", () => {
    const text = fc.string({ unit: fc.oneof(fc.constantFrom("\n", '"', "\\", "/", "\u2028", "😀"), fc.string()) });
    fc.assert(
      fc.property(text, fc.boolean(), fc.array(fc.nat(), { maxLength: 8 }), (input, isEscaped, places) => {
        const json = JSON.stringify({ input });
        // Every character but those of the frame as an escape.
        const frame = json.length - 2;
        const escaped = `${json.slice(0, 10)}${[...json.slice(10, frame)]
          .map((sign) => (/[\u0080-\uffff]/.test(sign) ? escapeOf(sign) : sign))
          .join("")}${json.slice(frame)}`;
        const source = isEscaped ? escaped : json;
        const cuts = [0, ...places.map((place) => place % (source.length + 1)), source.length].toSorted(
          (one, other) => one - other,
        );
        const pieces = unwrap(cuts.slice(1).map((end, index) => source.slice(cuts[index], end)));
        expect(pieces.join("")).toBe(input);
        expect(pieces.some((piece) => loneHalf.test(piece))).toBe(loneHalf.test(input));
      }),
    );
  });
});

function escapeOf(sign: string): string {
  return [...Array(sign.length).keys()].map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
}
