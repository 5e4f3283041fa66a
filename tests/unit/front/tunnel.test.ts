import { afterEach, describe, expect, test } from "bun:test";
import { until } from "../../support/front/front-client.ts";
import { type FrontRig, startFrontRig } from "../../support/front/front-rig.ts";
import { connectRaw, rawRequest } from "../../support/wire/raw-tcp-client.ts";

/* Connections that the front has handed over to the runtime's server. */

let rig: FrontRig;

afterEach(() => rig.stop());

/** Resolves when the number has not changed for a while. */
const untilSteady = async (read: () => number): Promise<number> => {
  for (let last = -1; ; ) {
    const now = read();
    if (now === last) {
      return now;
    }
    last = now;
    await Bun.sleep(200);
  }
};
const get = rawRequest(["GET /long HTTP/1.1", "Host: sluice.example"]);
const mebibyte = 1024 * 1024;
/** Far more than the buffers of the system hold on both ways. */
const longBytes = 64 * mebibyte;
const heldBytesMax = 32 * mebibyte;

describe("a connection that was handed over", () => {
  test("holds back a response that its client does not read, and then gives it whole", async () => {
    const piece = Buffer.alloc(mebibyte / 4, "z");
    let made = 0;
    const stream = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (made === longBytes) {
            controller.close();
            return;
          }
          made += piece.length;
          controller.enqueue(piece);
        },
      });
    rig = startFrontRig({ respond: () => Promise.resolve(new Response(stream())) });
    const connection = await connectRaw(rig.port);
    connection.pause();
    connection.send(get);
    await until(() => made > 0);
    expect(await untilSteady(() => made)).toBeLessThan(heldBytesMax);
    connection.resume();
    await connection.waitForText("HTTP/1.1 200");
    await until(() => connection.receivedBytes() > longBytes);
    connection.close();
  });

  test("holds back a body that the server does not read, and then gives it whole", async () => {
    const mayRead = Promise.withResolvers<void>();
    let taken = 0;
    rig = startFrontRig({
      respond: async (request) => {
        const reader = (request.body as ReadableStream<Uint8Array>).getReader();
        await mayRead.promise;
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          taken += part.value.byteLength;
        }
        return new Response(String(taken));
      },
    });
    const answer = Promise.withResolvers<string>();
    let left = longBytes;
    const piece = Buffer.alloc(mebibyte / 4, "z");
    const write = (socket: Bun.Socket<undefined>): void => {
      for (let written = piece.length; left > 0 && written === piece.length; left -= written) {
        written = Math.max(0, socket.write(piece.subarray(0, Math.min(left, piece.length))));
      }
    };
    const head = ["POST /upload HTTP/1.1", "Host: sluice.example", `Content-Length: ${longBytes}`];
    const client = await Bun.connect<undefined>({
      hostname: "127.0.0.1",
      port: rig.port,
      socket: {
        open: (socket) => {
          socket.write(rawRequest(head));
          write(socket);
        },
        drain: write,
        data: (_, bytes) => answer.resolve(bytes.toString()),
      },
    });
    expect(longBytes - (await untilSteady(() => left))).toBeLessThan(heldBytesMax);
    mayRead.resolve();
    expect(await answer.promise).toEndWith(String(longBytes));
    client.end();
  });

  test("takes and gives single bytes", async () => {
    rig = startFrontRig();
    const connection = await connectRaw(rig.port);
    for (const byte of Buffer.from(rawRequest(["PUT /v1/messages HTTP/1.1", "Host: a"], "in bytes"))) {
      connection.send(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    await connection.waitForText('"in bytes"');
    connection.close();
    expect(rig.seen.map(({ by, body }) => [by, body])).toEqual([["runtime", "in bytes"]]);
  });

  test("keeps its place among those of its address until it is closed", async () => {
    rig = startFrontRig({ settings: { connectionsMax: 1 } });
    const first = await connectRaw(rig.port);
    first.send(get);
    await first.waitForText("200");
    const second = await connectRaw(rig.port);
    await second.ended;
    expect(rig.counts.turned_away).toBe(1);
    first.close();
    await until(() => rig.front.connections === 0);
    const third = await connectRaw(rig.port);
    third.send(get);
    await third.waitForText("200");
    third.close();
  });

  test("gets a plain refusal if the server takes no connection", async () => {
    rig = startFrontRig();
    await rig.stopServer();
    const connection = await connectRaw(rig.port);
    connection.send(get);
    await connection.ended;
    expect(Buffer.from(connection.received()).toString()).toStartWith("HTTP/1.1 503 Service Unavailable\r\n");
    await until(() => rig.front.connections === 0);
  });

  test("is reset or ended with its client, and nothing of it stays", async () => {
    const gone: string[] = [];
    rig = startFrontRig({
      respond: (request) => {
        request.signal.addEventListener("abort", () => gone.push(request.url));
        return new Promise(() => undefined);
      },
    });
    for (const how of ["fin", "rst"] as const) {
      const connection = await connectRaw(rig.port);
      connection.send(get);
      await until(() => rig.front.running === 1);
      await Bun.sleep(50);
      connection.close(how);
      await until(() => rig.front.connections === 0);
    }
    await until(() => gone.length === 2);
  });
});
