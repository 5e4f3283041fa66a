import { afterAll, afterEach, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { promptMs } from "../../support/values/patience.ts";
import { connectRaw, type RawConnection, rawChatRequest } from "../../support/wire/raw-tcp-client.ts";

const provider = startSandboxProvider({ createdAtSeconds: 1_767_225_600 });
const stream = rawChatRequest({ stream: true });
const text = (connection: RawConnection): string => Buffer.from(connection.received()).toString("latin1");

afterEach(() => provider.reset());
afterAll(() => provider.stop());

/** The bytes of a response under a behaviour that ends the connection, and how it ended. */
async function answerUntilEnd(behaviour: Behaviour): Promise<{ bytes: Buffer; pieces: number; end: string }> {
  provider.reset();
  provider.script({ text: "one twö three", ...behaviour });
  const connection = await connectRaw(provider.port);
  connection.send(stream);
  const end = await connection.ended;
  return { bytes: Buffer.from(connection.received()), pieces: connection.pieces.length, end };
}

describe("a cut", () => {
  test("hits any byte of the response, in the head, in a chunk header and inside a character alike", async () => {
    const whole = await answerUntilEnd({ closeAfter: true });
    expect(whole.end).toBe("fin");
    expect(whole.bytes.toString("latin1")).toEndWith("data: [DONE]\n\n\r\n0\r\n\r\n");
    const step = process.env["TEST_FULL"] === "1" ? 1 : 37;
    for (let length = 0; length < whole.bytes.length; length += step) {
      const cut = await answerUntilEnd({ closeAfter: true, cut: { afterBytes: length, with: "fin" } });
      expect(cut.end).toBe("fin");
      expect(cut.bytes).toEqual(whole.bytes.subarray(0, length));
      expect((await provider.waitForEnd(0)).outcome).toBe("cut");
    }
  });

  test("with a reset reaches the client as a reset, after the bytes before it", async () => {
    for (const afterBytes of [0, 9, 400]) {
      const cut = await answerUntilEnd({ cut: { afterBytes, with: "rst" } });
      expect([cut.end, cut.bytes.length]).toEqual(["rst", afterBytes]);
    }
  });

  test("after a number of chunks lets exactly those events out", async () => {
    for (const afterChunks of [0, 1, 3]) {
      const { bytes } = await answerUntilEnd({ cut: { afterChunks, with: "fin" } });
      expect(bytes.toString("latin1").split("data: ").length - 1).toBe(afterChunks);
      expect(bytes.toString("latin1")).not.toContain("\r\n0\r\n\r\n");
    }
  });
});

describe("silence", () => {
  test("keeps the connection open until the request is released, and then sends the rest", async () => {
    provider.script({ text: "a b", silence: { afterChunks: 2 } });
    const connection = await connectRaw(provider.port);
    connection.send(stream);
    const record = await provider.waitForHeld(0);
    await connection.waitForText('"content":"a "');
    expect(record.chunksWritten).toBe(2);
    expect(text(connection)).not.toContain('"content":"b"');
    record.release();
    await connection.waitForText("[DONE]");
    expect((await provider.waitForEnd(0)).outcome).toBe("completed");
    connection.close();
  });

  test("from the start sends nothing at all", async () => {
    provider.script({ neverAnswer: true });
    const connection = await connectRaw(provider.port);
    connection.send(stream);
    await provider.waitForHeld(0);
    expect(connection.received().length).toBe(0);
    connection.close();
    expect((await provider.waitForCancel(0)).bytesWritten).toBe(0);
  });
});

describe("a split", () => {
  test("at every byte sends the same bytes, one at a time", async () => {
    const { bytes, pieces, end } = await answerUntilEnd({ closeAfter: true, splitAt: "every-byte", chunks: 2 });
    expect(end).toBe("fin");
    expect(pieces).toBe(bytes.length);
    expect((await provider.waitForEnd(0)).chunksWritten).toBe(5);
  });

  test("at given offsets and by seed divides the bytes at the same positions each time", async () => {
    const atOffsets = await answerUntilEnd({ closeAfter: true, splitAt: [3, 10, 400], chunks: 2 });
    expect(atOffsets.pieces).toBeGreaterThanOrEqual(4);
    const bySeed = { closeAfter: true, splitAt: { seed: 7, bytesMax: 50 }, chunks: 2 };
    const [first, second] = [await answerUntilEnd(bySeed), await answerUntilEnd(bySeed)];
    expect(second.pieces).toBe(first.pieces);
    expect(first.pieces).toBeGreaterThan(20);
  });
});

describe("a client that leaves", () => {
  for (const how of ["fin", "rst"] as const) {
    test(`by ${how} is noticed at once, and the record says how far the response was`, async () => {
      provider.script({ text: "a b c", silence: { afterChunks: 3 } });
      const connection = await connectRaw(provider.port);
      connection.send(stream);
      await provider.waitForHeld(0);
      const leftAtMs = performance.timeOrigin + performance.now();
      connection.close(how);
      const record = await provider.waitForCancel(0);
      expect(record.chunksWritten).toBe(3);
      expect((record.endedAtMs ?? 0) - leftAtMs).toBeLessThan(promptMs);
      expect(provider.totals.inFlight).toBe(0);
    });
  }

  test("in the middle of a write that the kernel could not accept is noticed too", async () => {
    provider.script({ isEndless: true, chunkBytes: 60_000 });
    const connection = await connectRaw(provider.port);
    connection.send(stream);
    await provider.waitForChunks(0, 3);
    connection.close();
    await provider.waitForCancel(0);
  });
});
