import { describe, expect, test } from "bun:test";
import { encodeSseEvent } from "@sluice/sse/encode";
import { type SseEvent, SseLimitError } from "@sluice/sse/model";
import { SseParser } from "@sluice/sse/parse";
import fc from "fast-check";

const { TEST_FULL } = process.env;
const runs = TEST_FULL === "1" ? 3_000 : 200;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function parseAll(packets: readonly Uint8Array[]): SseEvent[] {
  const parser = new SseParser();
  return [...packets.flatMap((packet) => parser.push(packet)), ...parser.end()];
}

const parseText = (text: string): SseEvent[] => parseAll([bytesOf(text)]);
const event = (data: string, name = "", id = ""): SseEvent => ({ event: name, data, id });

/** The bytes cut at the given places, which are taken modulo the length. */
function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((one, other) => one - other);
  return [...cuts, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : cuts[index - 1], end));
}

describe("events of one stream", () => {
  test.each<[string, string, SseEvent[]]>([
    ["a single data line", "data: a\n\n", [event("a")]],
    ["a value without a space, and one that loses only its first space", "data:a\ndata:  b\n\n", [event("a\n b")]],
    ["several data lines are joined by line feeds", "data: a\ndata: b\ndata\n\n", [event("a\nb\n")]],
    ["a named event", "event: ping\ndata: {}\n\n", [event("{}", "ping")]],
    ["a name counts for one event only", "event: x\ndata: a\n\ndata: b\n\n", [event("a", "x"), event("b")]],
    ["an event without data is none, and takes its name with it", "event: x\n\ndata: a\n\n", [event("a")]],
    ["an empty data line is data", "data:\n\n", [event("")]],
    ["comments are passed over", ": keep awake\n\ndata: a\n:b\ndata: c\n\n", [event("a\nc")]],
    ["unknown fields are passed over", "foo: 1\ndata: a\nbar\n\n", [event("a")]],
    [
      "an id stays until the next one",
      "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
      [event("a", "", "1"), event("b", "", "1"), event("c")],
    ],
    [
      "an id with NUL is passed over",
      "id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n",
      [event("a", "", "1"), event("b", "", "1")],
    ],
    ["lines that end in CR", "data: a\rdata: b\r\r", [event("a\nb")]],
    ["lines that end in CRLF", "event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", [event("a", "x"), event("b")]],
    ["line ends of all kinds in one stream", "data: a\r\ndata: b\rdata: c\n\r\n", [event("a\nb\nc")]],
    ["a byte order mark at the beginning only", "\uFEFFdata: \uFEFFa\n\n", [event("\uFEFFa")]],
    ["many empty lines", "\n\n\ndata: a\n\n\n\n", [event("a")]],
    ["colons within the value", "data: a: b:c\n\n", [event("a: b:c")]],
  ])("%s", (_rule, text, expected) => {
    expect(parseText(text)).toEqual(expected);
    // The same in packets of a single byte.
    expect(parseAll([...bytesOf(text)].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  test("the reconnection time is read when it is a number and kept otherwise", () => {
    const parser = new SseParser();
    expect(parser.retryMs).toBeNull();
    parser.push(bytesOf("retry: 1500\n\nretry: soon\n\nretry: -1\n\n"));
    expect(parser.retryMs).toBe(1_500);
  });

  test("an event is told as soon as its empty line is there", () => {
    const parser = new SseParser();
    expect(parser.push(bytesOf("data: a\n"))).toEqual([]);
    expect(parser.push(bytesOf("\ndata: b\n\nda"))).toEqual([event("a"), event("b")]);
    expect(parser.push(bytesOf("ta: c\r"))).toEqual([]);
    expect(parser.push(bytesOf("\n\r"))).toEqual([event("c")]);
    expect(parser.push(bytesOf("\ndata: d\n\n"))).toEqual([event("d")]);
  });

  test("at the end the last event is told even when its empty line or its line end is missing", () => {
    expect(parseText("data: a\n\ndata: [DONE]")).toEqual([event("a"), event("[DONE]")]);
    expect(parseText("data: [DONE]\n")).toEqual([event("[DONE]")]);
    expect(parseText("event: x\n")).toEqual([]);
  });

  test("bytes that are no UTF-8 become replacement characters and harm nothing else", () => {
    const bytes = new Uint8Array([...bytesOf("data: "), 0xff, 0xc3, ...bytesOf("\n\ndata: b\n\n")]);
    expect(parseAll([bytes])).toEqual([event("\uFFFD\uFFFD"), event("b")]);
  });
});

describe("packets", () => {
  const line = fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replace(/[\r\n\uFEFF]/g, " "));
  const fields = fc.oneof(
    fc.tuple(fc.constantFrom("data", "event", "id", "note"), line).map(([name, value]) => `${name}: ${value}`),
    line.map((text) => `: ${text}`),
    fc.constant(""),
  );
  const streams = fc
    .array(fc.tuple(fields, fc.constantFrom("\n", "\r", "\r\n")), { maxLength: 30 })
    .map((lines) => lines.flat().join(""));

  test("any split of the bytes gives the same events", () => {
    fc.assert(
      fc.property(streams, fc.array(fc.nat(), { maxLength: 12 }), (text, places) => {
        const bytes = bytesOf(text);
        expect(parseAll(cutAt(bytes, places))).toEqual(parseAll([bytes]));
      }),
      { numRuns: runs },
    );
  });

  test("what is encoded is read back, whatever the data holds", () => {
    const name = fc.string({ unit: "grapheme", maxLength: 10 }).map((text) => text.replace(/[\r\n\0\uFEFF]/g, ""));
    const events = fc.array(fc.record({ data: fc.string({ unit: "binary" }), event: name, id: name }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(events, fc.array(fc.nat(), { maxLength: 6 }), (sent, places) => {
        const bytes = bytesOf(sent.map(encodeSseEvent).join(""));
        const read = parseAll(cutAt(bytes, places));
        const clean = (text: string) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(text));
        expect(read).toEqual(
          sent.map((one) => ({
            ...one,
            data: clean(one.data.replace(/\r\n|\r/g, "\n")),
            event: clean(one.event),
            id: clean(one.id),
          })),
        );
      }),
      { numRuns: runs },
    );
  });
});

describe("limits", () => {
  const limits = { lineLengthMax: 20, eventLengthMax: 30 };

  function limitOf(packets: readonly string[]): SseLimitError | null {
    const parser = new SseParser(limits);
    try {
      for (const packet of packets) {
        parser.push(bytesOf(packet));
      }
    } catch (error) {
      if (error instanceof SseLimitError) {
        expect(() => parser.push(bytesOf("data: a\n\n"))).toThrow(SseLimitError);
        return error;
      }
      throw error;
    }
    return null;
  }

  test("a line up to the limit is read", () => {
    expect(limitOf([`data: ${"x".repeat(14)}\n\n`])).toBeNull();
  });

  test.each<[string, string[]]>([
    ["in one packet", [`data: ${"x".repeat(15)}\n\n`]],
    ["before its end came", [`data: ${"x".repeat(30)}`]],
    ["over many packets", ["data: ", "x".repeat(8), "x".repeat(8), "x".repeat(8)]],
    ["also as a comment", [`: ${"x".repeat(30)}\n`]],
  ])("a longer line is refused with its limit, %s, and nothing is read any more", (_how, packets) => {
    expect(limitOf(packets)).toMatchObject({ limit: "line", lengthMax: 20 });
  });

  test("an event whose lines together are too long is refused", () => {
    expect(limitOf(["data: 0123456789\n", "data: 0123456789\n", "data: 01234567\n"])).toBeNull();
    expect(limitOf(["data: 0123456789\n", "data: 0123456789\n", "data: 0123456789\n"])).toMatchObject({
      limit: "event",
      lengthMax: 30,
    });
  });
});
