import { afterEach, describe, expect, test } from "bun:test";
import { WsWebSocketClient } from "@sluice/control-plane/platform/websocket/client.ts";
import { HttpClientError } from "@sluice/http-client/model";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { ServerGuard } from "@sluice/http-client/server-guard";
import { call, failure, requestTo } from "../support/wire/http-calls.ts";
import { type RawHttpServer, startRawHttpServer } from "../support/wire/raw-http-server.ts";
import { createTestAuthority } from "../support/wire/test-certificates.ts";

const authority = createTestAuthority();
const certificate = authority.issue({ dns: ["api.test"] });

/**
 * What the name currently resolves to. 127.0.0.1 represents a public address, and every other one the inside of a
 * network.
 */
let answer: readonly string[] = ["127.0.0.1"];
let server: RawHttpServer;
let client: PooledHttpClient | null = null;

const openGuard = () =>
  new ServerGuard({
    isAllowed: (address) => address === "127.0.0.1" || address === "127.0.0.3",
    lookup: () => Promise.resolve(answer),
  });

function serve(isTls: boolean, reply: string): void {
  server = startRawHttpServer({
    ...(isTls ? { tls: certificate } : {}),
    onRequest: (socket) => socket.send(reply),
  });
}

afterEach(() => {
  client?.close();
  server.stop();
  answer = ["127.0.0.1"];
});

const hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const farewell = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
const toApi = (protocol: "http:" | "https:") => requestTo({ protocol, hostname: "api.test", port: server.port });

describe.each(["http:", "https:"] as const)("a connection over %s", (protocol) => {
  const isTls = protocol === "https:";

  test("goes to the checked address, under the name", async () => {
    serve(isTls, hello);
    client = new PooledHttpClient({ tlsCa: authority.cert, guard: openGuard() });
    expect((await call(client, toApi(protocol))).body).toBe("hello");
    expect(server.requests[0]?.head.toLowerCase()).toContain(`\r\nhost: api.test:${server.port}\r\n`);
  });

  test("is not made once the name resolves elsewhere", async () => {
    serve(isTls, farewell);
    client = new PooledHttpClient({ tlsCa: authority.cert, guard: openGuard() });
    expect((await call(client, toApi(protocol))).body).toBe("hello");
    answer = ["127.0.0.2"];
    const error = await failure(client.send(toApi(protocol)));
    expect(error).toMatchObject({ kind: "unreachable", isRequestSent: false });
    expect([server.connections, client.statistics.open]).toEqual([1, 0]);
  });

  test("is reused without a query once established", async () => {
    serve(isTls, hello);
    client = new PooledHttpClient({ tlsCa: authority.cert, guard: openGuard() });
    await call(client, toApi(protocol));
    answer = ["127.0.0.2"];
    expect((await call(client, toApi(protocol))).body).toBe("hello");
    expect(server.connections).toBe(1);
  });

  test("is tried at the next address when the first one refuses it", async () => {
    serve(isTls, hello);
    client = new PooledHttpClient({ tlsCa: authority.cert, guard: openGuard() });
    // The server listens on 127.0.0.1 alone.
    answer = ["127.0.0.3", "127.0.0.1"];
    expect((await call(client, toApi(protocol))).body).toBe("hello");
    answer = ["127.0.0.3"];
    client.close();
    client = new PooledHttpClient({ tlsCa: authority.cert, guard: openGuard() });
    expect(await failure(client.send(toApi(protocol)))).toMatchObject({ kind: "unreachable" });
    expect(client.statistics.open).toBe(0);
  });
});

test("a call that is aborted during name resolution leaves no connection", async () => {
  serve(false, hello);
  const asked = Promise.withResolvers<readonly string[]>();
  const guard = new ServerGuard({ isAllowed: () => true, lookup: () => asked.promise });
  client = new PooledHttpClient({ guard });
  const abort = new AbortController();
  const pending = failure(client.send({ ...toApi("http:"), signal: abort.signal }));
  abort.abort();
  expect(await pending).toMatchObject({ kind: "aborted", isRequestSent: false });
  asked.reject(Object.assign(new Error(), { code: "ENOTFOUND" }));
  await Bun.sleep(0);
  expect([client.statistics.open, server.connections]).toEqual([0, 0]);
});

describe.each(["http:", "https:"] as const)("a websocket over %s", (protocol) => {
  const open = (guard: ServerGuard | null) => {
    const limits = { connectTimeoutMs: 2_000, frameBytesMax: 1_000 };
    const place = { protocol, hostname: "api.test", port: server.port, target: "/live" };
    const sockets = new WsWebSocketClient(authority.cert, guard);
    return sockets.open({ ...place, headers: [], subprotocols: [], signal: new AbortController().signal, limits });
  };

  test("goes to the checked address, under the name, and to no other", async () => {
    serve(protocol === "https:", "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
    const guard = openGuard();
    answer = ["127.0.0.3", "127.0.0.1"];
    expect(await open(guard)).toMatchObject({ status: 403 });
    expect(server.requests[0]?.head.toLowerCase()).toContain(`\r\nhost: api.test:${server.port}\r\n`);
    const before = server.connections;
    answer = ["127.0.0.1", "127.0.0.2"];
    const error = await open(guard).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(HttpClientError);
    expect([(error as HttpClientError).kind, server.connections]).toEqual(["unreachable", before]);
  });
});
