import { describe, expect, test } from "bun:test";
import { type ReadStep, RequestReader } from "@sluice/sandbox-provider/http/request-reader";
import fc from "fast-check";

const limits = { headBytesMax: 1_000, bodyBytesMax: 10_000 };

/** All steps that the reader returns for these bytes, in pieces of the given lengths. */
function readAll(bytes: Buffer, lengths: readonly number[] = []): ReadStep[] {
  const reader = new RequestReader(limits);
  const steps: ReadStep[] = [];
  let start = 0;
  for (const length of [...lengths, bytes.length]) {
    reader.push(Buffer.from(bytes.subarray(start, start + length)));
    start += length;
    for (let step = reader.read(); step.kind !== "more"; step = reader.read()) {
      steps.push(step);
    }
  }
  return steps;
}

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const post = (lines: readonly string[], body = ""): Buffer =>
  latin1(["POST /v1/x HTTP/1.1", "Host: a", ...lines, "", body].join("\r\n"));

/** The status with which these bytes are refused, or what was read instead. */
function refusalOf(bytes: Buffer): number | string {
  const last = readAll(bytes).at(-1);
  return last?.kind === "violation" ? last.status : (last?.kind ?? "nothing");
}

describe("a request", () => {
  const sized = post(["X-One: 1", "x-one:  2 ", "Content-Length: 6"], "a\u00c3\u00a4bcd");
  const chunked = post(
    ["Transfer-Encoding: chunked"],
    "3;ext=1\r\nabc\r\n00A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n",
  );
  const bare = latin1("GET /v1/models?a=b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");

  test("keeps its head lines, its repeated headers and its body as received", () => {
    const [head, whole] = readAll(sized);
    expect(head?.kind).toBe("head");
    expect(whole?.kind === "request" && whole.head.lines).toEqual([
      "POST /v1/x HTTP/1.1",
      "Host: a",
      "X-One: 1",
      "x-one:  2 ",
      "Content-Length: 6",
    ]);
    expect(whole?.kind === "request" && whole.head.headers.filter(([name]) => name === "x-one")).toEqual([
      ["x-one", "1"],
      ["x-one", "2"],
    ]);
    expect(whole?.kind === "request" && whole.body).toEqual(Buffer.from("aäbcd"));
  });

  test("that was sent in chunks has the joined body, without chunk extensions and trailers", () => {
    const whole = readAll(chunked).at(-1);
    expect(whole?.kind === "request" && whole.body.toString()).toBe("abc0123456789");
  });

  test("without a body is whole with its head", () => {
    const steps = readAll(bare);
    expect(steps.map((step) => step.kind)).toEqual(["head", "request"]);
    expect(steps[0]?.kind === "head" && [steps[0].head.target, steps[0].head.isKeepAlive]).toEqual([
      "/v1/models?a=b",
      false,
    ]);
  });

  test("is read the same however the bytes are split, even if several come at once", () => {
    const bytes = Buffer.concat([sized, chunked, bare, chunked, sized]);
    const expected = readAll(bytes);
    expect(expected.filter((step) => step.kind === "request").length).toBe(5);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 60 }), (lengths) => {
        expect(readAll(bytes, lengths)).toEqual(expected);
      }),
      { numRuns: process.env["TEST_FULL"] === "1" ? 2_000 : 100 },
    );
  });

  test("waits for the rest of its body", () => {
    expect(readAll(sized.subarray(0, -1)).map((step) => step.kind)).toEqual(["head"]);
    expect(readAll(chunked.subarray(0, -1)).map((step) => step.kind)).toEqual(["head"]);
  });
});

describe("what a correct client never sends is refused", () => {
  const refused: readonly (readonly [name: string, bytes: Buffer, status: number])[] = [
    ["no Host", latin1("GET / HTTP/1.1\r\n\r\n"), 400],
    ["two Hosts", post(["Host: b"]), 400],
    ["both lengths", post(["Content-Length: 1", "Transfer-Encoding: chunked"], "a"), 400],
    ["two Content-Lengths", post(["Content-Length: 1", "Content-Length: 1"], "a"), 400],
    ["a list of lengths", post(["Content-Length: 1, 1"], "a"), 400],
    ["a signed length", post(["Content-Length: +1"], "a"), 400],
    ["an empty length", post(["Content-Length:"], ""), 400],
    ["a length that is too large", post(["Content-Length: 10001"]), 413],
    ["an unknown encoding", post(["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n"), 400],
    ["two encodings", post(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], "0\r\n\r\n"), 400],
    ["a chunk size that is not a number", post(["Transfer-Encoding: chunked"], "0x1\r\na\r\n0\r\n\r\n"), 400],
    ["a chunk longer than its size", post(["Transfer-Encoding: chunked"], "1\r\nab\r\n0\r\n\r\n"), 400],
    ["chunks that are too large", post(["Transfer-Encoding: chunked"], "FFFFFFFF\r\n"), 413],
    ["an endless chunk line", post(["Transfer-Encoding: chunked"], `1;${"a".repeat(300)}`), 400],
    ["a space before the colon", post(["X-One : 1"]), 400],
    ["a folded header", post(["X-One: 1", " folded"]), 400],
    ["a header without a name", post([": 1"]), 400],
    ["a bare line feed in a value", post(["X-One: 1\nX-Two: 2"]), 400],
    ["a bare carriage return in a value", post(["X-One: 1\rX-Two: 2"]), 400],
    ["a NUL in a value", post(["X-One: \0"]), 400],
    ["an absolute target", latin1("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400],
    ["a space in the target", latin1("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"), 400],
    ["a method with a slash", latin1("G/T / HTTP/1.1\r\nHost: a\r\n\r\n"), 400],
    ["HTTP/2", latin1("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505],
    ["an endless head", latin1(`GET / HTTP/1.1\r\nX-One: ${"a".repeat(2_000)}`), 431],
    ["a head that is too large", post([`X-One: ${"a".repeat(2_000)}`]), 431],
  ];
  for (const [name, bytes, status] of refused) {
    test(name, () => expect(refusalOf(bytes)).toBe(status));
  }

  test("and nothing after it is read", () => {
    const steps = readAll(Buffer.concat([post(["X-One : 1"]), post([])]));
    expect(steps.map((step) => step.kind)).toEqual(["violation"]);
  });
});
