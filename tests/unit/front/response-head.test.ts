import { expect, setSystemTime, test } from "bun:test";
import { STATUS_CODES } from "node:http";
import { writeHead } from "@sluice/control-plane/front/response-head.ts";
import fc from "fast-check";

const names = ["content-type", "x-request-id", "connection", "x-a", "retry-after"];
const value = fc.string({ unit: fc.constantFrom("a", "7", " ", "\t", ";", "\xff", "é"), maxLength: 6 });
const fields = fc.dictionary(fc.constantFrom(...names), value);
const response = fc.record({
  status: fc.constantFrom(200, 201, 400, 429, 599),
  headers: fields,
  more: fields,
  length: fc.option(fc.constantFrom(0, 9, 10, 99, 100, 1_069, 4_294_967_296)),
  isLast: fc.boolean(),
});

type Given = { status: number; headers: Record<string, string>; more: Record<string, string> } & Framing;
type Framing = Parameters<typeof writeHead>[3];

const textOf = (...given: Parameters<typeof writeHead>) => writeHead(...given).written.toString("latin1");

function expectHead({ status, headers, more, length, isLast }: Given): void {
  const all = [...Object.entries(headers), ...Object.entries(more)];
  const lines = all.filter(([name]) => name !== "connection");
  const expected = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}`,
    ...lines.map(([name, text]) => `${name}: ${text}`),
    "date: now",
    length === null ? "transfer-encoding: chunked" : `content-length: ${length}`,
    ...(isLast ? ["connection: close"] : []),
  ];
  const head = textOf(status, headers, more, { length, isLast });
  expect(head.replace(/date: [^\r]+ GMT/, "date: now")).toBe(`${expected.join("\r\n")}\r\n\r\n`);
}

test("a head has every header but those of the connection, in order, whatever the heads before had", () => {
  fc.assert(
    fc.property(fc.array(response, { minLength: 1, maxLength: 6 }), (responses) => {
      for (const each of responses) {
        expectHead(each);
      }
    }),
    { numRuns: 300 },
  );
});

/** Heads that differ in a few values, like those of one service, each with a body after it. */
const alike = fc.record({
  given: fc.record({
    status: fc.constantFrom(200, 200, 200, 429),
    headers: fc.record(
      { "content-type": fc.constantFrom("json", "text"), "x-left": fc.constantFrom("7", "8", "10"), "x-id": value },
      { requiredKeys: ["content-type", "x-left"] },
    ),
    more: fc.constantFrom<Record<string, string>>({}, { "x-a": "a" }, { "x-a": "b" }),
    length: fc.constantFrom(null, 9, 98, 99, 99),
    isLast: fc.constantFrom(false, false, true),
  }),
  bad: fc.constantFrom(null, null, "json\n", "j\ron"),
  bodyBytes: fc.constantFrom(0, 3, 9_000),
});

test("a head that is like the one before has its own values, with bodies between them and heads that failed", () => {
  fc.assert(
    fc.property(fc.array(alike, { minLength: 2, maxLength: 12 }), (responses) => {
      for (const { given, bad, bodyBytes } of responses) {
        const { headers, more, ...framing } = given;
        if (bad !== null) {
          expect(() => textOf(given.status, { ...headers, "content-type": bad }, more, framing)).toThrow(TypeError);
        }
        expectHead({ ...given, headers: { ...headers } });
        writeHead(given.status, { ...headers }, more, framing).addBody(new Uint8Array(bodyBytes).fill(0x61));
      }
    }),
    { numRuns: 1_000 },
  );
});

test("each head has its own length, whichever came before", () => {
  for (const length of [98, 99, 98, null, 98, 100, 98, 0, 9, 10]) {
    expectHead({ status: 200, headers: { "x-a": "a" }, more: {}, length, isLast: false });
  }
});

test("the time in a head is that of its second, and the rest stays", () => {
  setSystemTime(new Date("2026-11-30T00:00:00Z"));
  try {
    const write = () => textOf(200, { "x-a": "a" }, {}, { length: 5, isLast: false });
    const first = write();
    expect(first).toContain("date: Mon, 30 Nov 2026 00:00:00 GMT\r\n");
    setSystemTime(new Date("2026-11-30T00:00:01Z"));
    expect(write()).toBe(first.replace("00:00:00 GMT", "00:00:01 GMT"));
  } finally {
    setSystemTime();
  }
});

test("a value that would end its line, or that no byte can carry, is never written, nor remembered", () => {
  const write = (text: string) => textOf(200, { "x-b": text }, {}, { length: 0, isLast: false });
  for (const bad of ["a\r\nx-c: d", "a\n", "\r", "\0", "\x7f", "\u0100", "\u{1f600}"]) {
    expect(() => write(bad)).toThrow(TypeError);
    expect(() => write(bad)).toThrow(TypeError);
    expect(write("a")).toContain("x-b: a\r\n");
  }
});

test("a head that is longer than any before is whole", () => {
  const long = "a".repeat(100_000);
  const head = textOf(200, { "x-a": long, "x-c": long }, {}, { length: 0, isLast: false });
  expect(head).toStartWith(`HTTP/1.1 200 OK\r\nx-a: ${long}\r\nx-c: ${long}\r\ndate: `);
});
