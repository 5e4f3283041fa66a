import { describe, expect, test } from "bun:test";
import { type Http1ParseError, type Http1ResponseHead, KnownLines } from "@sluice/http-client/response-head";
import { Http1ResponseParser } from "@sluice/http-client/response-parser";
import fc from "fast-check";
import { cut, parsePieces } from "../../support/wire/parse-pieces.ts";

const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

describe("the pieces in which a response arrives", () => {
  const corpus = [
    `${ok}Content-Type: application/json\r\nContent-Length: 11\r\n\r\n{"a":"b"}\r\nsurplus`,
    `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${chunked}5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nT: 1\r\n\r\nHTTP/1.1`,
    `HTTP/1.0 404 Not Found\r\nX-A:\t1\r\nx-a: 2\r\n\r\nuntil the end`,
    "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
    `${ok}X-A: 1\r\n folded\r\n\r\n`,
    `${chunked}5\r\nhello\r\n5x\r\n`,
    `${ok}Content-Length: 40\r\n\r\ncut`,
  ];
  const numRuns = process.env["TEST_FULL"] === "1" ? 20_000 : 500;

  test("any split of a response gives the same events, however often its reader stops", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...corpus),
        fc.array(fc.nat({ max: 400 }), { maxLength: 12 }),
        fc.boolean(),
        fc.boolean(),
        (text, positions, isHeadRequest, isStopping) => {
          const bytes = Buffer.from(text, "latin1");
          expect(parsePieces(cut(bytes, positions), isHeadRequest, isStopping)).toEqual(
            parsePieces([bytes], isHeadRequest),
          );
        },
      ),
      { numRuns },
    );
  });

  test("any response built by the rules is read back, however it is framed and split", () => {
    const token = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,20}$/);
    const reserved = new Set(["content-length", "transfer-encoding", "connection", "keep-alive"]);
    const name = token.filter((text) => !reserved.has(text.toLowerCase()));
    const value = fc.stringMatching(/^(?:[!-~](?:[ !-~]{0,30}[!-~])?)?$/);
    const body = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, value), { maxLength: 12 }),
        body,
        fc.constantFrom("fixed", "chunked", "close"),
        fc.array(fc.nat({ max: 2000 }), { maxLength: 12 }),
        (headers, parts, framing, positions) => {
          const lines = headers.map(([key, text]) => `${key}: ${text}\r\n`).join("");
          const whole = Buffer.concat(parts);
          const content: Record<string, () => Buffer> = {
            fixed: () => Buffer.concat([Buffer.from(`Content-Length: ${whole.length}\r\n\r\n`), whole]),
            chunked: () =>
              Buffer.concat([
                Buffer.from("Transfer-Encoding: chunked\r\n\r\n"),
                ...parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]),
                Buffer.from("0\r\n\r\n"),
              ]),
            close: () => Buffer.concat([Buffer.from("\r\n"), whole]),
          };
          const bytes = Buffer.concat([Buffer.from(`${ok}${lines}`), content[framing]?.() ?? Buffer.alloc(0)]);
          const outcome = parsePieces(cut(bytes, positions));
          expect(outcome).toMatchObject({
            error: null,
            surplus: "",
            body: whole.toString("latin1"),
            end: framing === "close" ? "closed" : "delimited",
          });
          expect(outcome.headers.slice(0, headers.length)).toEqual(
            headers.map(([key, text]) => [key.toLowerCase(), text] as const),
          );
        },
      ),
      { numRuns },
    );
  });

  test("any bytes at all end in an outcome, never in another error", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...corpus),
        fc.array(fc.tuple(fc.nat({ max: 300 }), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
        (text, changes) => {
          const bytes = Buffer.from(text, "latin1");
          for (const [position, byte] of changes) {
            bytes[position % bytes.length] = byte;
          }
          const whole = parsePieces([bytes]);
          const single = parsePieces(Array.from(bytes, (byte) => Buffer.of(byte)));
          expect(single.error === null).toBe(whole.error === null);
          if (whole.error === null) {
            expect(single).toEqual(whole);
          }
        },
      ),
      { numRuns },
    );
  });

  test("what a head means does not depend on the heads before it from its server, be they alike or malformed", () => {
    const heads = (parser: Http1ResponseParser, seen: unknown[], text: string, isHeadRequest: boolean): unknown => {
      const before = seen.length;
      parser.begin(isHeadRequest);
      try {
        parser.push(Buffer.from(text, "latin1"), 0);
      } catch (error) {
        return (error as Http1ParseError).kind;
      }
      return seen.slice(before);
    };
    const opened = (lines = new KnownLines()) => {
      const seen: unknown[] = [];
      const onHead = (read: Http1ResponseHead) => void seen.push({ ...read, headers: [...read.headers] });
      return { seen, parser: new Http1ResponseParser({ onHead, onBody: () => {}, onComplete: () => {} }, lines) };
    };
    const line = fc.constantFrom(
      ...["X-A: 1", "X-A: 2", "X-A: 12", "x-a: 1", "X-A:1 ", "X-AB: 1", "Connection: close", "Keep-Alive: timeout=5"],
      ...["Content-Length: 0", "Content-Length: 7", "Transfer-Encoding: chunked", " folded", "X-A : 1", "X-A: 1\n", ""],
      `X-Long: ${"a".repeat(4_000)}`,
    );
    const head = fc
      .tuple(fc.constantFrom("HTTP/1.1 200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 404 "), fc.array(line, { maxLength: 6 }))
      .map(([status, lines]) => `${[status, ...lines].join("\r\n")}\r\n\r\n`);
    fc.assert(
      fc.property(fc.array(head, { minLength: 2, maxLength: 6 }), fc.array(fc.boolean()), (texts, requests) => {
        const lines = new KnownLines();
        const connections = [opened(lines), opened(lines), opened(lines)];
        for (const [index, text] of texts.flatMap((each) => [each, each]).entries()) {
          const alone = opened();
          const isHead = requests[index] ?? false;
          const expected = heads(alone.parser, alone.seen, text, isHead);
          const { parser, seen } = connections[index % connections.length] ?? opened();
          expect([text, isHead, heads(parser, seen, text, isHead)]).toEqual([text, isHead, expected]);
        }
      }),
      { numRuns },
    );
  });
});
