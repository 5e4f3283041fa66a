import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { HttpClient } from "@sluice/http-client/model";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { call, failure, requestTo } from "../support/wire/http-calls.ts";
import { type RawHttpServer, startRawHttpServer } from "../support/wire/raw-http-server.ts";

const ok = "HTTP/1.1 200 OK\r\n";

let server: RawHttpServer;

beforeEach(() => {
  server = startRawHttpServer({ onRequest: (socket) => socket.send(`${ok}Content-Length: 0\r\n\r\n`) });
});
afterEach(() => {
  server.stop();
});

describe("what reaches the upstream", () => {
  let client: HttpClient;

  beforeEach(() => {
    client = new PooledHttpClient();
  });
  afterEach(() => {
    client.close();
  });

  test("the request arrives as given, with Host and the length of its body", async () => {
    const { port } = server;
    const body = Buffer.from('{"ä":"\u0000\r\n"}');
    const headers = [
      ["authorization", "Bearer a b"],
      ["x-empty", ""],
    ] as const;
    await call(
      client,
      requestTo({ port, hostname: "localhost", method: "POST", target: "/a/b?c=%20d&e", headers, body }),
    );
    const request = server.requests[0];
    expect(request?.body).toEqual(body);
    expect(request?.head.split("\r\n")[0]).toBe("POST /a/b?c=%20d&e HTTP/1.1");
    const lines = request?.head.toLowerCase().split("\r\n") ?? [];
    for (const line of [`host: localhost:${port}`, `content-length: ${body.length}`, "authorization: bearer a b"]) {
      expect(lines.filter((other) => other === line)).toEqual([line]);
    }
    expect(lines.some((line) => line.startsWith("accept-encoding"))).toBe(false);
  });

  test("a POST without a body declares the length 0, a GET declares none", async () => {
    const { port } = server;
    await call(client, requestTo({ port, method: "POST" }));
    await call(client, requestTo({ port }));
    expect(server.requests.map(({ head }) => /content-length: 0/i.test(head))).toEqual([true, false]);
  });

  test("a value in Latin-1 arrives byte for byte", async () => {
    const { port } = server;
    await call(client, requestTo({ port, headers: [["x-name", "Andr\u00e9"]] }));
    expect(server.requests[0]?.head.toLowerCase()).toContain("\r\nx-name: andr\u00e9\r\n");
  });

  test("a head that looks like the one before is refused for a line end of its own", async () => {
    const { port } = server;
    await call(
      client,
      requestTo({
        port,
        headers: [
          ["x-a", "1"],
          ["x-b", "2"],
        ],
      }),
    );
    const error = await failure(client.send(requestTo({ port, headers: [["x-a", "1\r\nx-b: 2"]] })));
    expect(error).toMatchObject({ kind: "malformed", isRequestSent: false });
    expect(server.requests).toHaveLength(1);
  });

  test("requests with the same head arrive whole, whatever the lengths of their bodies are", async () => {
    const { port } = server;
    const lengths = [5, 1_000, 70_000, 5, 0, 12];
    for (const length of lengths) {
      await call(client, requestTo({ port, method: "POST", headers: [["x-a", "1"]], body: Buffer.alloc(length, "b") }));
    }
    expect(server.requests.map(({ head, body }) => [/x-a: 1\r\n/i.test(head), body.length])).toEqual(
      lengths.map((length) => [true, length]),
    );
  });

  const smuggled: Record<string, Parameters<typeof requestTo>[0]> = {
    "a line end in a value": { port: 1, headers: [["x-a", "1\r\nx-evil: 1"]] },
    "a bare CR in a value": { port: 1, headers: [["x-a", "1\rx-evil: 1"]] },
    "a bare LF in a value": { port: 1, headers: [["x-a", "1\nx-evil: 1"]] },
    "a NUL in a value": { port: 1, headers: [["x-a", "1\0"]] },
    "a character whose lower byte is a line end": { port: 1, headers: [["x-a", "1\u010d\u010ax-evil: 1"]] },
    "a character that a header cannot carry": { port: 1, headers: [["x-a", "\u0142"]] },
    "a line end in a name": { port: 1, headers: [["x-a: 1\r\nx-evil", "1"]] },
    "a blank in a name": { port: 1, headers: [["x a", "1"]] },
    "an empty name": { port: 1, headers: [["", "1"]] },
    "a line end in the target": { port: 1, target: "/ HTTP/1.1\r\nx-evil: 1\r\n\r\n" },
    "a blank in the target": { port: 1, target: "/a HTTP/1.1" },
    "a target beyond ASCII": { port: 1, target: "/\u00e9" },
    "a target whose lower byte is a line end": { port: 1, target: "/\u010a" },
    "a target without a slash": { port: 1, target: "http://other/" },
    "a method with a line end": { port: 1, method: "GET / HTTP/1.1\r\n" },
    "a hostname with a line end": { port: 1, hostname: "localhost\r\nx-evil: 1" },
    "a hostname with a NUL": { port: 1, hostname: "localhost\0" },
    "a hostname with a user": { port: 1, hostname: "a@localhost" },
    "a length from the caller": { port: 1, headers: [["Content-Length", "5"]] },
    "a coding from the caller": { port: 1, headers: [["transfer-encoding", "chunked"]] },
    "a host from the caller": { port: 1, headers: [["HOST", "other"]] },
    "connection headers from the caller": { port: 1, headers: [["connection", "x-a"]] },
    "a head of more than 64 KiB": { port: 1, headers: [["x-a", "a".repeat(65_536)]] },
  };
  for (const [what, options] of Object.entries(smuggled)) {
    test(`${what} is refused and no byte is sent`, async () => {
      const { port } = server;
      const error = await failure(client.send(requestTo({ ...options, port })));
      expect(error).toMatchObject({ kind: "malformed", isRequestSent: false });
      expect(server.connections).toBe(0);
    });
  }
});
