import { afterEach, describe, expect, test } from "bun:test";
import type { FrontResponse } from "@sluice/control-plane/front/model.ts";
import { type AnswerSink, type AnswerStream, waitingBytesMax } from "@sluice/control-plane/platform/answer-stream.ts";
import { type FrontRig, startFrontRig } from "../../support/front/front-rig.ts";
import { connectRaw, type RawConnection, rawRequest } from "../../support/wire/raw-tcp-client.ts";

let rig: FrontRig;

afterEach(async () => {
  await rig.stop();
});

const post = (body: string, ...lines: readonly string[]): string =>
  rawRequest(["POST /v1/chat/completions HTTP/1.1", "Host: sluice.example", ...lines], body);
const get = (path: string): string => rawRequest([`GET ${path} HTTP/1.1`, "Host: sluice.example"]);
const textOf = (connection: RawConnection): string => Buffer.from(connection.received()).toString("latin1");
const until = async (isSo: () => boolean): Promise<void> => {
  for (let tries = 0; !isSo(); tries += 1) {
    if (tries === 500) {
      throw new Error("it did not become so");
    }
    await Bun.sleep(10);
  }
};
/** Every address of the loopback network is one of this machine. */
const connectFrom77 = () => {
  const address = { hostname: "127.0.0.1", port: rig.port, localAddress: "127.0.0.77" };
  return Bun.connect({ ...address, socket: { data: () => undefined } });
};
const bodiesSeen = () => rig.seen.map(({ by, body }) => `${by} ${body}`);

/** Sends its pieces while the client has room for them; an error breaks it off. */
class ScriptedStream implements AnswerStream {
  sent = 0;
  isGone = false;
  readonly #pieces: readonly (string | Buffer | Error)[];
  #sink: AnswerSink | null = null;

  constructor(pieces: readonly (string | Buffer | Error)[]) {
    this.#pieces = pieces;
  }

  sendTo(sink: AnswerSink): void {
    this.#sink = sink;
  }

  onTaken(): void {
    const sink = this.#sink;
    if (sink === null || sink.waitingBytes >= waitingBytesMax) {
      return;
    }
    const piece = this.#pieces[this.sent];
    this.sent += 1;
    if (piece === undefined) {
      sink.close();
    } else if (piece instanceof Error) {
      sink.break();
    } else {
      sink.push(Buffer.from(piece));
    }
  }

  onGone(): void {
    this.isGone = true;
  }
}

describe("a connection to the front", () => {
  test("serves one call after the other", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    for (const body of ["first", "second", "third"]) {
      connection.send(post(body));
      await connection.waitForText(`"${body}"`);
    }
    connection.close();
    expect(bodiesSeen()).toEqual(["front first", "front second", "front third"]);
    expect(rig.counts).toEqual({ served: 3, handed_over: 0, refused: 0, turned_away: 0 });
  });

  test("answers requests that were sent at once in their order, one at a time", async () => {
    const held: (() => void)[] = [];
    rig = startFrontRig({
      answer: async ({ body }) => {
        await new Promise<void>((resolve) => held.push(resolve));
        return { status: 200, headers: {}, body: Buffer.from(`<${Buffer.from(body ?? "").toString()}>`) };
      },
    });
    const connection = await connectRaw(rig.port);
    connection.send(post("a") + post("b") + post("c"));
    for (const letter of ["a", "b", "c"]) {
      await until(() => held.length === 1);
      expect(rig.seen.at(-1)?.body).toBe(letter);
      held.pop()?.();
      await connection.waitForText(`<${letter}>`);
    }
    connection.close();
    expect(textOf(connection).match(/<.>/g)).toEqual(["<a>", "<b>", "<c>"]);
  });

  test("takes a request in single bytes", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    for (const byte of Buffer.from(post("in bytes"))) {
      connection.send(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    await connection.waitForText('"in bytes"');
    connection.close();
    expect(rig.seen).toHaveLength(1);
  });

  test("goes to the runtime's server with its first request that the front does not know, and stays there", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    connection.send(post("one"));
    await connection.waitForText('"one"');
    connection.send(get("/healthz"));
    await connection.waitForText('"/healthz"');
    connection.send(post("two"));
    await connection.waitForText('"two"');
    connection.close();
    expect(bodiesSeen()).toEqual(["front one", "runtime ", "runtime two"]);
    expect(rig.counts).toEqual({ served: 1, handed_over: 1, refused: 0, turned_away: 0 });
  });

  test("goes there after the response to the request before it, with requests that were sent at once", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    connection.send(post("one") + get("/a") + post("two"));
    await connection.waitForText('"two"');
    connection.close();
    expect(bodiesSeen()).toEqual(["front one", "runtime ", "runtime two"]);
    const text = textOf(connection);
    expect(text.indexOf('"one"')).toBeLessThan(text.indexOf('"/a"'));
  });

  test.each([
    ["waits for an interim response", post("body", "Expect: 100-continue")],
    [
      "comes in chunks",
      rawRequest(["POST /v1/messages HTTP/1.1", "Host: a", "Transfer-Encoding: chunked"], "4\r\nbody\r\n0\r\n\r\n"),
    ],
    ["is of HTTP/1.0", rawRequest(["POST /v1/messages HTTP/1.0", "Host: a"], "body")],
  ])("is handed over with a request that %s", async (_, request) => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    connection.send(request);
    await connection.waitForText('"body"');
    connection.close();
    expect(bodiesSeen()).toEqual(["runtime body"]);
  });

  test("keeps the client's address when it is handed over", async () => {
    rig = startFrontRig();
    const socket = await connectFrom77();
    socket.write(get("/a"));
    await until(() => rig.seen.length === 1);
    socket.write(get("/b"));
    await until(() => rig.seen.length === 2);
    socket.end();
    const direct = await fetch(`http://127.0.0.1:${rig.serverPort}/c`);
    await direct.text();
    expect(rig.seen.map(({ peer }) => peer)).toEqual(["127.0.0.77", "127.0.0.77", "127.0.0.1"]);
  });

  test("keeps the address of a client that has left before the runtime's server reads its request", async () => {
    rig = startFrontRig();
    const socket = await connectFrom77();
    socket.write(get("/a"));
    socket.end();
    await until(() => rig.seen.length === 1);
    expect(rig.seen[0]?.peer).toBe("127.0.0.77");
  });

  test("ends after a request that is illegal, and nothing that follows it is read", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    connection.send(post("one") + post("two", "Content-Length: 3", "Content-Length: 3") + post("three"));
    await connection.ended;
    expect(bodiesSeen()).toEqual(["front one"]);
    expect(textOf(connection)).toContain("HTTP/1.1 400 Bad Request");
    expect(rig.counts).toEqual({ served: 1, handed_over: 0, refused: 1, turned_away: 0 });
  });

  test("ends after the response if the client wants that", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    connection.send(post("one", "Connection: close") + post("two"));
    await connection.ended;
    expect(textOf(connection)).toContain("connection: close");
    expect(bodiesSeen()).toEqual(["front one"]);
  });

  test("is closed if there are too many of its address, but not if they are an edge's", async () => {
    rig = startFrontRig({ settings: { connectionsMax: 2 } });
    const [first] = [await connectRaw(rig.port), await connectRaw(rig.port)];
    const third = await connectRaw(rig.port);
    await third.ended;
    expect(rig.counts.turned_away).toBe(1);
    first?.close();
    await until(() => rig.front.connections === 1);
    const next = await connectRaw(rig.port);
    next.send(post("next"));
    await next.waitForText('"next"');
    await rig.stop();
    rig = startFrontRig({
      settings: { connectionsMax: 1, edge: { header: "x-forwarded-for", addresses: ["127.0.0.1"] } },
    });
    const many = [await connectRaw(rig.port), await connectRaw(rig.port), await connectRaw(rig.port)];
    many[2]?.send(post("of the edge"));
    await many[2]?.waitForText('"of the edge"');
  });
});

describe("a slow client of the front", () => {
  test("that sends nothing is disconnected", async () => {
    rig = startFrontRig({ settings: { idleTimeoutMs: 100 } });
    const [silent, idle] = [await connectRaw(rig.port), await connectRaw(rig.port)];
    idle.send(post("one"));
    await idle.waitForText('"one"');
    await Promise.all([silent.ended, idle.ended]);
  });

  test("whose head comes in drops is disconnected, however often they come", async () => {
    rig = startFrontRig({ settings: { headTimeoutMs: 300 } });
    const connection = await connectRaw(rig.port);
    let isOver = false;
    void connection.ended.then(() => {
      isOver = true;
    });
    connection.send("POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n");
    const startedMs = performance.now();
    while (!isOver && performance.now() - startedMs < 5_000) {
      connection.send("X-A: b\r\n");
      await Bun.sleep(20);
    }
    expect(isOver).toBeTrue();
    expect(rig.seen).toEqual([]);
  });

  test("whose body takes several round trips is served", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    connection.send(post("").replace("Content-Length: 0", "Content-Length: 6"));
    for (const letter of "a body") {
      await Bun.sleep(80);
      connection.send(letter);
    }
    await connection.waitForText('"a body"');
    connection.close();
    expect(bodiesSeen()).toEqual(["front a body"]);
  });

  test("whose body is late is left to the runtime's server, which gets the whole request", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    connection.send(post("").replace("Content-Length: 0", "Content-Length: 11"));
    connection.send("first ");
    await until(() => rig.counts.handed_over === 1);
    connection.send("later");
    await connection.waitForText('"first later"');
    connection.close();
    expect(bodiesSeen()).toEqual(["runtime first later"]);
  });

  test("that reads nothing holds back a stream, and is disconnected", async () => {
    const piece = Buffer.alloc(65_536, "x");
    const stream = new ScriptedStream(Array.from({ length: 10_000 }, () => piece));
    rig = startFrontRig({
      settings: { stallTimeoutMs: 300 },
      answer: () => Promise.resolve({ status: 200, headers: {}, body: stream }),
    });
    const connection = await connectRaw(rig.port, { receiveBufferBytes: 4_096 });
    connection.pause();
    connection.send(post("one"));
    await until(() => stream.isGone);
    expect(rig.calls[0]?.aborted).toBeTrue();
    // What the buffers of the system hold, and not what the stream could give.
    expect(stream.sent * piece.length).toBeLessThan(32 * 1024 * 1024);
    connection.close();
  });

  test("gets a long response whole", async () => {
    const long = Buffer.alloc(8 * 1024 * 1024, "y");
    rig = startFrontRig({ answer: () => Promise.resolve({ status: 200, headers: {}, body: long }) });
    const connection = await connectRaw(rig.port);
    connection.send(post("one") + post("two"));
    connection.pause();
    await until(() => rig.seen.length === 1);
    connection.resume();
    await connection.waitForBytes(2 * long.length);
    expect(rig.seen).toHaveLength(2);
    connection.close();
  });
});

describe("a client that leaves the front", () => {
  test("in the middle of a body is a client of the runtime's server that leaves", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    connection.send(post("").replace("Content-Length: 0", "Content-Length: 11"));
    connection.send("first ");
    await Bun.sleep(5);
    connection.close();
    await until(() => rig.counts.handed_over === 1);
    expect(rig.counts.served).toBe(0);
  });

  test("in the middle of a head is not a request", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    connection.send("POST /v1/chat/completions HTTP/1.1\r\nHost");
    await until(() => rig.front.connections === 1);
    connection.close();
    await until(() => rig.front.connections === 0);
    expect(rig.counts).toEqual({ served: 0, handed_over: 0, refused: 0, turned_away: 0 });
  });

  test.each(["fin", "rst"] as const)("while its call runs ends that call (%s)", async (how) => {
    rig = startFrontRig({ answer: () => Promise.withResolvers<FrontResponse>().promise });
    const connection = await connectRaw(rig.port);
    connection.send(post("one"));
    await until(() => rig.calls.length === 1);
    connection.close(how);
    await until(() => rig.calls[0]?.aborted === true);
  });
});

test("a client that reads slowly gets all of the last response, also after the front has closed the connection", async () => {
  const body = Buffer.alloc(300_000, "x");
  rig = startFrontRig({ answer: () => Promise.resolve({ status: 200, headers: {}, body }) });
  rig.front.beginDrain();
  const connection = await connectRaw(rig.port, { receiveBufferBytes: 32_768 });
  connection.pause();
  connection.send(post("one"));
  await until(() => rig.calls.length === 1);
  await until(() => rig.front.connections === 0);
  expect(connection.receivedBytes()).toBeLessThan(body.length);
  connection.resume();
  expect(await connection.ended).toBe("fin");
  expect(textOf(connection)).toEndWith(`connection: close\r\n\r\n${body}`);
});

describe("a stream through the front", () => {
  const start = (...pieces: readonly (string | Error)[]): FrontRig =>
    startFrontRig({
      answer: () => Promise.resolve({ status: 200, headers: { "x-a": "b" }, body: new ScriptedStream(pieces) }),
    });

  test("comes in chunks, and the connection continues", async () => {
    rig = start("data: 1\n\n", "data: 2\n\n");
    const connection = await connectRaw(rig.port);
    connection.send(post("one") + post("two"));
    await until(() => textOf(connection).split("0\r\n\r\n").length === 3);
    connection.close();
    const [first = ""] = textOf(connection).split("0\r\n\r\n");
    expect(first).toContain("transfer-encoding: chunked\r\n");
    expect(first).toContain("x-a: b\r\n");
    expect(first.slice(first.indexOf("\r\n\r\n") + 4)).toBe("9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n");
  });

  test("that breaks off has no last chunk, and its connection ends", async () => {
    rig = start("data: 1\n\n", new Error("broken"));
    const connection = await connectRaw(rig.port);
    connection.send(post("one") + post("two"));
    await connection.ended;
    expect(textOf(connection)).toContain("data: 1");
    expect(textOf(connection)).not.toContain("\r\n0\r\n");
    expect(rig.seen).toHaveLength(1);
  });

  test("is a stream to an ordinary client", async () => {
    rig = start("a", "", "b".repeat(100_000));
    const answer = await fetch(`http://127.0.0.1:${rig.port}/v1/messages`, { method: "POST", body: "x" });
    expect(await answer.text()).toBe(`a${"b".repeat(100_000)}`);
  });
});

describe("a front that is asked to stop", () => {
  test("ends idle connections, lets calls end, and takes no further ones", async () => {
    const held = Promise.withResolvers<void>();
    rig = startFrontRig({
      answer: async () => {
        await held.promise;
        return { status: 200, headers: {}, body: Buffer.from("late") };
      },
    });
    const [idle, busy] = [await connectRaw(rig.port), await connectRaw(rig.port)];
    busy.send(post("one"));
    await until(() => rig.seen.length === 1);
    rig.front.stop();
    await idle.ended;
    expect(rig.front.running).toBe(1);
    held.resolve();
    await busy.ended;
    expect(textOf(busy)).toEndWith("connection: close\r\n\r\nlate");
    expect(rig.front.running).toBe(0);
    expect(await connectRaw(rig.port).catch(() => "refused")).toBe("refused");
  });

  test("closes connections with their responses before that", async () => {
    rig = startFrontRig();
    rig.front.beginDrain();
    const connection = await connectRaw(rig.port);
    connection.send(post("one"));
    await connection.ended;
    expect(textOf(connection)).toContain("connection: close");
  });
});
