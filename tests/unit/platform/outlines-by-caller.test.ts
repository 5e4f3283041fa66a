import { describe, expect, test } from "bun:test";
import { OutlinesByCaller } from "@sluice/control-plane/platform/outlines-by-caller.ts";
import { type ReadObject, readJsonObject, scanObject } from "@sluice/control-plane/platform/read-json.ts";
import { findOutline, outlineOf } from "@sluice/control-plane/platform/text-outline.ts";
import { PacketPart } from "@sluice/http-client/packet-part";
import { bodyMutant, mutate } from "../../support/values/json-mutants.ts";
import { testRandom } from "../../support/values/test-seed.ts";

type Fields = Record<string, unknown>;

const bodies = process.env["TEST_FULL"] === "1" ? 400_000 : 6_000;
const fields = ["system", "messages"];

/** A body within a packet, between bytes that would change what it means. */
function within(body: Buffer | string): PacketPart {
  const before = Buffer.from("host: a\r\n\r\n");
  const bytes = Buffer.from(body);
  const packet = Buffer.concat([before, bytes, Buffer.from(':\\"}]"')]);
  return new PacketPart(packet, before.length, before.length + bytes.length);
}

/** Texts of a value that may differ are removed: its own, and those of its items as `content` or `text`. */
function emptied(value: unknown, depth = 0): unknown {
  if (typeof value === "string") {
    return "";
  }
  if (!Array.isArray(value) || depth === 2) {
    return value;
  }
  return value.map((item: unknown) => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) {
      return item;
    }
    const { ...changed } = item as Fields;
    for (const name of ["content", "text"].filter((each) => each in changed)) {
      changed[name] = emptied(changed[name], depth + 1);
    }
    return changed;
  });
}

function withoutTexts(read: Fields): Fields {
  return Object.fromEntries(
    Object.entries(read).map(([name, value]) => [name, fields.includes(name) ? emptied(value) : value]),
  );
}

/** What is known of a body, after a parser has accepted or refused it. */
function meet(outlines: OutlinesByCaller<string>, body: PacketPart, caller = "a"): ReadObject | null {
  const known = outlines.find(caller, body, fields);
  if (known !== null) {
    return known.read;
  }
  scanObject(body.view);
  outlines.learn(caller, body, fields);
  return null;
}

function isAccepted(bytes: Buffer): boolean {
  try {
    return readJsonObject(bytes) !== null;
  } catch {
    return false;
  }
}

const chat = (...texts: string[]): string =>
  `{"model":"m","messages":[${texts.map((text) => `{"role":"user","content":"${text}"}`).join(",")}],"n":1}`;

/** A caller whose bodies have this outline. */
function knowing(...known: string[]): OutlinesByCaller<string> {
  const outlines = new OutlinesByCaller<string>();
  for (const body of [chat(), ...known]) {
    meet(outlines, within(body));
  }
  return outlines;
}

describe("a body of a caller with a known outline", () => {
  test("says what it would say if it were parsed, apart from its texts, and nothing else is taken for one", () => {
    const random = testRandom();
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    const texts = ["", "plain: text", '\\n\\t\\\\ \\"', "é中😀", "\\u003a\\ud83d", "x".repeat(40), "\u007f", '\\"}]'];
    const text = () => `"${pick(texts)}"`;
    const messages = [
      () => `{"role":"user","content":${text()}}`,
      () => `{"role":"user","content":[{"type":"text","text":${text()}},{"type":"x","url":"u"}]}`,
      () => `{ "content" : ${text()} , "text" : 1 }`,
      () => `{"c\\u006fntent":${text()},"name":"n"}`,
      () => '["text"]',
      () => '"text"',
    ];
    const shapeOf = () => {
      const list = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(messages));
      return () => `{"system":${text()},"model":"m","messages": [${list.map((make) => make()).join(",")}],"n":[1]}`;
    };
    let shapes = [shapeOf()];
    let outlines = new OutlinesByCaller<string>();
    let [known, refused] = [0, 0];
    for (let index = 0; index < bodies; index += 1) {
      if (index % 100 === 0) {
        outlines = new OutlinesByCaller<string>();
        shapes = [shapeOf(), shapeOf()];
      }
      let bytes = Buffer.from(pick(shapes)());
      for (let turns = random() < 0.6 ? 0 : 1 + Math.floor(random() * 2); turns > 0; turns -= 1) {
        bytes = Buffer.from(mutate(bytes, random));
      }
      const part = within(bytes);
      try {
        const read = meet(outlines, part);
        known += read === null ? 0 : 1;
        if (read !== null) {
          expect(read.fields).toEqual(withoutTexts(scanObject(bytes).fields));
        }
      } catch (error) {
        refused += 1;
        if (!(error instanceof Error) || error.name !== "AppError") {
          throw error;
        }
      }
    }
    // Bodies of each kind were among them.
    expect(known).toBeGreaterThan(bodies / 20);
    expect(refused).toBeGreaterThan(bodies / 20);
  }, 600_000);

  test("has it if it has taught it, whatever JSON it is", () => {
    const random = testRandom();
    let taught = 0;
    for (let index = 0; index < bodies / 4; index += 1) {
      const one = bodyMutant(random).toString("latin1");
      const other = bodyMutant(random).toString("latin1");
      const list = `[{"content":"x","a":${one}},${other},{"content":[${one},{"text":"y"}]}]`;
      const bytes = Buffer.from(`{"model":[${other}],"messages":${list},"system":${one}}`, "latin1");
      const outline = isAccepted(bytes) ? outlineOf(bytes, fields) : null;
      if (outline !== null && bytes.length < 16_000) {
        taught += 1;
        const text = bytes.toString("latin1");
        expect({ text, found: findOutline([outline], bytes, fields) }).toEqual({ text, found: 0 });
      }
    }
    expect(taught).toBeGreaterThan(bodies / 40);
  }, 600_000);

  test.each([
    ["another number", chat("hello").replace('"n":1', '"n":2')],
    ["another role", chat("hello").replace("user", "tool")],
    ["a field more", chat("hello").replace('"n":1', '"n":1,"o":1')],
    ["a field twice", chat("hello").replace('"n":1', '"n":1,"n":1')],
    ["a message more", chat("hello", "there")],
    ["a field in its message", chat('hello","name":"x')],
    ["bytes after its end", `${chat("hello")} `],
    ["a control character in its text", chat("hello\n")],
    ["a control character after an escape", chat("\\nhello\u0001")],
    ["an escape that does not exist", chat("hello\\x")],
    ["a number of a character that is too short", chat("hello\\u12")],
    ["a text that ends in a backslash", chat("hello\\")],
    ["another encoding", Buffer.from(chat("caf\u00e9 \\n"), "latin1")],
    ["a broken character", Buffer.from(chat("caf\u00e9"), "latin1")],
  ])("differs from one with %s", (_, body) => {
    const outlines = knowing(chat("hello"));
    expect(outlines.find("a", within(chat("good bye")), fields)).not.toBeNull();
    expect(outlines.find("a", within(Buffer.from(body)), fields)).toBeNull();
  });

  test("may have texts of any length and in any script, with escapes", () => {
    const outlines = knowing(chat("hello"));
    for (const text of ["", "x".repeat(16_000), "中文 é 😀", 'a\\nb \\u00e9 \\ud83d \\" \\\\', "\u007f"]) {
      expect(outlines.find("a", within(chat(text)), fields)?.read.fields).toEqual(JSON.parse(chat("")));
    }
  });

  test("is parsed if it is longer than the memory in which bodies are compared", () => {
    const outlines = knowing(chat("hello"));
    expect(outlines.find("a", within(chat("x".repeat(16_384))), fields)).toBeNull();
  });

  test("is known beside those of three other outlines", () => {
    const four = [chat("a"), chat("a", "b"), chat("a", "b", "c"), chat("a", "b", "c", "d")];
    const outlines = new OutlinesByCaller<string>();
    meet(outlines, within(chat("first")));
    for (const body of four) {
      meet(outlines, within(body));
      for (let turn = 0; turn < 20; turn += 1) {
        meet(outlines, within(four[0] ?? ""));
      }
    }
    for (const body of four) {
      expect(outlines.find("a", within(body), fields)?.read.fields).toEqual(withoutTexts(JSON.parse(body)));
    }
  });

  test("is known to a caller of another operation, too, whose bodies have other texts", () => {
    const outlines = knowing(chat("hello"));
    const others = ["input"];
    const other = '{"input":"hello","messages":[]}';
    outlines.learn("a", within(other), others);
    expect(outlines.find("a", within(chat("good bye")), fields)).not.toBeNull();
    expect(outlines.find("a", within(other.replace("hello", "good bye")), others)).not.toBeNull();
    expect(outlines.find("a", within(other), fields)).toBeNull();
    expect(outlines.find("a", within(chat("hello")), others)).toBeNull();
  });

  test("may be in a packet whose other bytes are not text", () => {
    const outlines = knowing(chat("hello"));
    const body = Buffer.from(chat("caf\u00e9"));
    const packet = Buffer.concat([Buffer.from([0xff]), body, Buffer.from([0xff])]);
    expect(outlines.find("a", new PacketPart(packet, 1, 1 + body.length), fields)).not.toBeNull();
  });

  test("is not taken for a body of another caller, or of other fields", () => {
    const outlines = knowing(chat("hello"));
    expect(outlines.find("b", within(chat("hello")), fields)).toBeNull();
    expect(outlines.find("a", within(chat("hello")), ["messages"])).toBeNull();
  });
});

describe("the outlines of a caller", () => {
  test("are not looked for after bodies without one, and are learned again after 256 more", () => {
    const outlines = knowing(chat("hello"));
    for (let index = 0; index < 80; index += 1) {
      meet(outlines, within(`{"model":"m","n":${index}}`));
    }
    expect(outlines.find("a", within(chat("hello")), fields)).toBeNull();
    let untilKnown = 0;
    while (outlines.find("a", within(chat("hello")), fields) === null && untilKnown < 1_000) {
      meet(outlines, within(chat("hello")));
      untilKnown += 1;
    }
    expect(untilKnown).toBeGreaterThan(150);
    expect(untilKnown).toBeLessThan(260);
  });

  test("are not made for a body with more than its texts, nor for a single one", () => {
    const outlines = new OutlinesByCaller<string>();
    meet(outlines, within(chat("hello")));
    expect(outlines.bytes).toBe(0);
    meet(outlines, within(chat("hello").replace('"n":1', `"n":"${"x".repeat(4_096)}"`)));
    expect(outlines.bytes).toBe(0);
  });

  test("are not made for a body with more than 64 texts or items", () => {
    const outlines = new OutlinesByCaller<string>();
    const most = Array.from({ length: 64 }, () => "");
    const part = '{"type":"text"}';
    const parts = chat("hello").replace('"hello"', `[${part},${Array.from({ length: 64 }, () => part).join(",")}]`);
    for (const body of [chat("hello"), chat(...most, ""), parts]) {
      meet(outlines, within(body));
    }
    expect(outlines.bytes).toBe(0);
    meet(outlines, within(chat(...most)));
    expect(outlines.bytes).toBeGreaterThan(0);
  });

  test("are forgotten once their caller was idle for ten minutes", () => {
    const outlines = knowing(chat("hello"));
    meet(outlines, within(chat("hello")), "busy");
    outlines.forgetIdle(599_000);
    meet(outlines, within(chat("hello")), "busy");
    expect(outlines.find("a", within(chat("hello")), fields)).not.toBeNull();
    outlines.forgetIdle(1_000_000);
    expect(outlines.bytes).toBeGreaterThan(0);
    outlines.forgetIdle(1_300_000);
    expect(outlines.bytes).toBe(0);
    expect(outlines.find("a", within(chat("hello")), fields)).toBeNull();
  });

  test("of all callers take no more than 16 MB", () => {
    const outlines = new OutlinesByCaller<string>();
    const long = chat("hello").replace('"n":1', `"n":"${"x".repeat(3_900)}"`);
    for (let caller = 0; caller < 200; caller += 1) {
      meet(outlines, within(long), `${caller}`);
      meet(outlines, within(long), `${caller}`);
      expect(outlines.bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
    }
    expect(outlines.bytes).toBeGreaterThan(8 * 1024 * 1024);
    expect(outlines.find("0", within(long), fields)).toBeNull();
    expect(outlines.find("199", within(long), fields)).not.toBeNull();
  });
});
