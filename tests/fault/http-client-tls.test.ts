import { afterEach, describe, expect, test } from "bun:test";
import type { HttpClient } from "@sluice/http-client/model";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { promptMs } from "../support/values/patience.ts";
import { call, failure, requestTo } from "../support/wire/http-calls.ts";
import { type RawHttpServer, startRawHttpServer } from "../support/wire/raw-http-server.ts";
import { createTestAuthority, type TestCertificate } from "../support/wire/test-certificates.ts";

const hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const authority = createTestAuthority();
const stranger = createTestAuthority();
const apiCertificate = authority.issue({ dns: ["api.test"] });

let server: RawHttpServer | null = null;
let client: HttpClient | null = null;
const serverNames: string[] = [];

function serve(tls: TestCertificate): number {
  serverNames.length = 0;
  server = startRawHttpServer({
    tls,
    onRequest: (socket) => {
      serverNames.push(socket.serverName);
      socket.send(hello);
    },
  });
  return server.port;
}

const secret = [["authorization", "Bearer secret"]] as const;
const toApi = { protocol: "https:", hostname: "api.test", address: "127.0.0.1", headers: secret } as const;

afterEach(() => {
  client?.close();
  server?.stop();
});

describe("TLS", () => {
  test("a certificate of a known authority for the right name is accepted, and the name is sent in SNI", async () => {
    const port = serve(apiCertificate);
    client = new PooledHttpClient({ tlsCa: authority.cert });
    for (let round = 0; round < 3; round += 1) {
      expect((await call(client, requestTo({ ...toApi, port, method: "POST", body: "a" }))).body).toBe("hello");
    }
    // The connection leads to an address; Host and SNI carry the name anyway.
    expect(new Set(serverNames)).toEqual(new Set(["api.test"]));
    expect(server?.requests[0]?.head.toLowerCase()).toContain(`\r\nhost: api.test:${port}\r\n`);
  });

  test("a certificate with the address is accepted for that address", async () => {
    const port = serve(authority.issue({ ip: ["127.0.0.1"] }));
    client = new PooledHttpClient({ tlsCa: authority.cert });
    expect((await call(client, requestTo({ protocol: "https:", port }))).body).toBe("hello");
  });

  const refused: Record<string, [TestCertificate, { tlsCa: string } | undefined]> = {
    "a certificate of an unknown authority": [apiCertificate, undefined],
    "a certificate of another authority": [apiCertificate, { tlsCa: stranger.cert }],
    "a certificate for another name": [authority.issue({ dns: ["other.test"] }), { tlsCa: authority.cert }],
    "a certificate for the pinned address only": [authority.issue({ ip: ["127.0.0.1"] }), { tlsCa: authority.cert }],
  };
  for (const [what, [certificate, options]] of Object.entries(refused)) {
    test(`${what} is refused before any byte of the request is sent`, async () => {
      const port = serve(certificate);
      client = new PooledHttpClient(options);
      const error = await failure(client.send(requestTo({ ...toApi, port, method: "POST", body: "a" })));
      expect(error).toMatchObject({ kind: "tls", isRequestSent: false });
      await server?.allClosed();
      expect(server?.receivedBytes).toBe(0);
    });
  }

  test("trust for one name does not extend to another at the same address", async () => {
    const port = serve(apiCertificate);
    client = new PooledHttpClient({ tlsCa: authority.cert });
    expect((await call(client, requestTo({ ...toApi, port }))).body).toBe("hello");
    const { error } = await call(client, requestTo({ ...toApi, port, hostname: "other.test" }));
    expect(error).toMatchObject({ kind: "tls", isRequestSent: false });
    expect(server?.requests.length).toBe(1);
  });

  test("a peer that does not speak TLS is a failure of TLS", async () => {
    server = startRawHttpServer({
      onOpen: (socket) => {
        socket.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        socket.finish();
      },
    });
    client = new PooledHttpClient();
    const { error } = await call(client, requestTo({ ...toApi, port: server.port }));
    expect(error).toMatchObject({ kind: "tls", isRequestSent: false });
  });

  test("a body that is cut off over TLS never looks like its end", async () => {
    for (const end of ["finish", "reset"] as const) {
      server?.stop();
      server = startRawHttpServer({
        tls: apiCertificate,
        onRequest: (socket) => {
          socket.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello");
          setTimeout(() => socket[end](), 50);
        },
      });
      client ??= new PooledHttpClient();
      client.close();
      client = new PooledHttpClient({ tlsCa: authority.cert });
      const outcome = await call(client, requestTo({ ...toApi, port: server.port }));
      expect(outcome).toMatchObject({ body: "hello", isDelimited: null, error: { kind: "reset_in_body" } });
    }
  });
});

describe("TLS connections", () => {
  test("successive calls share a connection, even with a pinned address", async () => {
    const port = serve(apiCertificate);
    const pooled = new PooledHttpClient({ tlsCa: authority.cert, idleMsMax: 200 });
    client = pooled;
    for (let round = 0; round < 5; round += 1) {
      await call(pooled, requestTo({ ...toApi, port }));
    }
    expect(server?.connections).toBe(1);
    await server?.allClosed();
    expect(pooled.statistics).toMatchObject({ open: 0, idle: 0, begun: 1 });
  });

  test("silence in the handshake ends with the limit for connecting, an abort at once", async () => {
    server = startRawHttpServer({});
    client = new PooledHttpClient();
    const request = requestTo({ ...toApi, port: server.port, limits: { connectTimeoutMs: 150 } });
    expect(await failure(client.send(request))).toMatchObject({ kind: "connect_timeout", isRequestSent: false });
    await server.allClosed();
    const abort = new AbortController();
    const pending = failure(client.send(requestTo({ ...toApi, port: server.port, signal: abort.signal })));
    setTimeout(() => abort.abort(), 30);
    const startedMs = performance.now();
    expect(await pending).toMatchObject({ kind: "aborted", isRequestSent: false });
    expect(performance.now() - startedMs).toBeLessThan(promptMs);
    await server.allClosed();
  });

  test("a peer that closes in the middle of the handshake is a failure of TLS", async () => {
    for (const end of ["finish", "reset"] as const) {
      server?.stop();
      server = startRawHttpServer({ onOpen: (socket) => setTimeout(() => socket[end](), 20) });
      client = new PooledHttpClient();
      const { error } = await call(client, requestTo({ ...toApi, port: server.port }));
      expect(error).toMatchObject({ kind: "tls", isRequestSent: false });
    }
  });
});
