import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { HttpRequest } from "@sluice/http-client/model";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { turn } from "@sluice/http-client/turn";
import { type CallOutcome, call, requestTo } from "../support/wire/http-calls.ts";
import { type RawHttpServer, type RawSocket, startRawHttpServer } from "../support/wire/raw-http-server.ts";

const ok = "HTTP/1.1 200 OK\r\n";
const hello = `${ok}Content-Length: 5\r\n\r\nhello`;
const evil = `${ok}Content-Length: 4\r\n\r\nevil`;

let server: RawHttpServer;
let client: PooledHttpClient;
/** The server's end of the first connection. */
let peer: RawSocket | null;

beforeEach(() => {
  client = new PooledHttpClient();
  peer = null;
  server = startRawHttpServer({
    onRequest: (socket) => {
      peer ??= socket;
      socket.send(hello);
    },
  });
});
afterEach(() => {
  client.close();
  server.stop();
});

/**
 * Makes a call in the turn that also reads what `act` has done to an idle connection; the packet that leads to the call was
 * read first.
 */
async function callInTurn(request: HttpRequest, act: () => void): Promise<CallOutcome> {
  await call(client, requestTo({ port: server.port }));
  const { promise, resolve, reject } = Promise.withResolvers<CallOutcome>();
  const caller = { onData: () => void call(client, request).then(resolve, reject), onFailure: reject };
  using listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (_, packet) => turn.read(caller, packet) },
  });
  const trigger = await Bun.connect({
    hostname: "127.0.0.1",
    port: listener.port,
    socket: { data: () => undefined },
  });
  trigger.write("call");
  act();
  const outcome = await promise;
  trigger.end();
  return outcome;
}

/** Keeps the thread busy, as a long computation does, once the runtime has called its timers. */
function blockFor(ms: number): void {
  setImmediate(() => {
    const untilMs = performance.now() + ms;
    while (performance.now() < untilMs) {}
  });
}

test("a response that was read in time is not late because timers are called before it is processed", async () => {
  const slow = startRawHttpServer({
    onRequest: (socket) => {
      socket.send(hello);
      blockFor(400);
    },
  });
  const limits = { connectTimeoutMs: 2_000, firstByteTimeoutMs: 100 };
  const { body, error } = await call(client, requestTo({ port: slow.port, limits }));
  slow.stop();
  expect([body, error]).toEqual(["hello", null]);
});

test("a head that was read before its caller left counts as received", async () => {
  const asked = Promise.withResolvers<RawSocket>();
  const slow = startRawHttpServer({ onRequest: (socket) => asked.resolve(socket) });
  const leaving = new AbortController();
  const limits = { afterAbort: { timeoutMs: 5_000, bytesMax: 1_000 } };
  const answer = call(client, requestTo({ port: slow.port, signal: leaving.signal, limits }));
  using listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => leaving.abort() } });
  const trigger = await Bun.connect({ hostname: "127.0.0.1", port: listener.port, socket: { data: () => undefined } });
  // One turn reads both sockets: first the response, and then the packet that leads to the abort.
  (await asked.promise).send(hello);
  trigger.write("leave");
  const { body, error } = await answer;
  trigger.end();
  slow.stop();
  expect([body, error]).toEqual(["hello", null]);
});

describe("a request made in the turn that reads its connection", () => {
  const bodies: Record<string, number> = { small: 20, "too large to be held": 20_000, "larger than a write": 100_000 };
  for (const [size, length] of Object.entries(bodies)) {
    test(`bytes that came before are not its response if its body is ${size}`, async () => {
      const request = requestTo({
        port: server.port,
        method: "POST",
        body: "x".repeat(length),
      });
      const { body } = await callInTurn(request, () => peer?.send(evil));
      expect([body, server.connections]).toEqual(["hello", 2]);
    });
  }

  test("is not sent on a connection that its peer has closed", async () => {
    const request = requestTo({ port: server.port, method: "POST" });
    const { body, error } = await callInTurn(request, () => peer?.finish());
    expect([body, error, server.connections]).toEqual(["hello", null, 2]);
  });
});
