import { describe, expect, test } from "bun:test";
import { cutBytes } from "@sluice/http-client/cut-bytes";
import { Http1ResponseParser, headBytesMax } from "@sluice/http-client/response-parser";
import { cut, type ParseOutcome, parse, parsePieces } from "../../support/wire/parse-pieces.ts";

const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

describe("what a valid response means", () => {
  const table: Record<string, [string, Partial<ParseOutcome>]> = {
    "a declared length ends the body": [
      `${ok}Content-Type: a/b\r\nContent-Length: 5\r\n\r\nhello`,
      {
        status: 200,
        headers: [
          ["content-type", "a/b"],
          ["content-length", "5"],
        ],
        contentLength: 5,
        isKeepAlive: true,
        body: "hello",
        end: "delimited",
      },
    ],
    "bytes after the declared length are not part of the body": [
      `${ok}Content-Length: 2\r\n\r\nhello`,
      { body: "he", end: "delimited", surplus: "llo" },
    ],
    "a length of zero ends the response with its head": [
      `${ok}Content-Length: 0\r\n\r\nHTTP`,
      { contentLength: 0, body: "", end: "delimited", surplus: "HTTP" },
    ],
    "chunks are joined, their extensions skipped": [
      `${chunked}5\r\nhello\r\n6;a=b;c="d e"\r\n world\r\n0\r\n\r\n`,
      { contentLength: null, isKeepAlive: true, body: "hello world", end: "delimited" },
    ],
    "trailers are skipped": [
      `${chunked}2\r\nhi\r\n000\r\nX-Sum: 1\r\nB:\r\n\r\nx`,
      { body: "hi", end: "delimited", surplus: "x" },
    ],
    "the size of a chunk may have upper-case digits, leading zeros and a trailing blank": [
      `${chunked}00A \r\n0123456789\r\n0\r\n\r\n`,
      { body: "0123456789", end: "delimited" },
    ],
    "without a length the end of the connection ends the body": [
      `${ok}\r\nhello`,
      { contentLength: null, isKeepAlive: false, body: "hello", end: "closed" },
    ],
    "a body of zero bytes may end with the connection": [`${ok}\r\n`, { body: "", end: "closed" }],
    "informational responses are skipped": [
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n${ok}Content-Length: 1\r\n\r\nx`,
      { status: 200, headers: [["content-length", "1"]], body: "x", end: "delimited" },
    ],
    "204 has no body, whatever it declares": [
      "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
      { status: 204, body: "", end: "delimited", surplus: "hello" },
    ],
    "304 has no body, but may declare the length that it would have": [
      "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
      { status: 304, contentLength: 5, body: "", end: "delimited" },
    ],
    "a status without a reason is accepted": [
      "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
      { status: 200, end: "delimited" },
    ],
    "HTTP/1.0 does not keep the connection": [
      "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx",
      { isKeepAlive: false, body: "x", end: "delimited" },
    ],
    "Connection: close is recognised among other options and in any letter case": [
      `${ok}Connection: Keep-Alive, CLOSE\r\nContent-Length: 0\r\n\r\n`,
      { isKeepAlive: false },
    ],
    "names are in lower case, values have no blanks around them, repeated headers stay separate": [
      `${ok}X-A:1\r\nSET-Cookie: a\r\nx-a: \t 2 3 \t\r\nX-Empty:\r\nset-cookie: b\r\nX-Latin: \xe9\r\nContent-Length: 0\r\n\r\n`,
      {
        headers: [
          ["x-a", "1"],
          ["set-cookie", "a"],
          ["x-a", "2 3"],
          ["x-empty", ""],
          ["set-cookie", "b"],
          ["x-latin", "\xe9"],
          ["content-length", "0"],
        ],
      },
    ],
    "the same length twice is one length": [
      `${ok}Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi`,
      { body: "hi", end: "delimited", error: null },
    ],
    "a body that is cut short does not end": [
      `${ok}Content-Length: 9\r\n\r\nhello`,
      { body: "hello", end: null, error: null },
    ],
    "chunks that are cut short do not end": [
      `${chunked}5\r\nhello\r\n0\r\n`,
      { body: "hello", end: null, error: null },
    ],
  };
  for (const [guarantee, [text, expected]] of Object.entries(table)) {
    test(guarantee, () => {
      expect(parse(text)).toMatchObject(expected);
    });
  }

  test("the response to HEAD has no body and keeps its declared length", () => {
    expect(parse(`${ok}Content-Length: 5\r\n\r\n`, true)).toMatchObject({
      contentLength: 5,
      body: "",
      end: "delimited",
    });
    expect(parse(chunked, true)).toMatchObject({ contentLength: null, body: "", end: "delimited" });
  });

  test("a body that arrives in a separate packet is passed on without a copy", () => {
    const seen: Uint8Array[] = [];
    const parser = new Http1ResponseParser({
      onHead: () => undefined,
      onBody: (packet, start, end) => seen.push(cutBytes(packet, start, end)),
      onComplete: () => undefined,
    });
    const body = Buffer.alloc(2000, 97);
    parser.begin(false);
    parser.push(Buffer.from(`${ok}Content-Length: 4000\r\n\r\n`), 0);
    parser.push(body, 0);
    expect(seen[0]).toBe(body);
    const framed = Buffer.alloc(3000, 98);
    parser.push(framed, 0);
    expect(seen[1]?.buffer).toBe(framed.buffer);
  });

  test("a stopped parser hands on one piece of a packet and resumes where it was", () => {
    const seen: string[] = [];
    const parser = new Http1ResponseParser({
      onHead: () => undefined,
      onBody: (bytes, start, end) => {
        seen.push(bytes.toString("utf8", start, end));
        parser.isStopped = true;
      },
      onComplete: () => seen.push("end"),
    });
    parser.begin(false);
    parser.push(Buffer.from(chunked), 0);
    const packet = Buffer.from("1\r\na\r\n1\r\nb\r\n0\r\n\r\n");
    const first = parser.push(packet, 0);
    expect([seen.join(), first]).toEqual(["a", 4]);
    parser.isStopped = false;
    const second = parser.push(packet, first);
    expect([seen.join(), second]).toEqual(["a,b", 10]);
    parser.isStopped = false;
    expect([parser.push(packet, second), seen.join()]).toEqual([packet.length, "a,b,end"]);
  });

  test("a few bytes of a packet are copied to their own buffer, so that the packet can be freed", () => {
    const seen: Buffer[] = [];
    const parser = new Http1ResponseParser({
      onHead: () => undefined,
      onBody: (bytes, start, end) => seen.push(cutBytes(bytes, start, end)),
      onComplete: () => undefined,
    });
    parser.begin(false);
    const packet = Buffer.concat([Buffer.from(chunked), Buffer.from("5\r\nhello\r\n0\r\n\r\n"), Buffer.alloc(100_000)]);
    parser.push(packet, parser.push(packet, 0));
    expect(seen.map((piece) => [Buffer.isBuffer(piece), piece.toString(), piece.buffer.byteLength])).toEqual([
      [true, "hello", 5],
    ]);
  });

  test("one parser serves one response after the other", () => {
    const seen: string[] = [];
    const parser = new Http1ResponseParser({
      onHead: (head) => seen.push(String(head.status)),
      onBody: (packet, start, end) => seen.push(packet.toString("utf8", start, end)),
      onComplete: (isDelimited) => seen.push(String(isDelimited)),
    });
    for (const text of [
      `${chunked}1\r\na\r\n0\r\nT: 1\r\n\r\n`,
      `${ok}Content-Length: 1\r\n\r\nb`,
      `${chunked}1\r\nc\r\n0\r\n\r\n`,
    ]) {
      const bytes = Buffer.from(text);
      parser.begin(false);
      expect(parser.push(bytes, parser.push(bytes, 0))).toBe(bytes.length);
      expect(parser.isComplete).toBe(true);
    }
    expect(seen).toEqual(["200", "a", "true", "200", "b", "true", "200", "c", "true"]);
  });

  test("a head that comes in pieces, one of them like the head before, is read as a whole", () => {
    const heads: unknown[] = [];
    const parser = new Http1ResponseParser({
      onHead: ({ headers, contentLength }) => heads.push([headers, contentLength]),
      onBody: () => undefined,
      onComplete: () => undefined,
    });
    const first = `${ok}Content-Length: 0\r\n\r\n`;
    for (const pieces of [[first], [`${ok}X-A: `, first]]) {
      parser.begin(false);
      for (const piece of pieces) {
        expect(parser.push(Buffer.from(piece), 0)).toBe(piece.length);
      }
      expect(parser.isComplete).toBe(true);
    }
    expect(heads).toEqual([
      [[["content-length", "0"]], 0],
      [
        [
          ["x-a", "HTTP/1.1 200 OK"],
          ["content-length", "0"],
        ],
        0,
      ],
    ]);
  });

  test("the peer's idle timeout is read from Keep-Alive", () => {
    const hints: (number | null)[] = [];
    const parser = new Http1ResponseParser({
      onHead: (head) => hints.push(head.keepAliveMsMax),
      onBody: () => undefined,
      onComplete: () => undefined,
    });
    for (const value of ["timeout=5", "max=100, timeout=15", "Timeout=7;max=1", "timeout=x", "notimeout=3"]) {
      parser.begin(false);
      parser.push(Buffer.from(`${ok}Keep-Alive: ${value}\r\nContent-Length: 0\r\n\r\n`), 0);
    }
    expect(hints).toEqual([5000, 15_000, 7000, null, null]);
  });
});

describe("what is refused", () => {
  const malformed: Record<string, string> = {
    "a length together with chunks": `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    "two lengths that differ": `${ok}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
    "a list of lengths": `${ok}Content-Length: 5, 5\r\n\r\nhello`,
    "a negative length": `${ok}Content-Length: -5\r\n\r\nhello`,
    "a length with a sign": `${ok}Content-Length: +5\r\n\r\nhello`,
    "a length in hexadecimal": `${ok}Content-Length: 0x5\r\n\r\nhello`,
    "an empty length": `${ok}Content-Length:\r\n\r\n`,
    "a length beyond any number": `${ok}Content-Length: 99999999999999999999\r\n\r\n`,
    "a coding other than chunked": `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    "a coding that only looks like chunked": `${ok}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    "chunked twice": `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    "chunks in HTTP/1.0": "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a folded header": `${ok}X-A: 1\r\n b\r\nContent-Length: 0\r\n\r\n`,
    "a folded first header": `${ok} X-A: 1\r\nContent-Length: 0\r\n\r\n`,
    "a blank before the colon": `${ok}Content-Length : 0\r\n\r\n`,
    "a header without a name": `${ok}: 0\r\n\r\n`,
    "a header without a colon": `${ok}Content-Length\r\n\r\n`,
    "a name that is not a token": `${ok}Content(Length): 0\r\n\r\n`,
    "a bare LF at the end of a line": `${ok}X-A: 1\nContent-Length: 0\r\n\r\n`,
    "bare LFs only": "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
    "a bare CR in a value": `${ok}X-A: 1\rContent-Length: 0\r\n\r\n`,
    "a NUL in a value": `${ok}X-A: 1\0\r\nContent-Length: 0\r\n\r\n`,
    "an empty line before the status line": `\r\n${ok}Content-Length: 0\r\n\r\n`,
    "HTTP/2": "HTTP/2.0 200 OK\r\n\r\n",
    "HTTP/1.2": "HTTP/1.2 200 OK\r\n\r\n",
    "a status of two digits": "HTTP/1.1 20 OK\r\n\r\n",
    "a status of four digits": "HTTP/1.1 2000 OK\r\n\r\n",
    "a status above 599": "HTTP/1.1 600 Odd\r\n\r\n",
    "a status that is not a number": "HTTP/1.1 2x0 OK\r\n\r\n",
    "two blanks before the status": "HTTP/1.1  200 OK\r\n\r\n",
    "another protocol": "SSH-2.0-OpenSSH_9.2\r\n\r\n",
    "bytes that are not text": "\x15\x03\x01\x00\x02\x02\x28",
    "switched protocols": `HTTP/1.1 101 Switching Protocols\r\n\r\n${ok}Content-Length: 0\r\n\r\n`,
    "endless informational responses": `${"HTTP/1.1 102 Processing\r\n\r\n".repeat(17)}${ok}\r\n`,
    "a chunk without a size": `${chunked}\r\nhello`,
    "a size with an underscore": `${chunked}1_0\r\nhello`,
    "a size with a prefix": `${chunked}0x5\r\nhello\r\n0\r\n\r\n`,
    "a negative size": `${chunked}-5\r\nhello\r\n0\r\n\r\n`,
    "a size of too many digits": `${chunked}fffffffffffffff\r\nhello`,
    "a bare LF after a size": `${chunked}5\nhello\r\n0\r\n\r\n`,
    "a chunk longer than its size": `${chunked}4\r\nhello\r\n0\r\n\r\n`,
    "a bare LF after a chunk": `${chunked}5\r\nhello\n0\r\n\r\n`,
    "a control character in an extension": `${chunked}5;a=\x01\r\nhello\r\n0\r\n\r\n`,
    "an endless extension": `${chunked}5;${"a".repeat(2000)}\r\nhello\r\n0\r\n\r\n`,
    "chunks that are mostly extensions": `${chunked}${`1;${"a".repeat(1000)}\r\nx\r\n`.repeat(100)}0\r\n\r\n`,
    "a folded trailer": `${chunked}0\r\nA: 1\r\n b\r\n\r\n`,
    "a bare LF in the trailers": `${chunked}0\r\nA: 1\n\r\n`,
  };
  for (const [what, text] of Object.entries(malformed)) {
    test(`${what}: malformed, in one piece and byte by byte`, () => {
      expect(parse(text).error).toBe("malformed");
      expect(parsePieces(Array.from(Buffer.from(text, "latin1"), (byte) => Buffer.of(byte))).error).toBe("malformed");
    });
  }

  const tooLarge: Record<string, string> = {
    "a head of more than 64 KiB": `${ok}X-A: ${"a".repeat(headBytesMax)}\r\n\r\n`,
    "a head of more than 64 KiB that does not end": `${ok}X-A: ${"a".repeat(headBytesMax)}`,
    "101 headers": `${ok}${"X-A: 1\r\n".repeat(101)}\r\n`,
    "101 trailers": `${chunked}0\r\n${"X-A: 1\r\n".repeat(101)}\r\n`,
    "trailers of more than 64 KiB": `${chunked}0\r\nX-A: ${"a".repeat(64 * 1024)}\r\n\r\n`,
  };
  for (const [what, text] of Object.entries(tooLarge)) {
    test(`${what}: too large, in one piece and in small ones`, () => {
      expect(parse(text).error).toBe("too_large");
      const bytes = Buffer.from(text, "latin1");
      const positions = Array.from({ length: Math.floor(bytes.length / 100) }, (_, index) => index * 100);
      expect(parsePieces(cut(bytes, positions)).error).toBe("too_large");
    });
  }

  test("exactly 64 KiB of head and exactly 100 headers are accepted", () => {
    const frame = `${ok}Content-Length: 0\r\nX-A: \r\n\r\n`;
    const head = frame.replace("X-A: ", `X-A: ${"a".repeat(headBytesMax - frame.length)}`);
    expect(head.length).toBe(headBytesMax);
    expect(parse(head)).toMatchObject({ error: null, end: "delimited" });
    expect(parse(`${ok}${"X-A: 1\r\n".repeat(99)}Content-Length: 0\r\n\r\n`)).toMatchObject({
      error: null,
      end: "delimited",
    });
  });

  test("a peer that does not speak HTTP is refused at its first byte", () => {
    expect(parse("S").error).toBe("malformed");
    expect(parse("HTTP/3").error).toBe("malformed");
    expect(parse("HTTP").error).toBeNull();
  });
});
