import { afterEach, describe, expect, test } from "bun:test";
import type { HttpBodyStream } from "@sluice/http-client/model";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { type CallOutcome, call, requestTo } from "../support/wire/http-calls.ts";
import { startRawHttpServer } from "../support/wire/raw-http-server.ts";

const mebibyte = 1_048_576;
const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) {
    stop();
  }
});

function openClient(localAddress?: string): PooledHttpClient {
  const client = new PooledHttpClient(localAddress === undefined ? {} : { localAddress });
  stops.push(() => client.close());
  return client;
}

/** A peer that keeps what it gets, and responds on command. */
function startListener(onData: (socket: Bun.Socket, heard: string) => void = () => undefined) {
  const peer = { heard: "", connections: 0, port: 0, closed: Promise.withResolvers<void>(), from: "" };
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket) => {
        peer.connections += 1;
        peer.from = socket.remoteAddress;
      },
      data: (socket, bytes) => {
        peer.heard += bytes.toString("latin1");
        onData(socket, peer.heard);
      },
      close: () => peer.closed.resolve(),
    },
  });
  peer.port = listener.port;
  stops.push(() => listener.stop(true));
  return peer;
}

type Source = { readonly body: HttpBodyStream; readonly isCancelled: () => boolean; readonly taken: () => number };

/** A body of these pieces; after the last one it ends, breaks off or stays silent. */
function sourceOf(
  pieces: readonly Uint8Array[],
  options: Partial<HttpBodyStream> & { end?: "break" | "silence" },
): Source {
  let taken = 0;
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const piece = pieces[taken];
        if (piece !== undefined) {
          taken += 1;
          controller.enqueue(piece);
        } else if (options.end === "break") {
          controller.error(new Error("the sender left"));
        } else if (options.end === "silence") {
          await new Promise(() => undefined);
        } else {
          controller.close();
        }
      },
      cancel: () => {
        isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const body = { stream, length: options.length ?? null, bytesMax: options.bytesMax ?? 100 * mebibyte };
  return { body, isCancelled: () => isCancelled, taken: () => taken };
}

const raw = (text: string): Uint8Array => Buffer.from(text);
const post = (client: PooledHttpClient, port: number, source: Source, limits = {}): Promise<CallOutcome> =>
  call(client, { ...requestTo({ port, method: "POST", limits }), body: source.body });

describe("a body that is sent as it comes", () => {
  test("arrives byte for byte, with a length and in chunks, and the connection serves the next call", async () => {
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        return new Response(
          `${request.headers.get("content-length")} ${Bun.SHA256.hash(await request.bytes(), "hex")}`,
        );
      },
    });
    stops.push(() => void server.stop(true));
    const client = openClient();
    const pieces = [1, 70_000, 0, 3 * mebibyte, 17].map((size) => crypto.getRandomValues(Buffer.alloc(size)));
    const whole = Buffer.concat(pieces);
    const digest = Bun.SHA256.hash(whole, "hex");
    for (const declared of [whole.length, null, whole.length, null]) {
      const outcome = await post(client, server.port ?? 0, sourceOf(pieces, { length: declared }));
      expect(outcome).toMatchObject({ status: 200, body: `${declared} ${digest}` });
    }
    expect(client.statistics).toMatchObject({ open: 1, begun: 1 });
  });

  test("is read no faster than the peer takes it", async () => {
    const server = startRawHttpServer({ onOpen: (socket) => socket.pause() });
    stops.push(() => server.stop());
    const piece = new Uint8Array(mebibyte);
    const source = sourceOf(
      Array.from({ length: 90 }, () => piece),
      {},
    );
    const outcome = await post(openClient(), server.port, source, { idleTimeoutMs: 400 });
    expect(outcome.error).toMatchObject({ kind: "upload_timeout", isRequestSent: true });
    // The kernel's buffers of a connection grow to 36 MiB on many systems.
    expect(source.taken()).toBeLessThan(70);
    expect(source.isCancelled()).toBe(true);
  });

  test.each([
    ["that breaks off", { end: "break" }, "aborted"],
    ["that ends before its declared length", { length: 6 }, "aborted"],
    ["that grows beyond its declared length", { length: 4 }, "request_too_large"],
    ["that grows beyond its limit", { bytesMax: 4 }, "request_too_large"],
    ["that stops coming", { end: "silence" }, "upload_timeout"],
  ] as const)("%s never looks complete, and the connection ends", async (_what, options, kind) => {
    const peer = startListener();
    const source = sourceOf([raw("ab"), raw("cde")], options);
    const outcome = await post(
      openClient(),
      peer.port,
      source,
      kind === "upload_timeout" ? { idleTimeoutMs: 200 } : {},
    );
    expect(outcome.error).toMatchObject({ kind, isRequestSent: true });
    await peer.closed.promise;
    const sent = kind === "request_too_large" ? "ab" : "abcde";
    const isChunked = !("length" in options);
    expect(peer.heard).toEndWith(
      isChunked ? (sent === "ab" ? "2\r\nab\r\n" : "2\r\nab\r\n3\r\ncde\r\n") : `\r\n\r\n${sent}`,
    );
  });

  test("is abandoned at once on an abort, and its source is notified", async () => {
    const abort = new AbortController();
    const peer = startListener((_socket, heard) => heard.includes("ab") && abort.abort());
    const source = sourceOf([raw("ab")], { end: "silence" });
    const request = { ...requestTo({ port: peer.port, method: "POST", signal: abort.signal }), body: source.body };
    expect((await call(openClient(), request)).error).toMatchObject({ kind: "aborted" });
    await peer.closed.promise;
    expect(source.isCancelled()).toBe(true);
  });

  test("is abandoned when the response is complete first, and the connection is not reused", async () => {
    const peer = startListener((socket) => socket.write("HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno"));
    const client = openClient();
    const source = sourceOf([raw("ab")], { end: "silence" });
    expect(await post(client, peer.port, source)).toMatchObject({ status: 413, body: "no", error: null });
    await peer.closed.promise;
    expect(source.isCancelled()).toBe(true);
    expect(client.statistics.open).toBe(0);
  });

  test("is sent once: a connection that died under it is not replaced", async () => {
    let calls = 0;
    const peer = startListener((socket, heard) => {
      calls = heard.split(" HTTP/1.1\r\n").length - 1;
      if (calls === 1) {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      } else {
        socket.terminate();
      }
    });
    const client = openClient();
    await call(client, requestTo({ port: peer.port }));
    const source = sourceOf([raw("ab")], {});
    const request = { ...requestTo({ port: peer.port }), body: source.body };
    expect((await call(client, request)).error).toMatchObject({ kind: "reset_before_head" });
    expect([calls, peer.connections]).toEqual([2, 1]);
  });
});

test("connections go out from the local address that the client was given", async () => {
  const peer = startListener((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  const client = openClient("127.0.0.9");
  expect(client.seenLocalAddress).toBeNull();
  expect(await call(client, requestTo({ port: peer.port }))).toMatchObject({ status: 200 });
  expect([peer.from, client.seenLocalAddress]).toEqual(["127.0.0.9", "127.0.0.9"]);
  const stranger = openClient("203.0.113.9");
  expect((await call(stranger, requestTo({ port: peer.port }))).error).toMatchObject({ kind: "unreachable" });
});
