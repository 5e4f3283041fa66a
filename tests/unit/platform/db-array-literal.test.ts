import { expect, test } from "bun:test";
import { arrayLiteral } from "@sluice/control-plane/platform/db-array-literal.ts";

test.each([
  ["an empty array", [], "{}"],
  ["integers beyond the exact range of floats", [9_223_372_036_854_775_807n, -1n, 0n], "{9223372036854775807,-1,0}"],
  ["numbers", [1, -2.5, 1e21], "{1,-2.5,1e+21}"],
  ["booleans and the absence of a value", [true, false, null], "{t,f,NULL}"],
  ["texts that look like syntax", ["", "NULL", "a,b", "{}", " x "], '{"","NULL","a,b","{}"," x "}'],
  ["quotes and backslashes", ['say "hi"', "C:\\dir"], '{"say \\"hi\\"","C:\\\\dir"}'],
  ["a character that Postgres can't hold", ["a\0b"], '{"a\uFFFDb"}'],
  ["bytes", [new Uint8Array([0, 1, 255]), new Uint8Array()], '{"\\\\x0001ff","\\\\x"}'],
  ["moments", [new Date(0)], '{"1970-01-01T00:00:00.000Z"}'],
])("%s have their text form", (_what, values, literal) => {
  expect(arrayLiteral(values)).toBe(literal);
});

test.each([[Number.NaN], [Number.POSITIVE_INFINITY], [new Date(Number.NaN)]])("%p is refused", (value) => {
  expect(() => arrayLiteral([value])).toThrow(RangeError);
});
