import { afterEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { FrontResponse } from "@sluice/control-plane/front/model.ts";
import { type AnswerSink, type AnswerStream, waitingBytesMax } from "@sluice/control-plane/platform/answer-stream.ts";
import { tickMs } from "@sluice/http-client/deadline-ticker";
import { bodiesSeen, receivedText, servedRequest, until } from "../../support/front/front-client.ts";
import { type FrontRig, startFrontRig } from "../../support/front/front-rig.ts";
import { connectRaw } from "../../support/wire/raw-tcp-client.ts";

/* How requests come and responses go, in the pace of each client. */

let rig: FrontRig;

afterEach(async () => {
  await rig.stop();
});

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

describe("a slow client of the front", () => {
  test("that sends nothing is disconnected", async () => {
    rig = startFrontRig({ settings: { idleTimeoutMs: 100 } });
    const [silent, idle] = [await connectRaw(rig.port), await connectRaw(rig.port)];
    idle.send(servedRequest("one"));
    await idle.waitForText('"one"');
    await Promise.all([silent.ended, idle.ended]);
  });

  test("that sends nothing after a long call is disconnected, too", async () => {
    const answer = Promise.withResolvers<FrontResponse>();
    rig = startFrontRig({ settings: { idleTimeoutMs: 100 }, answer: () => answer.promise });
    const connection = await connectRaw(rig.port);
    connection.send(servedRequest("one"));
    // Nobody looks at its limits while it is busy.
    await Bun.sleep(4 * tickMs);
    answer.resolve({ status: 200, headers: {}, body: Buffer.from("answered") });
    await connection.ended;
    expect(receivedText(connection)).toEndWith("answered");
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
    connection.send(servedRequest("").replace("Content-Length: 0", "Content-Length: 6"));
    for (const letter of "a body") {
      await Bun.sleep(80);
      connection.send(letter);
    }
    await connection.waitForText('"a body"');
    connection.close();
    expect(bodiesSeen(rig)).toEqual(["front a body"]);
  });

  test("whose body is late is left to the runtime's server, which gets the whole request", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    connection.send(servedRequest("").replace("Content-Length: 0", "Content-Length: 11"));
    connection.send("first ");
    await until(() => rig.counts.handed_over === 1);
    connection.send("later");
    await connection.waitForText('"first later"');
    connection.close();
    expect(bodiesSeen(rig)).toEqual(["runtime first later"]);
  });

  test("is left to the runtime's server when unfinished requests hold all the memory there is for them", async () => {
    rig = startFrontRig({ settings: { heldBytesMax: 100_000 } });
    const long = "x".repeat(60_000);
    const [first, second] = [await connectRaw(rig.port), await connectRaw(rig.port)];
    for (const connection of [first, second]) {
      connection.send(servedRequest(long).slice(0, -1));
      await Bun.sleep(5);
    }
    await until(() => rig.counts.handed_over === 1);
    first.send("x");
    second.send("x");
    await Promise.all([first.waitForText("200 OK"), second.waitForText("200 OK")]);
    first.close();
    second.close();
    expect(bodiesSeen(rig).sort()).toEqual([`front ${long}`, `runtime ${long}`]);
    // What they held is free again.
    const third = await connectRaw(rig.port);
    third.send(servedRequest(long).slice(0, -1));
    await Bun.sleep(5);
    third.send("x");
    await third.waitForText("200 OK");
    third.close();
    expect(rig.counts.handed_over).toBe(1);
  });

  test("that sends further requests while one is answered is cut when they hold all the memory there is", async () => {
    rig = startFrontRig({
      settings: { heldBytesMax: 50_000 },
      answer: () => Promise.withResolvers<FrontResponse>().promise,
    });
    const connection = await connectRaw(rig.port);
    connection.send(servedRequest("one"));
    await until(() => rig.calls.length === 1);
    connection.send(servedRequest("x".repeat(60_000)));
    await connection.ended;
    await until(() => rig.front.connections === 0);
    expect([rig.calls.length, rig.calls[0]?.aborted]).toEqual([1, true]);
  });

  test("that sends further requests is not cut when unfinished requests of others hold all the memory there is", async () => {
    const answer = Promise.withResolvers<FrontResponse>();
    rig = startFrontRig({ settings: { heldBytesMax: 50_000 }, answer: () => answer.promise });
    const [client, stranger] = [await connectRaw(rig.port), await connectRaw(rig.port)];
    client.send(servedRequest("one"));
    await until(() => rig.calls.length === 1);
    stranger.send(servedRequest("x".repeat(49_500)).slice(0, -1));
    await Bun.sleep(5);
    client.send(servedRequest("y".repeat(5_000)));
    await Bun.sleep(5);
    answer.resolve({ status: 200, headers: {}, body: Buffer.from("answered") });
    await until(() => rig.calls.length === 2);
    client.close();
    stranger.close();
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
    connection.send(servedRequest("one"));
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
    connection.send(servedRequest("one") + servedRequest("two"));
    connection.pause();
    await until(() => rig.seen.length === 1);
    connection.resume();
    await connection.waitForBytes(2 * long.length);
    expect(rig.seen).toHaveLength(2);
    connection.close();
  });
});

describe("a client that is not read, because it has sent more requests than are kept, and leaves", () => {
  /** Not read from the front any more once this returns; it keeps its own end open after that of the front. */
  const connectAhead = async (): Promise<Socket> => {
    const began = rig.calls.length;
    const client = connect({ port: rig.port, host: "127.0.0.1", allowHalfOpen: true });
    client.on("error", () => undefined);
    client.write(servedRequest("one"));
    await until(() => rig.calls.length > began);
    for (let sent = 0; sent < 40; sent += 1) {
      client.write(servedRequest("y".repeat(30_000)));
    }
    return client;
  };
  const piece = Buffer.alloc(16_384, "x");
  const flood = (length: number) => new ScriptedStream(Array.from({ length }, () => piece));
  const leavings = [
    ["closes whole", (client: Socket) => client.destroy()],
    ["resets", (client: Socket) => client.resetAndDestroy()],
  ] as const;

  test.each(leavings)("in the middle of a stream that it reads ends its call soon (%s)", async (_, leave) => {
    const streams: ScriptedStream[] = [];
    const answer = async () => {
      const body = flood(100_000);
      streams.push(body);
      return { status: 200, headers: {}, body };
    };
    rig = startFrontRig({ settings: { stallTimeoutMs: 60_000 }, answer });
    // The kernel reports it in one of two ways, by chance.
    for (let clients = 1; clients <= 8; clients += 1) {
      const client = await connectAhead();
      let received = 0;
      client.on("data", (bytes) => {
        received += bytes.length;
      });
      await until(() => received > 4 * 1024 * 1024);
      leave(client);
      await until(() => streams.length === clients && streams.every(({ isGone }) => isGone));
      expect(rig.calls.every(({ aborted }) => aborted)).toBeTrue();
    }
    await until(() => rig.front.connections === 0);
  });

  test("by a reset ends its call at once, although nothing is written to it", async () => {
    rig = startFrontRig({ answer: () => Promise.withResolvers<FrontResponse>().promise });
    const client = await connectAhead();
    client.resetAndDestroy();
    await until(() => rig.calls[0]?.aborted === true);
  });

  test("by half gets the rest of its stream, and is then disconnected", async () => {
    const length = 256;
    rig = startFrontRig({ answer: async () => ({ status: 200, headers: {}, body: flood(length) }) });
    const client = await connectAhead();
    client.end();
    let received = 0;
    client.on("data", (bytes) => {
      received += bytes.length;
    });
    const isOver = Promise.withResolvers<void>();
    client.on("end", () => isOver.resolve());
    await isOver.promise;
    client.destroy();
    expect(received).toBeGreaterThan(length * 16_384);
    await until(() => rig.front.connections === 0);
  });
});

test("a client that reads slowly gets all of the last response, also after the front has closed the connection", async () => {
  const body = Buffer.alloc(300_000, "x");
  rig = startFrontRig({ answer: () => Promise.resolve({ status: 200, headers: {}, body }) });
  rig.front.beginDrain();
  const connection = await connectRaw(rig.port, { receiveBufferBytes: 32_768 });
  connection.pause();
  connection.send(servedRequest("one"));
  await until(() => rig.calls.length === 1);
  await until(() => rig.front.connections === 0);
  expect(connection.receivedBytes()).toBeLessThan(body.length);
  connection.resume();
  expect(await connection.ended).toBe("fin");
  expect(receivedText(connection)).toEndWith(`connection: close\r\n\r\n${body}`);
});

describe("a stream through the front", () => {
  const start = (...pieces: readonly (string | Error)[]): FrontRig =>
    startFrontRig({
      answer: () => Promise.resolve({ status: 200, headers: { "x-a": "b" }, body: new ScriptedStream(pieces) }),
    });

  test("comes in chunks, and the connection continues", async () => {
    rig = start("data: 1\n\n", "data: 2\n\n");
    const connection = await connectRaw(rig.port);
    connection.send(servedRequest("one") + servedRequest("two"));
    await until(() => receivedText(connection).split("0\r\n\r\n").length === 3);
    connection.close();
    const [first = ""] = receivedText(connection).split("0\r\n\r\n");
    expect(first).toContain("transfer-encoding: chunked\r\n");
    expect(first).toContain("x-a: b\r\n");
    expect(first.slice(first.indexOf("\r\n\r\n") + 4)).toBe("9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n");
  });

  test("that breaks off has no last chunk, and its connection ends", async () => {
    rig = start("data: 1\n\n", new Error("broken"));
    const connection = await connectRaw(rig.port);
    connection.send(servedRequest("one") + servedRequest("two"));
    await connection.ended;
    expect(receivedText(connection)).toContain("data: 1");
    expect(receivedText(connection)).not.toContain("\r\n0\r\n");
    expect(rig.seen).toHaveLength(1);
  });

  test("is a stream to an ordinary client", async () => {
    rig = start("a", "", "b".repeat(100_000));
    const answer = await fetch(`http://127.0.0.1:${rig.port}/v1/messages`, { method: "POST", body: "x" });
    expect(await answer.text()).toBe(`a${"b".repeat(100_000)}`);
  });
});
