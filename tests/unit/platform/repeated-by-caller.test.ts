import { describe, expect, test } from "bun:test";
import { toAppError } from "@sluice/control-plane/platform/errors.ts";
import { type ReadObject, scanObject } from "@sluice/control-plane/platform/read-json.ts";
import { RepeatedByCaller } from "@sluice/control-plane/platform/repeated-by-caller.ts";
import { mutate } from "../../support/values/json-mutants.ts";
import { testRandom } from "../../support/values/test-seed.ts";

const bodies = process.env["TEST_FULL"] === "1" ? 300_000 : 1_500;
const names = ["tools", "system"];
const pad = `"pad":"${"x".repeat(4_096)}"`;
const long = "a text: with colons, ".repeat(60);
const schema = `{"type":"object","tools":[{"tools":["a"]}],"text":${JSON.stringify(long)}}`;
/** Values that come again and again. */
const values = [
  `[{"type":"function","function":{"name":"one","parameters":${schema}}}]`,
  `[{"type":"function","function":{"name":"two","parameters":${schema}}}]`,
  `[ {"é":"中:", "a":[[],{}]} , ${schema} ]`,
  JSON.stringify(`${long}"tools":[1] and \\ "tools": [2]`),
  `["]", "[\\"", "\\\\", ${schema}]`,
  '[{"type":"function"}]',
];

const reading = (repeated: RepeatedByCaller<string>, caller: string) => (bytes: Buffer) =>
  repeated.readerFor(caller, bytes.length)(bytes);
const toolsOf = (read: ReadObject): unknown => read.fields["tools"];
const body = (...members: string[]): Buffer => Buffer.from(`{${[...members, pad].join(",")}}`);

/** What a reader makes of a body: its values, or why it is refused. */
function verdictOf(read: (bytes: Buffer) => ReadObject, bytes: Buffer): unknown {
  try {
    return read(bytes).fields;
  } catch (error) {
    const { code, message } = toAppError(error);
    return { refused: code, message };
  }
}

/** A body with the fields, within others, within strings, twice, or broken. @param usual the value that most fields have */
function randomBody(random: () => number, usual: string): Buffer {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const label = () => `${pick(['"tools"', '"tools"', '"tools"', '"system"'])}${pick([":", ":", ":", ": ", " :"])}`;
  const field = () => `${label()}${random() < 0.8 ? usual : pick(values)}`;
  const member = () => {
    const kind = random();
    if (kind < 0.6) {
      return field();
    }
    const text = pick([`"a":{${field()}}`, `"b":[{${field()}}]`, `"c":${JSON.stringify(`,${field()}`)}`, '"d":1']);
    return kind < 0.95
      ? text
      : pick([`"e":"x,${field()}`, `"f\\",${field()}`, `"g":"{"tools":${pick(values)}`, '"d":1']);
  };
  const members = Array.from({ length: 1 + Math.floor(random() * 2.5) }, member);
  const between = pick([",", ",", ", ", "\n,"]);
  let bytes = Buffer.from(`{${[...members, pad].join(between)}}`);
  for (let turns = random() < 0.7 ? 0 : 1 + Math.floor(random() * 2); turns > 0; turns -= 1) {
    bytes = Buffer.from(mutate(bytes, random));
  }
  return bytes;
}

describe("a body of a caller who repeats long values", () => {
  test("is read as if it were the first one: the same verdict, values and error", () => {
    const random = testRandom();
    let repeated = new RepeatedByCaller<string>(names);
    const read = new Set<unknown>();
    let known = 0;
    let refused = 0;
    for (let index = 0; index < bodies; index += 1) {
      repeated = index % 300 === 0 ? new RepeatedByCaller<string>(names) : repeated;
      const bytes = randomBody(random, values[Math.floor(index / 100) % values.length] ?? "");
      const found = verdictOf(reading(repeated, "a"), bytes);
      const scanned = verdictOf(scanObject, bytes);
      if (!Bun.deepEquals(found, scanned, true)) {
        const text = bytes.toString();
        expect({ text, found }).toEqual({ text, found: scanned });
      }
      const { tools, refused: code } = found as { tools?: unknown; refused?: string };
      known += typeof tools === "object" && read.has(tools) ? 1 : 0;
      refused += code === undefined ? 0 : 1;
      read.add(tools);
    }
    // Bodies of each kind were among them.
    expect(known).toBeGreaterThan(bodies / 20);
    expect(refused).toBeGreaterThan(bodies / 10);
    expect(refused).toBeLessThan((bodies * 9) / 10);
  }, 600_000);

  test("has the value that was parsed before, from the third time on", () => {
    const read = reading(new RepeatedByCaller<string>(names), "a");
    const text = `"tools":${values[0]}`;
    const [first, second, third, fourth] = [1, 2, 3, 4].map((n) => toolsOf(read(body(`"n":${n}`, text, `"m":${n}`))));
    expect(third).toEqual(first);
    expect(fourth).toBe(third);
    expect(third).not.toBe(second);
  });

  test("has a second value that was parsed before, though the first one was known earlier", () => {
    const read = reading(new RepeatedByCaller<string>(names), "a");
    const text = [`"tools":${values[0]}`, `"system":${values[2]}`];
    for (let turn = 0; turn < 3; turn += 1) {
      read(body(text[0] ?? ""));
    }
    const both = [1, 2, 3, 4].map(() => read(body(...text)).fields);
    expect(both[3]).toEqual(both[0] ?? {});
    expect(both[3]?.["system"]).toBe(both[2]?.["system"]);
    expect(both[3]?.["tools"]).toBe(both[0]?.["tools"]);
  });

  test.each([
    ["another byte", `"tools":${values[1]}`],
    ["a field more in the list", `"tools":${values[0]?.replace('"one"', '"one","x":1')}`],
    ["a longer list", `"tools":${values[0]?.replace(/\]$/, ",1]")}`],
    ["another depth", `"tools":[1],"a":{"tools":${values[0]}}`],
    ["a known value first within another field", `"a":{"tools":${values[0]}},"tools":[1]`],
  ])("has its own value if it differs by %s", (_, text) => {
    const read = reading(new RepeatedByCaller<string>(names), "a");
    for (let turn = 0; turn < 3; turn += 1) {
      read(body(`"tools":${values[0]}`));
    }
    const other = body(text);
    expect(read(other).fields).toEqual(JSON.parse(other.toString()));
  });

  test("has the longer value that was parsed before, if a shorter known one is within it", () => {
    const read = reading(new RepeatedByCaller<string>(names), "a");
    for (let turn = 0; turn < 3; turn += 1) {
      read(body(`"tools":${values[0]}`));
    }
    const system = `"system":[{"tools":${values[0]}},${JSON.stringify(long)}]`;
    const systems = [1, 2, 3, 4].map(() => read(body(system)).fields["system"]);
    expect(systems[3]).toEqual(systems[0]);
    expect(systems[3]).toBe(systems[2]);
  });

  test("is refused if the field with the known value occurs twice", () => {
    const read = reading(new RepeatedByCaller<string>(names), "a");
    const text = `"tools":${values[0]}`;
    for (let turn = 0; turn < 3; turn += 1) {
      read(body(text));
    }
    expect(() => read(body(text, text))).toThrow("A field occurs twice in the request body.");
    expect(() => read(body('"tools":1', text))).toThrow("A field occurs twice in the request body.");
  });

  test("has nothing from the bodies of another caller", () => {
    const repeated = new RepeatedByCaller<string>(names);
    const text = `"tools":${values[0]}`;
    const byCaller = ["a", "b"].map((caller) => {
      const read = reading(repeated, caller);
      read(body(text));
      read(body(text));
      return toolsOf(read(body(text)));
    });
    expect(byCaller[1]).toEqual(byCaller[0]);
    expect(byCaller[1]).not.toBe(byCaller[0]);
  });
});

describe("the values of callers", () => {
  test("take no more than their memory: those of the callers who were idle for longest are forgotten", () => {
    const readThrice = (caller: number, by = repeated): unknown[] =>
      [1, 2, 3].map(() => {
        const bytes = body(`"tools":${values[0]}`);
        return toolsOf(by.readerFor(caller, bytes.length)(bytes));
      });
    const alone = new RepeatedByCaller<number>(names);
    readThrice(0, alone);
    const most = 10 * alone.bytes;
    const repeated = new RepeatedByCaller<number>(names, most);
    const kept = readThrice(0)[2];
    for (let caller = 1; caller < 40; caller += 1) {
      readThrice(caller);
      expect(repeated.bytes).toBeLessThanOrEqual(most);
      if (caller < 20) {
        expect(readThrice(0)[0]).toBe(kept);
      }
    }
    expect(repeated.bytes).toBe(most);
    expect(readThrice(0)[0]).not.toBe(kept);
  });

  test("count for about the memory that they take, even if they are nothing but empty objects", () => {
    const text = JSON.stringify(Array.from({ length: 20_000 }, () => ({})));
    const repeated = new RepeatedByCaller<string>(names);
    const read = reading(repeated, "a");
    for (let turn = 0; turn < 3; turn += 1) {
      read(body(`"tools":${text}`));
    }
    // 24 times the text, measured, and the text.
    expect(repeated.bytes).toBeGreaterThan(25 * text.length);
  });

  test("are forgotten once their caller was idle for ten minutes", () => {
    const repeated = new RepeatedByCaller<string>(names);
    const minuteMs = 60_000;
    const readBy = (caller: string) => toolsOf(reading(repeated, caller)(body(`"tools":${values[0]}`)));
    for (let turn = 0; turn < 3; turn += 1) {
      readBy("idle");
      readBy("busy");
    }
    const kept = readBy("busy");
    repeated.forgetIdle(6 * minuteMs);
    const bytesOfBoth = repeated.bytes;
    expect(readBy("busy")).toBe(kept);
    repeated.forgetIdle(11 * minuteMs);
    expect(readBy("busy")).toBe(kept);
    expect(repeated.bytes).toBe(bytesOfBoth / 2);
    repeated.forgetIdle(60 * minuteMs);
    expect(repeated.bytes).toBe(0);
  });

  test("are not kept again and again if none of them comes back, but tried once in a while", () => {
    const repeated = new RepeatedByCaller<string>(names);
    const readOf = (index: number) => {
      const bytes = body(`"tools":[${JSON.stringify(long)},${index}]`);
      return toolsOf(repeated.readerFor("a", bytes.length)(bytes));
    };
    for (let index = 0; index < 40; index += 1) {
      expect(readOf(index)).toEqual([long, index]);
    }
    const [first, second, third] = [readOf(40), readOf(40), readOf(40)];
    expect(third).toEqual(first);
    expect(third).not.toBe(second);
    for (let turn = 0; turn < 64; turn += 1) {
      readOf(40);
    }
    expect(readOf(40)).toBe(readOf(40));
  });
});
