import { describe, expect, test } from "bun:test";
import { AppError, toAppError } from "@sluice/control-plane/platform/errors.ts";
import { findField } from "@sluice/control-plane/platform/find-field.ts";
import { type ReadObject, readJsonObject, scanObject } from "@sluice/control-plane/platform/read-json.ts";
import { PacketPart } from "@sluice/http-client/packet-part";
import { bodyMutant } from "../../support/values/json-mutants.ts";
import { testRandom } from "../../support/values/test-seed.ts";

const bodies = process.env["TEST_FULL"] === "1" ? 1_000_000 : 2_000;

/** What a reader makes of a body: its values, or why it is refused. */
function verdictOf<Body>(read: (bytes: Body) => ReadObject, bytes: Body): unknown {
  try {
    return read(bytes).fields;
  } catch (error) {
    const { code, message } = toAppError(error);
    return { refused: code, message };
  }
}

/**
 * The same bytes in a packet, between others that would change what they mean, with so much space after them that they are
 * parsed as bytes.
 */
function within(bytes: Buffer): PacketPart {
  const [before, after] = [Buffer.from('host: a\\"{"\r\n\r\n'), Buffer.from(':"\\u003a,"a":1}')];
  const spaced = Buffer.concat([bytes, Buffer.alloc(100 * bytes.filter((byte) => byte === 0x3a).length, " ")]);
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

describe("the body of a call", () => {
  test("is read alike by the parser and by the scan: the same verdict, values, places and error", () => {
    const random = testRandom();
    let accepted = 0;
    for (let index = 0; index < bodies; index += 1) {
      const bytes = bodyMutant(random);
      const text = bytes.toString("latin1");
      const scanned = verdictOf(scanObject, bytes);
      const parsed = verdictOf(readJsonObject, bytes);
      if (!Bun.deepEquals(parsed, scanned, true)) {
        expect({ text, read: parsed }).toEqual({ text, read: scanned });
      }
      const part = within(bytes);
      const [inPacket, scannedThere] = [verdictOf(readJsonObject, part), verdictOf(scanObject, part.view)];
      if (!Bun.deepEquals(inPacket, scannedThere, true)) {
        expect({ text, inPacket }).toEqual({ text, inPacket: scannedThere });
      }
      if (!("refused" in (scanned as object))) {
        accepted += 1;
        const found = textsOf(bytes, readJsonObject(bytes));
        if (!Bun.deepEquals(found, textsOf(bytes, scanObject(bytes)))) {
          expect({ text, found }).toEqual({ text, found: textsOf(bytes, scanObject(bytes)) });
        }
      }
    }
    // Bodies of both kinds were among them.
    expect(accepted).toBeGreaterThan(bodies / 10);
    expect(accepted).toBeLessThan((bodies * 9) / 10);
  }, 600_000);

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
