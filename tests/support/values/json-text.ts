import fc from "fast-check";

/*
 * JSON as no serializer writes it: every legal spelling of white space, strings and numbers. What such a text means does
 * not matter; that each of its bytes arrives does.
 */

const space = fc.string({ unit: fc.constantFrom(" ", "\t", "\n", "\r"), maxLength: 3 });

const numberText = fc.oneof(
  fc.constantFrom("0", "-0", "1.0", "1e2", "1E+2", "0.10", "-1.5e-3", "10000000000000000000001", "1e400"),
  fc.integer().map(String),
);

/** One character of a string, as itself or in one of its escapes. */
const characterText = fc.oneof(
  fc.constantFrom(
    "a",
    "é",
    "中",
    "😀",
    "\u2028",
    '\\"',
    "\\\\",
    "\\/",
    "\\n",
    "\\u0041",
    "\\u00E9",
    "\\ud83d\\ude00",
    " ",
  ),
  fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 4 }).map((text) => JSON.stringify(text).slice(1, -1)),
);

export const stringText: fc.Arbitrary<string> = fc
  .array(characterText, { maxLength: 8 })
  .map((characters) => `"${characters.join("")}"`);

/** Adds text on both sides of a text, like white space. */
export function spaced(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(space, text, space).map((parts) => parts.join(""));
}

/** An object from members; `null` in place of a key's text chooses its notation randomly. */
export function objectText(members: fc.Arbitrary<readonly (readonly [key: string, value: string])[]>) {
  return fc.tuple(members, fc.array(space, { minLength: 4, maxLength: 4 })).map(([pairs, [a, b, c, d]]) => {
    const written = pairs.map(([key, value]) => `${a}${key}${b}:${c}${value}${d}`);
    return `{${written.length === 0 ? a : written.join(",")}}`;
  });
}

/** A key in one of its spellings: `"model"` or, for example, `"mo\u0064el"`. */
export function keyText(name: string): fc.Arbitrary<string> {
  const escaped = [...name].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map(
      (isEscaped) =>
        `"${[...name].map((character, index) => (isEscaped[index] ? escaped[index] : character)).join("")}"`,
    );
}

/** Any JSON value of moderate size. */
export const valueText: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    numberText,
    stringText,
    fc.constantFrom("true", "false", "null", "{}", "[]", "[ ]"),
    tie("object"),
    tie("array"),
  ),
  object: objectText(
    fc.uniqueArray(fc.tuple(stringText, tie("value")), { maxLength: 3, selector: ([key]) => String(JSON.parse(key)) }),
  ),
  array: fc.array(spaced(tie("value")), { maxLength: 3 }).map((values) => `[${values.join(",")}]`),
})).value;
