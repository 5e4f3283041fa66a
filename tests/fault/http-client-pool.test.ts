import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { patienceMs, promptMs } from "../support/values/patience.ts";
import { call, consume, elapsedMs, failure, requestTo } from "../support/wire/http-calls.ts";
import {
  type RawHttpServer,
  type RawHttpServerOptions,
  type RawSocket,
  startRawHttpServer,
} from "../support/wire/raw-http-server.ts";

const ok = "HTTP/1.1 200 OK\r\n";
const hello = `${ok}Content-Length: 5\r\n\r\nhello`;

let server: RawHttpServer;
let client: PooledHttpClient;

function serve(options: RawHttpServerOptions): number {
  server = startRawHttpServer(options);
  return server.port;
}

/** Resolves once the client knows of so many connections. */
async function untilOpen(count: number): Promise<void> {
  while (client.statistics.open !== count) {
    await Bun.sleep(1);
  }
}

beforeEach(() => {
  client = new PooledHttpClient();
});
afterEach(() => {
  client.close();
  server.stop();
});

describe("keeping connections", () => {
  test("successive calls share a connection", async () => {
    const port = serve({ onRequest: (socket) => socket.send(hello) });
    for (let round = 0; round < 20; round += 1) {
      expect((await call(client, requestTo({ port }))).body).toBe("hello");
    }
    expect(server.connections).toBe(1);
    expect(client.statistics).toEqual({ open: 1, idle: 1, begun: 1 });
  });

  test("a response that is complete before its body is requested gives its connection back", async () => {
    const port = serve({ onRequest: (socket) => socket.send("HTTP/1.1 204 No Content\r\n\r\n") });
    for (let round = 0; round < 3; round += 1) {
      const response = await client.send(requestTo({ port }));
      expect(client.statistics.idle).toBe(1);
      expect((await response.body.bytes(0)).length).toBe(0);
    }
    expect(server.connections).toBe(1);
  });

  test("a request that is made as the last response ends finds the connection free", async () => {
    const port = serve({ onRequest: (socket) => socket.send(hello) });
    const first = await client.send(requestTo({ port }));
    const second = await new Promise((resolve, reject) => {
      first.body.consume({
        onChunk: () => undefined,
        onEnd: () => resolve(call(client, requestTo({ port }))),
        onError: reject,
      });
    });
    expect(second).toMatchObject({ body: "hello", isDelimited: true });
    expect(server.connections).toBe(1);
  });

  test("a connection whose reader paused at the last chunk reads the next response", async () => {
    let peer: RawSocket | undefined;
    const port = serve({
      onRequest: (socket) => {
        peer = socket;
        socket.send(hello);
      },
    });
    for (let round = 0; round < 3; round += 1) {
      const { body } = await client.send(requestTo({ port }));
      await new Promise<void>((resolve, reject) => {
        const flow = body.consume({ onChunk: () => flow.pause(), onEnd: () => resolve(), onError: reject });
      });
    }
    expect(server.connections).toBe(1);
    peer?.finish();
    await untilOpen(0);
  });

  test("any number of connections stays open for the next burst", async () => {
    const port = serve({ onRequest: (socket) => setTimeout(() => socket.send(hello), 20) });
    for (let burst = 0; burst < 2; burst += 1) {
      await Promise.all(Array.from({ length: 150 }, () => call(client, requestTo({ port }))));
    }
    expect(client.statistics).toEqual({ open: 150, idle: 150, begun: 150 });
  });

  test("the connection that became idle last is taken first", async () => {
    let answerSlow = (): void => undefined;
    const port = serve({
      onRequest: (socket, { head, connection }) => {
        const answer = (): void => socket.send(hello.replace("hello", `conn${connection}`));
        if (head.includes("/slow")) {
          answerSlow = answer;
        } else {
          answer();
        }
      },
    });
    const slow = call(client, requestTo({ port, target: "/slow" }));
    await server.received(1);
    const fast = await call(client, requestTo({ port }));
    answerSlow();
    const last = await slow;
    expect(last.body).not.toBe(fast.body);
    for (let round = 0; round < 3; round += 1) {
      expect((await call(client, requestTo({ port }))).body).toBe(last.body);
    }
  });

  const closing: Record<string, string> = {
    "Connection: close": `${ok}Connection: close\r\nContent-Length: 5\r\n\r\nhello`,
    "HTTP/1.0": "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "a byte too many": `${hello}x`,
    "a Keep-Alive of one second": `${ok}Keep-Alive: timeout=1\r\nContent-Length: 5\r\n\r\nhello`,
  };
  for (const [what, text] of Object.entries(closing)) {
    test(`${what} ends the connection with the response`, async () => {
      const port = serve({ onRequest: (socket) => socket.send(text) });
      expect((await call(client, requestTo({ port }))).body).toBe("hello");
      expect(client.statistics.open).toBe(0);
      await server.allClosed();
    });
  }

  test("a body that is given up takes its connection with it", async () => {
    const port = serve({ onRequest: (socket) => socket.send(`${ok}Content-Length: 9\r\n\r\nhello`) });
    const unread = await client.send(requestTo({ port }));
    unread.body.cancel();
    await server.allClosed();
    const half = await client.send(requestTo({ port }));
    let told = "";
    const flow = half.body.consume({
      onChunk: () => {
        told += "chunk ";
        flow.cancel();
      },
      onEnd: () => {
        told += "end ";
      },
      onError: () => {
        told += "error ";
      },
    });
    await server.received(2);
    await server.allClosed();
    expect(told).toBe("chunk ");
    expect(client.statistics).toMatchObject({ open: 0, idle: 0 });
  });

  test("an idle connection on which bytes arrive is closed", async () => {
    let peer: RawSocket | undefined;
    const port = serve({
      onRequest: (socket) => {
        peer = socket;
        socket.send(hello);
      },
    });
    await call(client, requestTo({ port }));
    peer?.send(`${ok}Content-Length: 4\r\n\r\nevil`);
    await server.allClosed();
    expect((await call(client, requestTo({ port }))).body).toBe("hello");
    expect(server.connections).toBe(2);
  });

  test("an idle connection is closed after its time, in an orderly way", async () => {
    client = new PooledHttpClient({ idleMsMax: 200 });
    const port = serve({ onRequest: (socket) => socket.send(hello) });
    const tookMs = await elapsedMs(call(client, requestTo({ port })).then(() => server.allClosed()));
    expect(tookMs).toBeGreaterThan(100);
    expect(tookMs).toBeLessThan(promptMs);
    expect(client.statistics).toMatchObject({ open: 0, idle: 0 });
  });

  test("a peer that announces its timeout is disconnected a second earlier", async () => {
    const port = serve({
      onRequest: (socket) => socket.send(`${ok}Keep-Alive: timeout=2\r\nContent-Length: 5\r\n\r\nhello`),
    });
    await call(client, requestTo({ port }));
    // A timer of this process, which comes after an earlier one of the client, however busy the machine is.
    await Bun.sleep(1_900);
    expect(client.statistics.open).toBe(0);
    await server.allClosed();
  });

  test("close() ends idle connections at once and used ones after their response", async () => {
    let finish: (() => void) | undefined;
    const port = serve({
      onRequest: (socket, { position, head }) => {
        socket.send(head.includes("/long") ? `${ok}Content-Length: 5\r\n\r\nhe` : hello);
        finish = position === 0 && head.includes("/long") ? () => socket.send("llo") : finish;
      },
    });
    const long = await client.send(requestTo({ port, target: "/long" }));
    await call(client, requestTo({ port }));
    expect(client.statistics).toMatchObject({ open: 2, idle: 1 });
    client.close();
    expect(client.statistics).toMatchObject({ open: 1, idle: 0 });
    finish?.();
    expect(await consume(long)).toMatchObject({ body: "hello", isDelimited: true });
    await server.allClosed();
  });
});

describe("pool limits", () => {
  test("a request beyond the connection limit fails at once and clearly", async () => {
    client = new PooledHttpClient({ connectionsMax: 2 });
    let release: (() => void)[] = [];
    const port = serve({ onRequest: (socket) => release.push(() => socket.send(hello)) });
    const running = [call(client, requestTo({ port })), call(client, requestTo({ port }))];
    const error = await failure(client.send(requestTo({ port })));
    expect(error).toMatchObject({
      kind: "no_connection",
      isRequestSent: false,
      message: "all 2 connections are in use",
    });
    await server.received(2);
    for (const answer of release.splice(0)) {
      answer();
    }
    release = [];
    expect((await Promise.all(running)).map(({ body }) => body)).toEqual(["hello", "hello"]);
    expect(server.connections).toBe(2);
  });

  test("a request to another host takes the place of the oldest idle connection", async () => {
    client = new PooledHttpClient({ connectionsMax: 1 });
    const port = serve({ onRequest: (socket) => socket.send(hello) });
    expect((await call(client, requestTo({ port }))).body).toBe("hello");
    expect((await call(client, requestTo({ port, hostname: "localhost" }))).body).toBe("hello");
    expect(client.statistics).toEqual({ open: 1, idle: 1, begun: 2 });
  });

  test("a connection whose request left too early serves the next one", async () => {
    const port = serve({ onRequest: (socket) => socket.send(hello) });
    const abort = new AbortController();
    const left = failure(client.send(requestTo({ port, signal: abort.signal })));
    abort.abort();
    expect(await left).toMatchObject({ kind: "aborted", isRequestSent: false });
    while (client.statistics.idle !== 1) {
      await Bun.sleep(1);
    }
    expect((await call(client, requestTo({ port }))).body).toBe("hello");
    expect(client.statistics).toEqual({ open: 1, idle: 1, begun: 1 });
  });
});

describe("connections that died while idle", () => {
  test("one that the peer closed is not reused", async () => {
    let peer: RawSocket | undefined;
    const port = serve({
      onRequest: (socket) => {
        peer = socket;
        socket.send(hello);
      },
    });
    for (const end of ["finish", "reset"] as const) {
      await call(client, requestTo({ port, method: "POST", body: "a" }));
      peer?.[end]();
      await untilOpen(0);
    }
    expect((await call(client, requestTo({ port, method: "POST", body: "a" }))).body).toBe("hello");
    expect(server.connections).toBe(3);
  });

  /** Answers the first request of each connection and ends the connection at the second. */
  const answersOnce =
    (end: "finish" | "reset") =>
    (socket: RawSocket, { position }: { readonly position: number }): void => {
      if (position === 0) {
        socket.send(hello);
      } else {
        socket[end]();
      }
    };

  for (const end of ["finish", "reset"] as const) {
    test(`a POST that met the end (${end}) is not sent twice: it may have been processed`, async () => {
      const port = serve({ onRequest: answersOnce(end) });
      await call(client, requestTo({ port }));
      const { error } = await call(client, requestTo({ port, method: "POST", body: "a" }));
      expect(error).toMatchObject({ kind: "reset_before_head", isRequestSent: true });
      expect(server.requests.length).toBe(2);
    });

    test(`a GET that met the end (${end}) is sent again, once, on a fresh connection`, async () => {
      const port = serve({ onRequest: answersOnce(end) });
      await call(client, requestTo({ port }));
      expect(await call(client, requestTo({ port }))).toMatchObject({ body: "hello", isDelimited: true });
      expect(server.requests.map(({ connection, position }) => [connection, position])).toEqual([
        [0, 0],
        [0, 1],
        [1, 0],
      ]);
    });
  }

  test("a fresh connection is never replaced", async () => {
    const port = serve({ onRequest: (socket) => socket.reset() });
    expect((await call(client, requestTo({ port }))).error).toMatchObject({ kind: "reset_before_head" });
    expect(server.requests.length).toBe(1);
  });

  test("a replaced connection that dies, too, is not replaced again", async () => {
    const port = serve({
      onRequest: (socket, { connection }) => {
        if (connection === 0 && server.requests.length === 1) {
          socket.send(hello);
        } else {
          socket.reset();
        }
      },
    });
    await call(client, requestTo({ port }));
    expect((await call(client, requestTo({ port }))).error).toMatchObject({ kind: "reset_before_head" });
    expect(server.requests.length).toBe(3);
  });

  test("a connection that died after the first byte of the response is not replaced", async () => {
    const port = serve({
      onRequest: (socket, { position }) => {
        socket.send(position === 0 ? hello : "H");
        if (position > 0) {
          setTimeout(() => socket.reset(), 20);
        }
      },
    });
    await call(client, requestTo({ port }));
    expect((await call(client, requestTo({ port }))).error).toMatchObject({ kind: "reset_before_head" });
    expect(server.requests.length).toBe(2);
  });

  test("a POST whose bytes the system has not accepted is sent on a fresh connection", async () => {
    // The peer has to die while this thread can't notice, so it lives in another process.
    const reset = join(tmpdir(), `reset-${crypto.randomUUID()}`);
    const peer = Bun.spawn({
      cmd: [process.execPath, join(import.meta.dir, "../support/wire/dying-http-server.ts"), reset],
      stdin: "pipe",
      stdout: "pipe",
    });
    const lines = peer.stdout.getReader();
    const readLine = async (): Promise<string> =>
      Buffer.from((await lines.read()).value ?? [])
        .toString()
        .trim();
    const port = Number(await readLine());
    expect((await call(client, requestTo({ port }))).body).toBe("hello");
    peer.stdin.write("reset\n");
    peer.stdin.flush();
    for (const deadline = performance.now() + patienceMs; !existsSync(reset) && performance.now() < deadline; ) {
      Bun.sleepSync(10);
    }
    expect(await call(client, requestTo({ port, method: "POST", body: "a" }))).toMatchObject({ body: "hello" });
    expect(client.statistics.begun).toBe(2);
    peer.kill();
    await peer.exited;
    rmSync(reset, { force: true });
    server = startRawHttpServer({});
  });
});
