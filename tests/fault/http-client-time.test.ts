import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { HttpClient, HttpClientErrorKind } from "@sluice/http-client/model";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { promptMs } from "../support/values/patience.ts";
import { call, elapsedMs, failure, requestTo } from "../support/wire/http-calls.ts";
import { type RawHttpServer, type RawSocket, startRawHttpServer } from "../support/wire/raw-http-server.ts";

const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

let server: RawHttpServer | null = null;

function serve(onRequest: (socket: RawSocket) => void): number {
  server = startRawHttpServer({ onRequest });
  return server.port;
}

afterEach(() => {
  server?.stop();
  server = null;
});

describe("limits of time", () => {
  let client: HttpClient;

  beforeEach(() => {
    client = new PooledHttpClient();
  });
  afterEach(() => {
    client.close();
  });

  const silences: Record<string, { answer: string; kind: HttpClientErrorKind }> = {
    "before the head": { answer: "", kind: "first_byte_timeout" },
    "in the middle of the head": { answer: `${ok}Conte`, kind: "idle_timeout" },
    "before the body": { answer: `${ok}Content-Length: 9\r\n\r\n`, kind: "idle_timeout" },
    "in the body": { answer: `${ok}Content-Length: 9\r\n\r\nhello`, kind: "idle_timeout" },
    "between chunks": { answer: `${chunked}5\r\nhello\r\n`, kind: "idle_timeout" },
  };
  for (const [where, { answer, kind }] of Object.entries(silences)) {
    test(`silence ${where} ends with its own limit, and the connection is closed`, async () => {
      const port = serve((socket) => socket.send(answer));
      const limits = { connectTimeoutMs: 50, firstByteTimeoutMs: 150, idleTimeoutMs: 200 };
      const started = performance.now();
      const { error } = await call(client, requestTo({ port, limits }));
      const tookMs = performance.now() - started;
      expect(error).toMatchObject({ kind, isRequestSent: true });
      expect(tookMs).toBeGreaterThanOrEqual(150);
      expect(tookMs).toBeLessThan(promptMs);
      await server?.allClosed();
    });
  }

  test("a head that no body follows ends with the limit for the first byte of the body", async () => {
    const port = serve((socket) => socket.send(chunked));
    const limits = { connectTimeoutMs: 50, firstBodyByteTimeoutMs: 200 };
    expect((await call(client, requestTo({ port, limits }))).error).toMatchObject({ kind: "first_byte_timeout" });
    await server?.allClosed();
  });

  test("an endless response is cut by the total limit, however active it is", async () => {
    let timer: ReturnType<typeof setInterval> | undefined;
    const port = serve((socket) => {
      socket.send(chunked);
      timer = setInterval(() => socket.send("1\r\nx\r\n"), 10);
    });
    const outcome = await call(client, requestTo({ port, limits: { totalTimeoutMs: 900, idleTimeoutMs: 500 } }));
    clearInterval(timer);
    expect(outcome.error?.kind).toBe("total_timeout");
    expect(outcome.body.length).toBeGreaterThan(5);
    await server?.allClosed();
  });

  test("the total limit ends a body in time, though it may be silent for much longer", async () => {
    const port = serve((socket) => socket.send(`${ok}Content-Length: 9\r\n\r\nhello`));
    const limits = { totalTimeoutMs: 400, idleTimeoutMs: 2 * promptMs };
    const started = performance.now();
    expect((await call(client, requestTo({ port, limits }))).error?.kind).toBe("total_timeout");
    expect(performance.now() - started).toBeLessThan(promptMs);
  });
});

describe("what restarts a limit of time", () => {
  const client = new PooledHttpClient();

  test("an informational response restarts the wait for the head", async () => {
    const port = serve((socket) => {
      setTimeout(() => socket.send("HTTP/1.1 102 Processing\r\n\r\n"), 1_000);
      setTimeout(() => socket.send(`${ok}Content-Length: 2\r\n\r\nhi`), 2_000);
    });
    const request = requestTo({ port, limits: { firstByteTimeoutMs: 1_800, idleTimeoutMs: 50 } });
    expect(await call(client, request)).toMatchObject({ status: 200, body: "hi" });
  });

  test("a process that was busy does not blame the peer for the silence", async () => {
    const port = serve((socket) => socket.send(`${ok}Content-Length: 2\r\n\r\nhi`));
    await call(client, requestTo({ port }));
    const outcome = call(client, requestTo({ port, limits: { firstByteTimeoutMs: 300, totalTimeoutMs: 400 } }));
    const untilMs = performance.now() + 700;
    while (performance.now() < untilMs) {
      // Busy on purpose: the response waits in the system meanwhile.
    }
    expect(await outcome).toMatchObject({ status: 200, body: "hi", error: null });
  });

  test("a limit ends a call soon after its time and never before", async () => {
    const port = serve(() => undefined);
    const tookMs = await Promise.all(
      [100, 130, 160, 190, 220].map(async (firstByteTimeoutMs) => {
        const failing = failure(client.send(requestTo({ port, limits: { firstByteTimeoutMs } })));
        return (await elapsedMs(failing)) - firstByteTimeoutMs;
      }),
    );
    expect(Math.min(...tookMs)).toBeGreaterThanOrEqual(-1);
    expect(Math.max(...tookMs)).toBeLessThan(promptMs);
  });
});
