import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { tickMs } from "@sluice/http-client/deadline-ticker";
import type { HttpBodyFlow, HttpClient } from "@sluice/http-client/model";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { promptMs } from "../support/values/patience.ts";
import { call, consume, elapsedMs, failure, requestTo } from "../support/wire/http-calls.ts";
import { type RawHttpServer, type RawSocket, startRawHttpServer } from "../support/wire/raw-http-server.ts";
import { createTestAuthority } from "../support/wire/test-certificates.ts";

const ok = "HTTP/1.1 200 OK\r\n";
const mebibyte = 1_048_576;
/** What the kernel's buffers of a connection may take in: they grow as far as the system was set, to 36 MiB on many. */
const kernelBytes = 70 * mebibyte;
const block = new Uint8Array(mebibyte).fill(97);
const authority = createTestAuthority();
const certificate = authority.issue({ ip: ["127.0.0.1"] });
const streams = process.env["TEST_FULL"] === "1" ? 500 : 30;

let server: RawHttpServer;
let client: HttpClient;

afterEach(() => {
  client.close();
  server.stop();
});

/** Sends so many MiB as fast as the client takes them. */
function serveBlocks(mebibytes: number, isTls: boolean): void {
  server = startRawHttpServer({
    ...(isTls ? { tls: certificate } : {}),
    onRequest: (socket) => {
      socket.send(`${ok}Content-Length: ${mebibytes * mebibyte}\r\n\r\n`);
      for (let index = 0; index < mebibytes; index += 1) {
        socket.send(block);
      }
    },
  });
}

type Stall = { readonly flow: HttpBodyFlow; readonly bytes: () => number; readonly ended: Promise<void> };

/** Consumes a body and stops reading as soon as data has arrived. */
async function stall(protocol: "http:" | "https:"): Promise<Stall> {
  const response = await client.send(requestTo({ protocol, port: server.port }));
  const first = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let bytes = 0;
  const flow = response.body.consume({
    onChunk: (chunk) => {
      if (bytes === 0) {
        flow.pause();
        first.resolve();
      }
      bytes += chunk.length;
    },
    onEnd: () => ended.resolve(),
    onError: ended.reject,
  });
  await first.promise;
  return { flow, bytes: () => bytes, ended: ended.promise };
}

/** Resolves when the server has not been able to send anything for a while. */
async function untilStuck(): Promise<number> {
  let before = -1;
  while (server.sentBytes !== before) {
    before = server.sentBytes;
    await Bun.sleep(100);
  }
  return before;
}

describe("back-pressure", () => {
  for (const protocol of ["http:", "https:"] as const) {
    test(`a stalled reader of a fast 100 MB response holds the sender back, ${protocol}`, async () => {
      serveBlocks(100, protocol === "https:");
      client = new PooledHttpClient({ tlsCa: authority.cert });
      const { flow, bytes, ended } = await stall(protocol);
      const sent = await untilStuck();
      // Bytes in flight are in the buffers of the system; the sender's and the receiver's are full.
      expect(sent).toBeLessThan(kernelBytes);
      expect(bytes()).toBeLessThan(4 * mebibyte);
      flow.resume();
      await ended;
      expect(bytes()).toBe(100 * mebibyte);
    });
  }

  test("a body that nobody requests is not read", async () => {
    serveBlocks(100, false);
    client = new PooledHttpClient();
    const response = await client.send(requestTo({ port: server.port }));
    expect(await untilStuck()).toBeLessThan(kernelBytes);
    expect((await response.body.bytes(200 * mebibyte)).length).toBe(100 * mebibyte);
  });

  test("a reader that pauses again and again gets every byte in order", async () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `${index},`).join("");
    server = startRawHttpServer({
      onRequest: (socket) => socket.send(`${ok}Transfer-Encoding: chunked\r\n\r\n${chunksOf(text)}0\r\n\r\n`),
    });
    client = new PooledHttpClient();
    const response = await client.send(requestTo({ port: server.port }));
    const received = await new Promise<string>((resolve, reject) => {
      let body = "";
      const flow = response.body.consume({
        onChunk: (chunk) => {
          body += Buffer.from(chunk).toString();
          flow.pause();
          setTimeout(() => flow.resume(), 1);
        },
        onEnd: () => resolve(body),
        onError: reject,
      });
    });
    expect(received).toBe(text);
  });

  test("silence does not count while the reader is paused", async () => {
    server = startRawHttpServer({
      onRequest: (socket) => {
        socket.send(`${ok}Content-Length: 10\r\n\r\nhello`);
        setTimeout(() => socket.send("hello"), 350);
      },
    });
    client = new PooledHttpClient();
    const response = await client.send(requestTo({ port: server.port, limits: { idleTimeoutMs: 150 } }));
    const outcome = await consume(response, (flow) => {
      flow.pause();
      setTimeout(() => flow.resume(), 300);
    });
    expect(outcome).toMatchObject({ body: "hellohello", isDelimited: true, error: null });
  });

  test("a large request body arrives complete at a slow reader", async () => {
    const body = Buffer.alloc(
      20 * mebibyte,
      new Uint8Array(251).map((_, index) => index),
    );
    let peer: RawSocket | undefined;
    server = startRawHttpServer({
      onOpen: (socket) => {
        peer = socket;
        socket.pause();
      },
      onRequest: (socket) => socket.send(`${ok}Content-Length: 2\r\n\r\nok`),
    });
    client = new PooledHttpClient();
    const outcome = call(client, requestTo({ port: server.port, method: "POST", body }));
    await Bun.sleep(100);
    peer?.resume();
    expect(await outcome).toMatchObject({ body: "ok", isDelimited: true });
    expect(Bun.hash(server.requests[0]?.body ?? "")).toBe(Bun.hash(body));
  });
});

function chunksOf(text: string): string {
  return (text.match(/.{1,700}/g) ?? []).map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");
}

describe("aborting", () => {
  const answers: Record<string, string> = {
    "before the head": "",
    "in the middle of the head": `${ok}Content`,
    "in the body": `${ok}Content-Length: 9\r\n\r\nhello`,
    "between chunks": `${ok}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`,
  };

  beforeEach(() => {
    client = new PooledHttpClient();
  });

  for (const [phase, text] of Object.entries(answers)) {
    test(`an abort ${phase} ends the call and the connection at once`, async () => {
      server = startRawHttpServer({ onRequest: (socket) => socket.send(text) });
      const abort = new AbortController();
      const outcome = call(client, requestTo({ port: server.port, signal: abort.signal }));
      await server.received(1);
      await Bun.sleep(30);
      const tookMs = await elapsedMs(
        (() => {
          abort.abort();
          return Promise.all([outcome, server.allClosed()]);
        })(),
      );
      expect((await outcome).error).toMatchObject({ kind: "aborted", isRequestSent: true });
      expect(tookMs).toBeLessThan(promptMs);
      expect(getEventListeners(abort.signal, "abort").length).toBe(0);
    });
  }

  test("an abort in a body that may continue for a while ends it after that time", async () => {
    server = startRawHttpServer({ onRequest: (socket) => socket.send(`${ok}Content-Length: 9\r\n\r\nhello`) });
    const abort = new AbortController();
    const limits = { afterAbort: { timeoutMs: 300, bytesMax: 1_000 }, idleTimeoutMs: 2 * promptMs };
    const outcome = call(client, requestTo({ port: server.port, signal: abort.signal, limits }));
    await server.received(1);
    // By then nobody looks at its deadlines before the silence could be over.
    await Bun.sleep(4 * tickMs);
    const tookMs = await elapsedMs(
      (() => {
        abort.abort();
        return Promise.all([outcome, server.allClosed()]);
      })(),
    );
    expect((await outcome).error).toMatchObject({ kind: "aborted", isRequestSent: true });
    expect([tookMs >= 250, tookMs < promptMs]).toEqual([true, true]);
    expect(getEventListeners(abort.signal, "abort").length).toBe(0);
  });

  test("a body that may continue after an abort reaches its end, but not beyond its byte limit", async () => {
    const sockets: { send(text: string): void }[] = [];
    server = startRawHttpServer({
      onRequest: (socket) => {
        socket.send(`${ok}Content-Length: 2000\r\n\r\n`);
        sockets.push(socket);
      },
    });
    for (const [bytesMax, ends] of [
      [2_000, true],
      [1_999, false],
    ] as const) {
      const abort = new AbortController();
      const limits = { afterAbort: { timeoutMs: 5_000, bytesMax } };
      const response = await client.send(requestTo({ port: server.port, signal: abort.signal, limits }));
      abort.abort();
      const told = response.body.bytes(10_000).then(
        (bytes) => bytes.length,
        (error: unknown) => (error as { kind: string }).kind,
      );
      sockets.at(-1)?.send("x".repeat(2_000));
      expect(await told).toBe(ends ? 2_000 : "aborted");
    }
  });

  test("a request that is already aborted is not sent", async () => {
    server = startRawHttpServer({});
    const signal = AbortSignal.abort();
    const error = await failure(client.send(requestTo({ port: server.port, signal })));
    expect(error).toMatchObject({ kind: "aborted", isRequestSent: false });
    expect(server.connections).toBe(0);
  });

  test("an abort between the head and the first reader reaches the reader", async () => {
    server = startRawHttpServer({ onRequest: (socket) => socket.send(`${ok}Content-Length: 9\r\n\r\nhello`) });
    for (const read of ["bytes", "consume"] as const) {
      const abort = new AbortController();
      const response = await client.send(requestTo({ port: server.port, signal: abort.signal }));
      abort.abort();
      await server.allClosed();
      const told = read === "bytes" ? failure(response.body.bytes(9)) : consume(response).then(({ error }) => error);
      expect(await told).toMatchObject({ kind: "aborted" });
    }
  });

  test("an abort while the reader is paused is reported at once", async () => {
    server = startRawHttpServer({ onRequest: (socket) => socket.send(`${ok}Content-Length: 9\r\n\r\nhello`) });
    const abort = new AbortController();
    const response = await client.send(requestTo({ port: server.port, signal: abort.signal }));
    const outcome = consume(response, (flow) => flow.pause());
    await Bun.sleep(20);
    abort.abort();
    expect((await outcome).error).toMatchObject({ kind: "aborted" });
    await server.allClosed();
  });

  test("an abort in the middle of a large request body ends it", async () => {
    server = startRawHttpServer({ onOpen: (socket) => socket.pause() });
    const abort = new AbortController();
    const body = new Uint8Array(30 * mebibyte);
    const outcome = failure(client.send(requestTo({ port: server.port, method: "POST", body, signal: abort.signal })));
    await Bun.sleep(100);
    abort.abort();
    expect(await outcome).toMatchObject({ kind: "aborted", isRequestSent: true });
  });

  test("an abort after the end changes nothing, and no call leaves a listener", async () => {
    server = startRawHttpServer({ onRequest: (socket) => socket.send(`${ok}Content-Length: 5\r\n\r\nhello`) });
    const abort = new AbortController();
    for (let round = 0; round < 20; round += 1) {
      expect((await call(client, requestTo({ port: server.port, signal: abort.signal }))).body).toBe("hello");
    }
    const unread = await client.send(requestTo({ port: server.port, signal: abort.signal }));
    unread.body.cancel();
    expect(getEventListeners(abort.signal, "abort").length).toBe(0);
    abort.abort();
    expect((await call(client, requestTo({ port: server.port }))).body).toBe("hello");
  });
});

describe("a reader that pauses", () => {
  for (const end of ["rst", "fin"] as const) {
    test(`a paused reader gets nothing more of a packet, and all of it before the ${end}`, async () => {
      const text = "0123456789".repeat(7_000);
      server = startRawHttpServer({
        onRequest: (socket) => {
          socket.send(`${ok}Transfer-Encoding: chunked\r\n\r\n${chunksOf(text)}`);
          setTimeout(() => (end === "rst" ? socket.reset() : socket.finish()), 50);
        },
      });
      client = new PooledHttpClient();
      const response = await client.send(requestTo({ port: server.port }));
      const pieces: string[] = [];
      const failed = Promise.withResolvers<unknown>();
      const flow = response.body.consume({
        onChunk: (piece) => {
          pieces.push(piece.toString());
          if (pieces.length % 20 === 3) {
            flow.pause();
          } else if (pieces.length % 20 === 7) {
            flow.pause();
            flow.resume();
          }
        },
        onEnd: () => failed.reject(new Error("a cut body came to its end")),
        onError: failed.resolve,
      });
      await server.allClosed();
      await Bun.sleep(50);
      expect(pieces.length).toBe(3);
      for (const length of [23, 43, 63, 83, 100]) {
        flow.resume();
        expect(pieces.length).toBe(length);
      }
      expect(await failed.promise).toMatchObject({ kind: "reset_in_body" });
      expect(pieces.join("")).toBe(text);
    });
  }
});

describe("a response before its request is out", () => {
  test("a response that comes before the whole request was sent is delivered, and the connection is not reused", async () => {
    server = startRawHttpServer({
      onOpen: (socket) => {
        socket.pause();
        socket.send(`HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno`);
      },
    });
    const pooled = new PooledHttpClient();
    client = pooled;
    const body = new Uint8Array(30 * mebibyte);
    expect(await call(pooled, requestTo({ port: server.port, method: "POST", body }))).toMatchObject({
      status: 413,
      body: "no",
      isDelimited: true,
    });
    expect(pooled.statistics).toMatchObject({ open: 0, idle: 0 });
  });

  test("a request body that the peer does not read ends with the limit for the first byte", async () => {
    server = startRawHttpServer({ onOpen: (socket) => socket.pause() });
    client = new PooledHttpClient();
    const body = new Uint8Array(30 * mebibyte);
    const request = requestTo({ port: server.port, method: "POST", body, limits: { firstByteTimeoutMs: 200 } });
    expect(await failure(client.send(request))).toMatchObject({ kind: "first_byte_timeout", isRequestSent: true });
  });

  test(`${streams} stalled readers keep the memory flat`, async () => {
    serveBlocks(20, false);
    client = new PooledHttpClient();
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    const stalls = await Promise.all(Array.from({ length: streams }, () => stall("http:")));
    await untilStuck();
    Bun.gc(true);
    const held = stalls.reduce((sum, { bytes }) => sum + bytes(), 0);
    // One packet each; the queue of the server in this same process holds only views of one block.
    expect(held / streams).toBeLessThanOrEqual(mebibyte / 2);
    // A client that reads on keeps 20 MiB of each.
    expect(process.memoryUsage.rss() - before).toBeLessThan(160 * mebibyte + streams * mebibyte);
    for (const { flow } of stalls) {
      flow.cancel();
    }
    await server.allClosed();
  });
});
