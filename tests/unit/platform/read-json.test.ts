import { describe, expect, test } from "bun:test";
import { AppError, toAppError } from "@sluice/control-plane/platform/errors.ts";
import { findField } from "@sluice/control-plane/platform/find-field.ts";
import { type ReadObject, readJsonObject, scanObject } from "@sluice/control-plane/platform/read-json.ts";
import { PacketPart } from "@sluice/http-client/packet-part";
import { bodyMutant } from "../../support/values/json-mutants.ts";
import { testRandom } from "../../support/values/test-seed.ts";

const bodies = process.env["TEST_FULL"] === "1" ? 1_000_000 : 2_000;

/** What a reader makes of a body, or why it is refused. */
function resultOf<Body>(read: (bytes: Body) => ReadObject, bytes: Body): ReadObject | string {
  try {
    return read(bytes);
  } catch (error) {
    const { code, message } = toAppError(error);
    return `${code}: ${message}`;
  }
}

/** The values of a body that is accepted, or why it is refused. */
const verdict = (result: ReadObject | string): unknown => (typeof result === "string" ? result : result.fields);

const colon = 0x3a;

function countColons(bytes: Buffer): number {
  let colons = 0;
  for (let at = bytes.indexOf(colon); at >= 0; at = bytes.indexOf(colon, at + 1)) {
    colons += 1;
  }
  return colons;
}

/**
 * The same bytes in a packet, between others that would change what they mean, with so much space after them that they are
 * parsed as bytes.
 */
function within(bytes: Buffer): PacketPart {
  const [before, after] = [Buffer.from('host: a\\"{"\r\n\r\n'), Buffer.from(':"\\u003a,"a":1}')];
  const spaced = Buffer.concat([bytes, Buffer.alloc(100 * countColons(bytes), " ")]);
  return new PacketPart(Buffer.concat([before, spaced, after]), before.length, before.length + spaced.length);
}

/** The text of each field whose name needs no escape. */
function textsOf(bytes: Buffer, { fields, topLevel }: ReadObject): unknown {
  const names = Object.keys(fields).filter((name) => /^\w+$/.test(name));
  return names.map((name) => {
    const [start, end] = (topLevel === null ? findField(bytes, name) : topLevel.get(name)) ?? [0, 0];
    return [name, bytes.toString("latin1", start, end).trim()];
  });
}

/** As an expectation of each would take most of the time. */
function compare(text: string, found: unknown, expected: unknown): void {
  if (!Bun.deepEquals(found, expected, true)) {
    expect({ text, found }).toEqual({ text, found: expected });
  }
}

describe("the body of a call", () => {
  test("is read alike by the parser and by the scan: the same verdict, values, places and error", () => {
    const random = testRandom();
    let accepted = 0;
    for (let index = 0; index < bodies; index += 1) {
      const bytes = bodyMutant(random);
      const text = bytes.toString("latin1");
      const [parsed, scanned] = [resultOf(readJsonObject, bytes), resultOf(scanObject, bytes)];
      compare(text, verdict(parsed), verdict(scanned));
      const part = within(bytes);
      compare(text, verdict(resultOf(readJsonObject, part)), verdict(resultOf(scanObject, part.view)));
      if (typeof parsed !== "string" && typeof scanned !== "string") {
        accepted += 1;
        compare(text, textsOf(bytes, parsed), textsOf(bytes, scanned));
      }
    }
    // Bodies of both kinds were among them.
    expect(accepted).toBeGreaterThan(bodies / 10);
    expect(accepted).toBeLessThan((bodies * 9) / 10);
  }, 1_000_000);

  test.each([
    ['{"a":{"b":1,"b":2}}'],
    ['{"a":[{"b":"x:y","b":"z"}]}'],
    ['{"a":"\\u003a","b":1,"b":2}'],
    ['{"a":"\\u003A\\u003a","b":{"c":1,"\\u0063":2}}'],
    ['{"__proto__":1,"__proto__":2}'],
    ['{"a":":","a":"::"}'],
  ])("%s is refused, because a field occurs twice", (text) => {
    expect(() => readJsonObject(Buffer.from(text))).toThrow("A field occurs twice in the request body.");
    expect(() => readJsonObject(within(Buffer.from(text)))).toThrow("A field occurs twice in the request body.");
  });

  test.each([
    ['{"a":1}\n{"b":2}'],
    ['{"a":1}\n'.repeat(2)],
    ['{"a":1}\n{"b":'],
    ['{"a":1} x'],
    ['{"a":1'],
    ['\ufeff{"a":1}'],
    [""],
    ["\n"],
  ])("%j is refused, because it is not one value", (text) => {
    expect(() => readJsonObject(Buffer.from(text))).toThrow(new AppError("invalid_json").message);
  });

  test.each([
    ['{"model":"a\\"b","x":1}', '"a\\"b"'],
    ['{"x":{"model":1},"model" : "y" }', '"y"'],
    ['{"x":"\\"model","model":"y"}', '"y"'],
    ['{"x":"model","m\\u006fdel":"y"}', '"y"'],
    ['{"m\\u006fdel":"y","x":{"model":"z"}}', '"y"'],
    ['{"model":{"a":1},"x":"y"}', '{"a":1}'],
  ])("%s has its model at %s", (text, expected) => {
    const bytes = Buffer.from(text);
    const [start, end] = findField(bytes, "model") ?? [0, 0];
    expect(bytes.toString("utf8", start, end).trim()).toBe(expected);
  });
});
