import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { HttpClient, HttpClientErrorKind } from "@sluice/http-client/model";
import { type Bytes, viewOf } from "@sluice/http-client/packet-part";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { type CallOutcome, call, consume, failure, requestTo } from "../support/wire/http-calls.ts";
import {
  type RawHttpServer,
  type RawHttpServerOptions,
  type RawSocket,
  startRawHttpServer,
} from "../support/wire/raw-http-server.ts";

const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

let server: RawHttpServer | null = null;

function serve(options: RawHttpServerOptions | ((socket: RawSocket) => void)): number {
  server = startRawHttpServer(typeof options === "function" ? { onRequest: options } : options);
  return server.port;
}

afterEach(() => {
  server?.stop();
  server = null;
});

describe("faults of the upstream", () => {
  let client: HttpClient;

  beforeEach(() => {
    client = new PooledHttpClient();
  });
  afterEach(() => {
    client.close();
  });

  test("a refused connection is unreachable and nothing was sent", async () => {
    const port = serve(() => undefined);
    server?.stop();
    const { error } = await call(client, requestTo({ port, method: "POST", body: "a" }));
    expect(error).toMatchObject({ kind: "unreachable", isRequestSent: false });
  });

  const beforeHead: Record<string, (socket: RawSocket) => void> = {
    "a reset before the head": (socket) => socket.reset(),
    "an orderly end before the head": (socket) => socket.finish(),
    "an end in the middle of the head": (socket) => {
      socket.send("HTTP/1.1 200 OK\r\nContent-Le");
      socket.finish();
    },
  };
  for (const [fault, answer] of Object.entries(beforeHead)) {
    test(`${fault} is reset_before_head, and the request may have been processed`, async () => {
      const port = serve(answer);
      const { error } = await call(client, requestTo({ port, method: "POST", body: "a" }));
      expect(error).toMatchObject({ kind: "reset_before_head", isRequestSent: true });
      expect(server?.requests.length).toBe(1);
    });
  }

  const inBody: Record<string, [string, "finish" | "reset"]> = {
    "an orderly end before the declared length": [`${ok}Content-Length: 50\r\n\r\nhello`, "finish"],
    "a reset before the declared length": [`${ok}Content-Length: 50\r\n\r\nhello`, "reset"],
    "an orderly end between two chunks": [`${chunked}5\r\nhello\r\n`, "finish"],
    "an orderly end inside a chunk": [`${chunked}9\r\nhello`, "finish"],
    "a reset between two chunks": [`${chunked}5\r\nhello\r\n`, "reset"],
  };
  for (const [fault, [text, end]] of Object.entries(inBody)) {
    test(`${fault} never looks like the end of the body`, async () => {
      const port = serve((socket) => {
        socket.send(text);
        // The reset must not overtake the bytes.
        setTimeout(() => socket[end](), 50);
      });
      const outcome = await call(client, requestTo({ port }));
      expect(outcome).toMatchObject({ status: 200, body: "hello", isDelimited: null });
      expect(outcome.error).toMatchObject({ kind: "reset_in_body", isRequestSent: true });
      const bytes = client.send(requestTo({ port })).then((response) => response.body.bytes(1_000));
      expect(await failure(bytes)).toMatchObject({ kind: "reset_in_body" });
    });
  }

  test("a body that only the end of the connection delimits is marked as such", async () => {
    const port = serve((socket) => {
      socket.send(`${ok}\r\nhello`);
      socket.finish();
    });
    expect(await call(client, requestTo({ port }))).toEqual({
      status: 200,
      body: "hello",
      isDelimited: false,
      error: null,
    });
  });

  test("a body that ended before it was requested is read to its end", async () => {
    const ends: Record<string, [string, "finish" | "reset", Partial<CallOutcome>]> = {
      "/closed": [`${ok}\r\nhello`, "finish", { body: "hello", isDelimited: false }],
      "/whole": [`${ok}Content-Length: 5\r\n\r\nhello`, "reset", { body: "hello", isDelimited: true }],
      "/cut": [`${ok}Content-Length: 9\r\n\r\nhello`, "finish", { isDelimited: null }],
    };
    const port = serve({
      onRequest: (socket, { head }) => {
        const [text, end] = ends[head.split(" ")[1] ?? ""] ?? ["", "reset"];
        socket.send(text);
        setTimeout(() => socket[end](), 20);
      },
    });
    for (const [target, [, , expected]] of Object.entries(ends)) {
      const response = await client.send(requestTo({ port, target }));
      await server?.allClosed();
      await Bun.sleep(20);
      expect(await consume(response)).toMatchObject(expected);
    }
  });

  test("a delimited body is marked as such, with a length and with chunks", async () => {
    const port = serve((socket) => socket.send(`${ok}Content-Length: 5\r\n\r\nhello`));
    expect(await call(client, requestTo({ port }))).toMatchObject({ body: "hello", isDelimited: true });
    server?.stop();
    const other = serve((socket) => socket.send(`${chunked}5\r\nhello\r\n0\r\n\r\n`));
    expect(await call(client, requestTo({ port: other }))).toMatchObject({ body: "hello", isDelimited: true });
  });

  test("a response that drips byte by byte arrives complete", async () => {
    const text = `${chunked}5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nT: 1\r\n\r\n`;
    const port = serve((socket) => {
      let sent = 0;
      const timer = setInterval(() => {
        socket.send(text.charAt(sent));
        sent += 1;
        if (sent === text.length) {
          clearInterval(timer);
        }
      }, 1);
    });
    expect(await call(client, requestTo({ port }))).toMatchObject({ body: "hello world", isDelimited: true });
  });

  test("bytes after the response do not become part of it or of the next one", async () => {
    const port = serve((socket) => {
      socket.send(`${ok}Content-Length: 5\r\n\r\nhello${ok}Content-Length: 4\r\n\r\nevil`);
    });
    for (let round = 0; round < 3; round += 1) {
      expect(await call(client, requestTo({ port }))).toMatchObject({ body: "hello", isDelimited: true });
    }
    expect(server?.connections).toBe(3);
  });

  test("a body that declares too many bytes is refused before it is read", async () => {
    const port = serve((socket) => socket.send(`${ok}Content-Length: 1001\r\n\r\n`));
    const error = await failure(client.send(requestTo({ port, limits: { responseBytesMax: 1000 } })));
    expect(error).toMatchObject({ kind: "too_large", isRequestSent: true });
    await server?.allClosed();
  });

  test("a body that exceeds the limit is cut there", async () => {
    const port = serve((socket) => {
      socket.send(chunked);
      for (let index = 0; index < 20; index += 1) {
        socket.send(`64\r\n${"x".repeat(100)}\r\n`);
      }
    });
    const outcome = await call(client, requestTo({ port, limits: { responseBytesMax: 1000 } }));
    expect(outcome.error).toMatchObject({ kind: "too_large" });
    expect(outcome.body.length).toBeLessThanOrEqual(1000);
    await server?.allClosed();
  });

  test("bytesNow() gives a body that came with its head without a promise, and any other with one", async () => {
    let late: RawSocket | null = null;
    const port = serve((socket) => {
      socket.send(`${ok}Content-Length: 2\r\n\r\n${late === null ? "a" : "ab"}`);
      late ??= socket;
    });
    const first = await client.send(requestTo({ port }));
    const rest = first.body.bytesNow(10);
    expect(rest).toBeInstanceOf(Promise);
    const whole = await client.send(requestTo({ port }));
    expect(viewOf(whole.body.bytesNow(10) as Bytes).toString()).toBe("ab");
    (late as RawSocket | null)?.send("b");
    expect(viewOf(await rest).toString()).toBe("ab");
  });

  test("bytes() refuses what is larger than its own limit, declared or not", async () => {
    const port = serve((socket) => socket.send(`${ok}Content-Length: 11\r\n\r\nhello`));
    const declared = await client.send(requestTo({ port }));
    expect(await failure(Promise.resolve(declared.body.bytesNow(10)))).toMatchObject({ kind: "too_large" });
    server?.stop();
    const other = serve((socket) => socket.send(`${chunked}b\r\nhello world\r\n`));
    const grown = await client.send(requestTo({ port: other }));
    expect(await failure(grown.body.bytes(10))).toMatchObject({ kind: "too_large" });
    await server?.allClosed();
  });

  const garbage: Record<string, string> = {
    "text of another protocol": "SSH-2.0-OpenSSH_9.2p1\r\n",
    "random bytes": "\x15\x03\x01\x00\x02\x02\x28\xff\xfe\x00",
    "a chunk size that is not a number": `${chunked}zz\r\nhello\r\n`,
  };
  for (const [what, text] of Object.entries(garbage)) {
    test(`${what} instead of a response is an error, not a body`, async () => {
      const port = serve((socket) => {
        socket.send(text);
      });
      const outcome = await call(client, requestTo({ port }));
      expect(outcome.body).toBe("");
      expect(outcome.error).toMatchObject({ kind: "malformed", isRequestSent: true });
    });
  }

  test("redirects and compressed bodies pass as they are", async () => {
    const packed = Bun.gzipSync("hello");
    const port = serve((socket) => {
      socket.send(
        `HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`,
      );
      socket.send(packed);
    });
    const response = await client.send(requestTo({ port }));
    expect(response.status).toBe(302);
    expect(response.headers).toContainEqual(["location", "/other"]);
    expect(response.headers).toContainEqual(["content-encoding", "gzip"]);
    expect(Buffer.from(await response.body.bytes(1_000))).toEqual(Buffer.from(packed));
    expect(server?.requests.length).toBe(1);
  });

  test("HEAD, 204 and 304 have no body", async () => {
    const port = serve({
      onRequest: (socket, { head }) => {
        const status = head.startsWith("HEAD") ? "200 OK" : head.startsWith("GET /204") ? "204 No" : "304 Not";
        socket.send(`HTTP/1.1 ${status}\r\n${status.startsWith("204") ? "" : "Content-Length: 5\r\n"}\r\n`);
      },
    });
    for (const [method, target] of [
      ["HEAD", "/"],
      ["GET", "/204"],
      ["GET", "/304"],
    ] as const) {
      expect(await call(client, requestTo({ port, method, target }))).toMatchObject({ body: "", isDelimited: true });
      const response = await client.send(requestTo({ port, method, target }));
      expect((await response.body.bytes(0)).length).toBe(0);
    }
  });

  test("a sink that throws ends its own response and no other", async () => {
    const port = serve({
      onRequest: (socket, { head }) => {
        socket.send(`${chunked}5\r\nhello\r\n`);
        if (head.startsWith("GET /good")) {
          socket.send("0\r\n\r\n");
        }
      },
    });
    const response = await client.send(requestTo({ port }));
    const reason = new Error("defect of the sink");
    const errors = await new Promise((resolve) => {
      response.body.consume({
        onChunk: () => {
          throw reason;
        },
        onEnd: () => resolve("ended"),
        onError: resolve,
      });
    });
    expect(errors).toMatchObject({ kind: "aborted", cause: reason });
    await server?.allClosed();
    expect(await call(client, requestTo({ port, target: "/good" }))).toMatchObject({
      body: "hello",
      isDelimited: true,
    });
  });

  test("a sink that throws at the end is told so, and nobody else", async () => {
    const port = serve((socket) => socket.send(`${ok}Content-Length: 2\r\n\r\nhi`));
    const response = await client.send(requestTo({ port }));
    const reason = new Error("defect of the sink");
    const error = await new Promise((resolve) => {
      const onEnd = () => {
        throw reason;
      };
      response.body.consume({ onChunk: () => undefined, onEnd, onError: resolve });
    });
    expect(error).toMatchObject({ kind: "aborted", cause: reason });
    expect(await call(client, requestTo({ port }))).toMatchObject({ body: "hi" });
  });

  test("a body can be claimed only once", async () => {
    const port = serve((socket) => socket.send(`${ok}Content-Length: 2\r\n\r\nhi`));
    const response = await client.send(requestTo({ port }));
    await response.body.bytes(2);
    expect(() =>
      response.body.consume({ onChunk: () => undefined, onEnd: () => undefined, onError: () => undefined }),
    ).toThrow(TypeError);
  });

  test("a closed client refuses further requests and sends nothing", async () => {
    const port = serve((socket) => socket.send(`${ok}Content-Length: 0\r\n\r\n`));
    client.close();
    expect(await failure(client.send(requestTo({ port })))).toMatchObject({
      kind: "no_connection",
      isRequestSent: false,
    });
    expect(server?.connections).toBe(0);
  });

  test("hundreds of concurrent calls each get their own response", async () => {
    const port = serve({
      onRequest: (socket, { head, body }) => {
        const target = head.split(" ")[1] ?? "";
        const text = `${target}:${body.toString("latin1")}`;
        const framed = target.endsWith("0")
          ? `${ok}Content-Length: ${text.length}\r\n\r\n${text}`
          : `${chunked}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
        const middle = framed.length >> 1;
        socket.send(framed.slice(0, middle));
        setTimeout(() => socket.send(framed.slice(middle)), Number(target.slice(1)) % 7);
      },
    });
    const callers = Array.from({ length: 100 }, async (_, caller) => {
      for (let round = 0; round < 5; round += 1) {
        const target = `/${caller * 5 + round}`;
        const body = "b".repeat((caller * 131 + round * 17) % 5_000);
        const outcome = await call(client, requestTo({ port, method: "POST", target, body }));
        expect(outcome).toEqual({ status: 200, body: `${target}:${body}`, isDelimited: true, error: null });
      }
    });
    await Promise.all(callers);
    expect(server?.requests.length).toBe(500);
  });
});

describe("strictness", () => {
  const client = new PooledHttpClient();

  test("the last chunk without the empty line after it is not the end of the body", async () => {
    const port = serve((socket) => {
      socket.send(`${chunked}5\r\nhello\r\n0\r\n`);
      socket.finish();
    });
    const outcome = await call(client, requestTo({ port }));
    expect(outcome).toMatchObject({ body: "hello", isDelimited: null, error: { kind: "reset_in_body" } });
  });

  const heads: Record<string, [string, HttpClientErrorKind]> = {
    "a head of 100 KB": [`${ok}X-A: ${"a".repeat(100_000)}\r\n\r\n`, "too_large"],
    "an endless head": [`${ok}X-A: ${"a".repeat(100_000)}`, "too_large"],
    "200 headers": [`${ok}${"X-A: 1\r\n".repeat(200)}\r\n`, "too_large"],
    "a length together with chunks": [
      `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      "malformed",
    ],
  };
  for (const [what, [text, kind]] of Object.entries(heads)) {
    test(`${what} is refused and the connection closed`, async () => {
      const port = serve((socket) => socket.send(text));
      expect(await failure(client.send(requestTo({ port })))).toMatchObject({ kind, isRequestSent: true });
      await server?.allClosed();
    });
  }
});

test("a reader hears when a packet has ended, even one that it has stopped in, unless the body ends with it", async () => {
  const sockets: RawSocket[] = [];
  const port = serve((socket) => {
    sockets.push(socket);
    socket.send(`${chunked}1\r\na\r\n1\r\nb\r\n`);
  });
  const client = new PooledHttpClient();
  const response = await client.send(requestTo({ port }));
  const heard: string[] = [];
  const ended = Promise.withResolvers<void>();
  const flow = response.body.consume({
    onChunk: () => undefined,
    onPart: (packet, start, end) => {
      heard.push(packet.toString("latin1", start, end));
      if (heard.length === 1) {
        flow.pause();
      }
    },
    onPacketEnd: () => {
      heard.push("-");
      if (heard.length === 2) {
        flow.resume();
      } else if (heard.length === 4) {
        sockets[0]?.send("1\r\nc\r\n0\r\n\r\n");
      }
    },
    onEnd: () => ended.resolve(),
    onError: ended.reject,
  });
  await ended.promise;
  expect(heard.join("")).toBe("a-b-c");
  client.close();
});
