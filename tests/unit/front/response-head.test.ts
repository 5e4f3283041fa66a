import { expect, test } from "bun:test";
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

const textOf = (...given: Parameters<typeof writeHead>) => writeHead(...given).written.toString("latin1");

test("a head has every header but those of the connection, in order, whatever the heads before had", () => {
  fc.assert(
    fc.property(fc.array(response, { minLength: 1, maxLength: 6 }), (responses) => {
      for (const { status, headers, more, length, isLast } of responses) {
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
    }),
    { numRuns: 300 },
  );
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
