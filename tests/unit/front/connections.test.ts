import { afterEach, describe, expect, test } from "bun:test";
import type { FrontResponse } from "@sluice/control-plane/front/model.ts";
import { bodiesSeen, receivedText, servedRequest, until } from "../../support/front/front-client.ts";
import { type FrontRig, startFrontRig } from "../../support/front/front-rig.ts";
import { connectRaw, rawRequest } from "../../support/wire/raw-tcp-client.ts";

let rig: FrontRig;

afterEach(async () => {
  await rig.stop();
});

const get = (path: string): string => rawRequest([`GET ${path} HTTP/1.1`, "Host: sluice.example"]);
/** Every address of the loopback network is one of this machine. */
const connectFrom77 = () => {
  const address = { hostname: "127.0.0.1", port: rig.port, localAddress: "127.0.0.77" };
  return Bun.connect({ ...address, socket: { data: () => undefined } });
};

describe("a connection to the front", () => {
  test("serves one call after the other", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    for (const body of ["first", "second", "third"]) {
      connection.send(servedRequest(body));
      await connection.waitForText(`"${body}"`);
    }
    connection.close();
    expect(bodiesSeen(rig)).toEqual(["front first", "front second", "front third"]);
    expect(rig.counts).toEqual({ served: 3, handed_over: 0, refused: 0, turned_away: 0 });
  });

  test("answers requests that were sent at once in their order, one at a time", async () => {
    const held: (() => void)[] = [];
    rig = startFrontRig({
      answer: async ({ body }) => {
        await new Promise<void>((resolve) => held.push(resolve));
        return { status: 200, headers: {}, body: Buffer.from(`<${body?.view}>`) };
      },
    });
    const connection = await connectRaw(rig.port);
    connection.send(servedRequest("a") + servedRequest("b") + servedRequest("c"));
    for (const letter of ["a", "b", "c"]) {
      await until(() => held.length === 1);
      expect(rig.seen.at(-1)?.body).toBe(letter);
      held.pop()?.();
      await connection.waitForText(`<${letter}>`);
    }
    connection.close();
    expect(receivedText(connection).match(/<.>/g)).toEqual(["<a>", "<b>", "<c>"]);
  });

  test("takes a request in single bytes", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    for (const byte of Buffer.from(servedRequest("in bytes"))) {
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
    connection.send(servedRequest("one"));
    await connection.waitForText('"one"');
    connection.send(get("/healthz"));
    await connection.waitForText('"/healthz"');
    connection.send(servedRequest("two"));
    await connection.waitForText('"two"');
    connection.close();
    expect(bodiesSeen(rig)).toEqual(["front one", "runtime ", "runtime two"]);
    expect(rig.counts).toEqual({ served: 1, handed_over: 1, refused: 0, turned_away: 0 });
  });

  test("goes there after the response to the request before it, with requests that were sent at once", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    connection.send(servedRequest("one") + get("/a") + servedRequest("two"));
    await connection.waitForText('"two"');
    connection.close();
    expect(bodiesSeen(rig)).toEqual(["front one", "runtime ", "runtime two"]);
    const text = receivedText(connection);
    expect(text.indexOf('"one"')).toBeLessThan(text.indexOf('"/a"'));
  });

  test.each([
    ["waits for an interim response", servedRequest("body", "Expect: 100-continue")],
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
    expect(bodiesSeen(rig)).toEqual(["runtime body"]);
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
    connection.send(
      servedRequest("one") + servedRequest("two", "Content-Length: 3", "Content-Length: 3") + servedRequest("three"),
    );
    await connection.ended;
    expect(bodiesSeen(rig)).toEqual(["front one"]);
    expect(receivedText(connection)).toContain("HTTP/1.1 400 Bad Request");
    expect(rig.counts).toEqual({ served: 1, handed_over: 0, refused: 1, turned_away: 0 });
  });

  test("ends after the response if the client wants that", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    connection.send(servedRequest("one", "Connection: close") + servedRequest("two"));
    await connection.ended;
    expect(receivedText(connection)).toContain("connection: close");
    expect(bodiesSeen(rig)).toEqual(["front one"]);
  });

  test("is closed if there are too many of its address, which is logged once a minute, but not if they are an edge's", async () => {
    rig = startFrontRig({ settings: { connectionsMax: 2 } });
    const [first] = [await connectRaw(rig.port), await connectRaw(rig.port)];
    for (const third of [await connectRaw(rig.port), await connectRaw(rig.port)]) {
      await third.ended;
    }
    expect(rig.counts.turned_away).toBe(2);
    expect(rig.lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: "warn", event: "front.turned_away", address: "127.0.0.1", connectionsMax: 2 },
    ]);
    first?.close();
    await until(() => rig.front.connections === 1);
    const next = await connectRaw(rig.port);
    next.send(servedRequest("next"));
    await next.waitForText('"next"');
    await rig.stop();
    rig = startFrontRig({
      settings: { connectionsMax: 1, edge: { header: "x-forwarded-for", addresses: ["127.0.0.1"] } },
    });
    const many = [await connectRaw(rig.port), await connectRaw(rig.port), await connectRaw(rig.port)];
    many[2]?.send(servedRequest("of the edge"));
    await many[2]?.waitForText('"of the edge"');
  });
});

describe("a client that leaves the front", () => {
  test("before its connection is accepted is not an error", async () => {
    rig = startFrontRig();
    const connectAndReset = `
      for (let count = 0; count < 5; count += 1) {
        const socket = await Bun.connect({ hostname: "127.0.0.1", port: ${rig.port}, socket: { data: () => undefined } });
        socket.terminate();
      }`;
    // Nothing is accepted meanwhile.
    const client = Bun.spawnSync([process.execPath, "-e", connectAndReset], { stdout: "ignore", stderr: "inherit" });
    expect(client.exitCode).toBe(0);
    const connection = await connectRaw(rig.port);
    connection.send(servedRequest("after them"));
    await connection.waitForText('"after them"');
    connection.close();
    await until(() => rig.front.connections === 0);
    expect(rig.lines).toEqual([]);
  });

  test("in the middle of a body is a client of the runtime's server that leaves", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    connection.send(servedRequest("").replace("Content-Length: 0", "Content-Length: 11"));
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
    connection.send(servedRequest("one"));
    await until(() => rig.calls.length === 1);
    connection.close(how);
    await until(() => rig.calls[0]?.aborted === true);
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
    busy.send(servedRequest("one"));
    await until(() => rig.seen.length === 1);
    rig.front.stop();
    await idle.ended;
    expect(rig.front.running).toBe(1);
    held.resolve();
    await busy.ended;
    expect(receivedText(busy)).toEndWith("connection: close\r\n\r\nlate");
    expect(rig.front.running).toBe(0);
    expect(await connectRaw(rig.port).catch(() => "refused")).toBe("refused");
  });

  test("answers a request that was read in the same turn", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    const trigger = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => rig.front.stop() } });
    const stopper = await connectRaw(trigger.port);
    connection.send(servedRequest("one"));
    stopper.send("stop");
    await connection.ended;
    expect(receivedText(connection)).toContain('"one"');
    stopper.close();
    trigger.stop(true);
  });

  test("is not done before a call has ended whose body was still coming", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    const request = servedRequest("a body");
    connection.send(request.slice(0, -3));
    await until(() => rig.front.running === 1);
    rig.front.stop();
    expect(rig.front.running).toBe(1);
    connection.send(request.slice(-3));
    await connection.ended;
    expect(receivedText(connection)).toContain('"a body"');
    expect(rig.front.running).toBe(0);
  });

  test("closes connections with their responses before that", async () => {
    rig = startFrontRig();
    rig.front.beginDrain();
    const connection = await connectRaw(rig.port);
    connection.send(servedRequest("one"));
    await connection.ended;
    expect(receivedText(connection)).toContain("connection: close");
  });
});

test("a front whose port is in use says which one it is", () => {
  const other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  rig = startFrontRig();
  expect(() => startFrontRig({ settings: { port: other.port } })).toThrow(
    `127.0.0.1, port ${other.port}: the port is in use`,
  );
  other.stop(true);
});
