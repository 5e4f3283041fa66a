import { describe, expect, test } from "bun:test";
import { KnownTail } from "@sluice/control-plane/gateway/usage-count/known-tail.ts";
import fc from "fast-check";

const before = '{"id":"chatcmpl-1","choices":[{"index":0,"message":{"content":"12"}}],';
const restOf = (text: string) => JSON.parse(`{${text}`) as Record<string, unknown>;

/** What is read of a tail after another one was parsed. */
function readAfter(known: string, tail: string): unknown {
  const memory = new KnownTail();
  memory.keep(Buffer.from(known));
  const body = Buffer.from(before + tail);
  return memory.read(body, before.length);
}

const usage =
  '"usage": {"prompt_tokens":19,"details":{"cached_tokens":0,"text":"5 of \\"6\\""},"total_tokens":29},"fp":"fp_7"}';

describe("a tail", () => {
  test("that differs in its counts alone is read as if it were parsed", () => {
    const memory = new KnownTail();
    memory.keep(Buffer.from(usage));
    for (const [prompt, cached, total] of [
      [0, 7, 1],
      [123_456, 0, 999_999_999_999_999],
      [1, 1, 1],
    ]) {
      const next = usage.replace(":19", `:${prompt}`).replace(":0", `:${cached}`).replace(":29", `:${total}`);
      expect(memory.read(Buffer.from(before + next), before.length)).toEqual(restOf(next));
    }
  });

  test.each([
    ["another name", usage.replace("prompt", "Prompt")],
    ["another text", usage.replace("fp_7", "fp_8")],
    ["a count in a text", usage.replace("5 of", "6 of")],
    ["a negative count", usage.replace("19", "-19")],
    ["a fraction", usage.replace("19", "19.5")],
    ["an exponent", usage.replace("19", "19e3")],
    ["a leading zero", usage.replace("19", "019")],
    ["more digits than are exact", usage.replace("19", "9999999999999999")],
    ["no count", usage.replace("19", "")],
    ["null instead", usage.replace("19", "null")],
    ["more after it", `${usage} `],
    ["less after it", usage.slice(0, -1)],
    ["nothing at all", ""],
  ])("with %s is left to the parser", (_what, tail) => {
    expect(readAfter(usage, tail)).toBeNull();
  });

  test.each([
    ["a name that occurs twice", '"usage":{"a":1,"a":2}}'],
    ["a name that occurs again with a number like a mark", '"usage":{"a":1,"a":9000000000000000}}'],
    ["names that are numbers", '"usage":{"2":1,"1":2}}'],
    ["an exponent", '"usage":{"a":1e2}}'],
    ["more bytes than are kept", `"usage":{"a":1,"b":"${"x".repeat(2_048)}"}}`],
    ["more counts than are kept", `"usage":{"a":[${Array(65).fill("1").join()}]}}`],
  ])("with %s is not kept", (_what, tail) => {
    expect(readAfter(tail, tail)).toBeNull();
  });

  test("whose text changes with every response is kept no more after a hundred times", () => {
    const memory = new KnownTail();
    const tailOf = (number: number) => Buffer.from(`"usage":{"a":1},"fp":"${number}"}`);
    for (let number = 1; number <= 101; number += 1) {
      memory.keep(tailOf(number));
    }
    expect(memory.read(tailOf(101), 0)).toBeNull();
    expect(memory.read(tailOf(100), 0)).toEqual({ usage: { a: 1 }, fp: "100" });
  });

  test("of any form is read as the parser reads it, or not at all", () => {
    const count = fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: "small" }, count, fc.string(), fc.constant(null), tie("list"), tie("object")),
      list: fc.array(tie("any"), { maxLength: 4 }),
      object: fc.dictionary(fc.string({ maxLength: 4 }), tie("any"), { maxKeys: 5 }),
    })).object;
    const digits = fc.array(fc.tuple(fc.nat({ max: 400 }), fc.constantFrom(..."0123456789-.e")), { maxLength: 3 });
    fc.assert(
      fc.property(value, digits, (known, changes) => {
        const text = JSON.stringify({ usage: known }).slice(1);
        const changed = [...text];
        for (const [at, digit] of changes) {
          const place = at % changed.length;
          changed[place] = /[0-9]/.test(changed[place] ?? "") ? digit : (changed[place] ?? "");
        }
        const tail = changed.join("");
        const read = readAfter(text, tail);
        if (read !== null) {
          expect(read).toEqual(restOf(tail));
        }
      }),
    );
  });
});
