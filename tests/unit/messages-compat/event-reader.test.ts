import { describe, expect, test } from "bun:test";
import { EventReader, isTooLong } from "@sluice/control-plane/messages-compat/event-reader.ts";
import fc from "fast-check";
import { encodeSseEvent } from "../../support/messages/sse-text.ts";

const { TEST_FULL } = process.env;
const runs = TEST_FULL === "1" ? 3_000 : 200;

type ReceivedEvent = { readonly event: string; readonly data: string };

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function parseAll(packets: readonly Uint8Array[]): ReceivedEvent[] {
  const parser = new EventReader();
  return [...packets.flatMap((packet) => parser.push(packet)), ...parser.end()];
}

const parseText = (text: string): ReceivedEvent[] => parseAll([bytesOf(text)]);
const event = (data: string, name = ""): ReceivedEvent => ({ event: name, data });

/** The bytes cut at the given places, which are taken modulo the length. */
function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((one, other) => one - other);
  return [...cuts, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : cuts[index - 1], end));
}

describe("events of one stream", () => {
  test.each<[string, string, ReceivedEvent[]]>([
    ["a single data line", "data: a\n\n", [event("a")]],
    ["a value without a space, and one that loses only its first space", "data:a\ndata:  b\n\n", [event("a\n b")]],
    ["several data lines are joined by line feeds", "data: a\ndata: b\ndata\n\n", [event("a\nb\n")]],
    ["a named event", "event: ping\ndata: {}\n\n", [event("{}", "ping")]],
    ["a name counts for one event only", "event: x\ndata: a\n\ndata: b\n\n", [event("a", "x"), event("b")]],
    ["an event without data is dropped together with its name", "event: x\n\ndata: a\n\n", [event("a")]],
    ["an empty data line is data", "data:\n\n", [event("")]],
    ["comments are skipped", ": keep awake\n\ndata: a\n:b\ndata: c\n\n", [event("a\nc")]],
    ["unknown fields are skipped", "foo: 1\ndata: a\nbar\n\n", [event("a")]],
    ["an id and a reconnection time are skipped", "id: 1\nretry: 5\nretry: soon\ndata: a\n\n", [event("a")]],
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

  test("an event is reported as soon as its empty line has arrived", () => {
    const parser = new EventReader();
    expect(parser.push(bytesOf("data: a\n"))).toEqual([]);
    expect(parser.push(bytesOf("\ndata: b\n\nda"))).toEqual([event("a"), event("b")]);
    expect(parser.push(bytesOf("ta: c\r"))).toEqual([]);
    expect(parser.push(bytesOf("\n\r"))).toEqual([event("c")]);
    expect(parser.push(bytesOf("\ndata: d\n\n"))).toEqual([event("d")]);
  });

  test("at the end the last event is reported even if its empty line or its line end is missing", () => {
    expect(parseText("data: a\n\ndata: [DONE]")).toEqual([event("a"), event("[DONE]")]);
    expect(parseText("data: [DONE]\n")).toEqual([event("[DONE]")]);
    expect(parseText("event: x\n")).toEqual([]);
  });

  test("bytes that are not UTF-8 become replacement characters and harm nothing else", () => {
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

  test("encoded events are read back, whatever their data contains", () => {
    const name = fc.string({ unit: "grapheme", maxLength: 10 }).map((text) => text.replace(/[\r\n\0\uFEFF]/g, ""));
    const events = fc.array(fc.record({ data: fc.string({ unit: "binary" }), event: name }), { maxLength: 5 });
    fc.assert(
      fc.property(events, fc.array(fc.nat(), { maxLength: 6 }), (sent, places) => {
        const bytes = bytesOf(sent.map(encodeSseEvent).join(""));
        const read = parseAll(cutAt(bytes, places));
        const clean = (text: string) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(text));
        expect(read).toEqual(
          sent.map((one) => ({ data: clean(one.data.replace(/\r\n|\r/g, "\n")), event: clean(one.event) })),
        );
      }),
      { numRuns: runs },
    );
  });
});

describe("the limit", () => {
  const heldLengthMax = 20;

  /** Whether the packets were refused; nothing is read after that. */
  function isRefused(packets: readonly string[]): boolean {
    const reader = new EventReader(heldLengthMax);
    try {
      for (const packet of packets) {
        reader.push(bytesOf(packet));
      }
    } catch (error) {
      expect(isTooLong(error)).toBe(true);
      expect(() => reader.push(bytesOf("data: a\n\n"))).toThrow();
      return true;
    }
    return false;
  }

  test("an event up to it is read, however it is split", () => {
    expect(isRefused([`data: ${"x".repeat(14)}`, "\n\n"])).toBe(false);
    expect(isRefused([..."data: 0123456789\ndata: 0123\n\n"])).toBe(false);
  });

  test.each<[string, string[]]>([
    ["before its end has come", [`data: ${"x".repeat(30)}`]],
    ["over many packets", ["data: ", "x".repeat(8), "x".repeat(8), "x".repeat(8)]],
    ["over many lines", ["data: 0123456789\n", "data: 0123456789\n", "data: 0"]],
  ])("a longer one is refused, %s", (_how, packets) => {
    expect(isRefused(packets)).toBe(true);
  });

  test("an endless comment is not kept at all", () => {
    expect(isRefused([": ", "x".repeat(30), "x".repeat(30)])).toBe(false);
  });
});
