import { afterAll, afterEach, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { connectRaw, rawChatRequest, rawRequest } from "../../support/wire/raw-tcp-client.ts";

const provider = startSandboxProvider({ createdAtSeconds: 1_767_225_600 });
const whole = rawChatRequest({});
const stream = rawChatRequest({ stream: true });

afterEach(() => provider.reset());
afterAll(() => provider.stop());

type RawAnswer = { readonly head: readonly string[]; readonly body: string; readonly end: string };

/** The response to one request on a separate connection, which is closed after it. */
async function answerTo(request: string, behaviour: Behaviour): Promise<RawAnswer> {
  provider.reset();
  provider.script({ closeAfter: true, text: "one two", ...behaviour });
  const connection = await connectRaw(provider.port);
  connection.send(request);
  const end = await connection.ended;
  const text = Buffer.from(connection.received()).toString("latin1");
  const border = text.indexOf("\r\n\r\n");
  return { head: text.slice(0, border).split("\r\n"), body: text.slice(border + 4), end };
}

/** The payload of a chunked body; throws when a chunk does not have its declared size. */
function unchunk(body: string): string[] {
  const chunks: string[] = [];
  for (let rest = body; ; ) {
    const border = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.slice(0, border), 16);
    const chunk = rest.slice(border + 2, border + 2 + size);
    if (!/^[0-9a-f]+$/.test(rest.slice(0, border)) || rest.slice(border + 2 + size, border + 4 + size) !== "\r\n") {
      throw new Error("the chunk is malformed");
    }
    if (size === 0) {
      return chunks;
    }
    chunks.push(chunk);
    rest = rest.slice(border + 4 + size);
  }
}

const headerOf = (answer: RawAnswer, name: string): string[] =>
  answer.head.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));

describe("the length of a response", () => {
  test("is declared by Content-Length for a whole body, and by chunks of one event each for a stream", async () => {
    const plain = await answerTo(whole, {});
    expect(headerOf(plain, "Content-Length")).toEqual([String(plain.body.length)]);
    const chunked = await answerTo(stream, {});
    expect(headerOf(chunked, "Transfer-Encoding")).toEqual(["chunked"]);
    const events = unchunk(chunked.body);
    expect(events.length).toBe(5);
    expect(events.every((event) => event.startsWith("data: ") && event.endsWith("\n\n"))).toBeTrue();
    expect(events.at(-1)).toBe("data: [DONE]\n\n");
  });

  test("can be delimited by the end of the connection alone", async () => {
    for (const request of [whole, stream]) {
      const answer = await answerTo(request, { framing: "close" });
      expect([headerOf(answer, "Content-Length"), headerOf(answer, "Transfer-Encoding")]).toEqual([[], []]);
      expect([headerOf(answer, "Connection"), answer.end]).toEqual([["close"], "fin"]);
    }
  });

  test("of a stream can be declared by Content-Length, and of a whole body by chunks", async () => {
    const sized = await answerTo(stream, { framing: "content-length" });
    expect(headerOf(sized, "Content-Length")).toEqual([String(sized.body.length)]);
    const chunked = await answerTo(whole, { framing: "chunked" });
    expect(JSON.parse(unchunk(chunked.body).join(""))).toHaveProperty("choices");
  });

  test("can be wrong in both directions", async () => {
    for (const contentLengthLie of [10, -10]) {
      const answer = await answerTo(whole, { contentLengthLie });
      expect(headerOf(answer, "Content-Length")).toEqual([String(answer.body.length + contentLengthLie)]);
      expect(answer.end).toBe("fin");
    }
  });

  test("is delimited by the end of the connection for a client of HTTP/1.0", async () => {
    const answer = await answerTo(stream.replace("HTTP/1.1", "HTTP/1.0"), { closeAfter: false });
    expect(headerOf(answer, "Transfer-Encoding")).toEqual([]);
    expect([answer.body.startsWith("data: "), answer.end]).toEqual([true, "fin"]);
  });

  test("is declared to HEAD without the body", async () => {
    const answer = await answerTo(rawRequest(["HEAD /v1/models HTTP/1.1", "Host: a", "Authorization: Bearer k"]), {});
    expect(answer.body).toBe("");
    expect(Number(headerOf(answer, "Content-Length")[0])).toBeGreaterThan(10);
  });
});

describe("the form of a stream", () => {
  const payloads = (body: string): string[] =>
    unchunk(body)
      .join("")
      .split("\n\n")
      .filter((event) => event !== "");

  test("can have other line ends and comments between the events", async () => {
    const plain = unchunk((await answerTo(stream, {})).body).join("");
    const crlf = unchunk((await answerTo(stream, { lineEnd: "crlf" })).body).join("");
    expect(crlf).toBe(plain.replaceAll("\n", "\r\n"));
    const cr = unchunk((await answerTo(stream, { lineEnd: "cr" })).body).join("");
    expect(cr).toBe(plain.replaceAll("\n", "\r"));
    const commented = unchunk((await answerTo(stream, { commentEvery: 2 })).body).join("");
    expect(commented.split(": sandbox keep-alive\n\n").length - 1).toBe(3);
    expect(commented.replaceAll(": sandbox keep-alive\n\n", "")).toBe(plain);
  });

  test("can lack its end, or end in an error event", async () => {
    expect(payloads((await answerTo(stream, { noDone: true })).body).at(-1)).toContain('"finish_reason":"stop"');
    const failed = payloads((await answerTo(stream, { errorEventAfter: 2 })).body);
    expect(failed.length).toBe(3);
    expect(JSON.parse((failed.at(-1) ?? "").slice(6))).toHaveProperty("error.message");
  });

  test("can break off inside the JSON of one event, and only there", async () => {
    const events = payloads((await answerTo(stream, { malformedChunk: 1 })).body);
    const isValid = events.slice(0, -1).map((event) => {
      try {
        return JSON.parse(event.slice(6)) !== null;
      } catch {
        return false;
      }
    });
    expect(isValid).toEqual([true, false, true, true]);
  });

  test("can have a chunk whose size is not a number", async () => {
    const { body } = await answerTo(stream, { malformedFraming: 1 });
    expect(() => unchunk(body)).toThrow();
    expect(body.split("zz\r\n").length).toBe(2);
  });

  test("can be given verbatim", async () => {
    const { body } = await answerTo(whole, { events: [{ choices: [] }, "not json"] });
    expect(payloads(body)).toEqual(['data: {"choices":[]}', "data: not json", "data: [DONE]"]);
  });

  test("has its usage where the behaviour says", async () => {
    const usageIn = async (behaviour: Behaviour): Promise<number[]> => {
      const events = payloads((await answerTo(stream, behaviour)).body).slice(0, -1);
      return events.flatMap((event, index) => (JSON.parse(event.slice(6)).usage == null ? [] : [index]));
    };
    expect(await usageIn({})).toEqual([]);
    expect(await usageIn({ usagePlacement: "unasked" })).toEqual([4]);
    expect(await usageIn({ usagePlacement: "with-finish" })).toEqual([3]);
    expect(await usageIn({ usagePlacement: "every-chunk" })).toEqual([0, 1, 2, 3]);
    expect(await usageIn({ usagePlacement: "every-chunk", omitUsage: true })).toEqual([]);
  });
});

describe("the head of a response", () => {
  test("can be preceded by interim responses", async () => {
    const connection = await connectRaw(provider.port);
    provider.script({ informational: [100, 103], closeAfter: true });
    connection.send(whole);
    await connection.ended;
    expect(Buffer.from(connection.received()).toString("latin1")).toStartWith(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n",
    );
  });

  test("can lose, change and repeat headers", async () => {
    const headers = { "content-type": null, Server: "other", "Set-Cookie": ["a=1", "b=2"] };
    const answer = await answerTo(whole, { headers });
    expect(headerOf(answer, "Content-Type")).toEqual([]);
    expect(headerOf(answer, "Server")).toEqual(["other"]);
    expect(headerOf(answer, "Set-Cookie")).toEqual(["a=1", "b=2"]);
  });

  test("can contain Retry-After and Location", async () => {
    const limited = await answerTo(whole, { status: 429, retryAfter: 7 });
    expect([limited.head[0], headerOf(limited, "Retry-After")]).toEqual(["HTTP/1.1 429 Too Many Requests", ["7"]]);
    expect(JSON.parse(limited.body)).toHaveProperty("error.code", "rate_limit_exceeded");
    const moved = await answerTo(whole, { redirectTo: "http://127.0.0.1:1/" });
    expect([moved.head[0], headerOf(moved, "Location")]).toEqual([
      "HTTP/1.1 307 Temporary Redirect",
      ["http://127.0.0.1:1/"],
    ]);
  });
});

describe("the body of a response", () => {
  test("can be a web server's page, any text, any JSON, or an endless number of bytes", async () => {
    const html = await answerTo(whole, { isHtmlBody: true, status: 502 });
    expect([headerOf(html, "Content-Type"), html.body.startsWith("<html>")]).toEqual([["text/html"], true]);
    expect((await answerTo(whole, { body: "not json", status: 500 })).body).toBe("not json");
    expect((await answerTo(whole, { body: { a: [1] } })).body).toBe('{"a":[1]}');
    const huge = await answerTo(whole, { hugeBodyBytes: 1_000_001, status: 500 });
    expect([headerOf(huge, "Content-Length"), huge.body.length]).toEqual([["1000001"], 1_000_001]);
  });

  test("and the head can be given byte for byte", async () => {
    const raw = "HTTP/1.1 200 OK\r\nX-One: \xff\r\n folded\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab";
    provider.script({ raw, cut: { afterBytes: raw.length, with: "fin" } });
    const connection = await connectRaw(provider.port);
    connection.send(whole);
    await connection.ended;
    expect(Buffer.from(connection.received()).toString("latin1")).toBe(raw);
  });

  test("can be composed once and replayed, whole and streamed separately", async () => {
    provider.script({ isReplayed: true }, { times: "always" });
    const connection = await connectRaw(provider.port);
    const bodies: string[] = [];
    for (const request of [whole, stream, whole, stream]) {
      const before = connection.received().length;
      connection.send(request);
      await provider.waitForEnd(bodies.length);
      const { bytesWritten } = provider.requests[bodies.length] ?? { bytesWritten: 0 };
      await connection.waitForBytes(before + bytesWritten);
      bodies.push(Buffer.from(connection.received().subarray(before)).toString("latin1"));
    }
    connection.close();
    expect([bodies[2], bodies[3]]).toEqual([bodies[0], bodies[1]]);
    expect(bodies[1]).toContain("[DONE]");
    expect(bodies[0]).not.toContain("[DONE]");
  });
});

describe("time", () => {
  test("passes before the head, before the first token and between chunks, as the behaviour says", async () => {
    const arrivals = async (behaviour: Behaviour): Promise<number> => {
      const startedAtMs = performance.now();
      await answerTo(stream, behaviour);
      return performance.now() - startedAtMs;
    };
    expect(await arrivals({ delayHeadMs: 40 })).toBeGreaterThanOrEqual(39);
    expect(await arrivals({ firstTokenDelayMs: 40 })).toBeGreaterThanOrEqual(39);
    // Three pauses: the first event has none before it, and [DONE] follows at once.
    expect(await arrivals({ chunkDelayMs: 15 })).toBeGreaterThanOrEqual(44);
  });

  test("of a slow first token is between the head and the first event", async () => {
    provider.script({ firstTokenDelayMs: 60_000 });
    const connection = await connectRaw(provider.port);
    connection.send(stream);
    await connection.waitForText("\r\n\r\n");
    expect(provider.requests[0]?.chunksWritten).toBe(0);
    connection.close();
    await provider.waitForCancel(0);
  });
});
