import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import { openPayload } from "@sluice/control-plane/trace/payload-sealing.ts";
import { segmentPayloadsMax } from "@sluice/control-plane/trace/payload-segments.ts";
import { closeQueues, day, key, newQueue } from "../../support/trace/payload-queue.ts";
import { payloadOf, type StoredPayload } from "../../support/trace/trace-fixtures.ts";
import { promptMs } from "../../support/values/patience.ts";

afterEach(closeQueues);

describe("a queue of payloads", () => {
  test("writes what it was offered in full segments, and the rest after a moment", async () => {
    const { queue, table, counts } = newQueue();
    const length = segmentPayloadsMax + 88;
    const payloads = Array.from({ length }, (_, index) => payloadOf({ day, request: `request ${index}` }));
    for (const payload of payloads) {
      expect(queue.offer(payload)).toBe("stored");
    }
    expect(table.attempts).toEqual([]);
    await counts.untilStored(length);
    expect(table.batches.map((batch) => batch.length)).toEqual([segmentPayloadsMax, 88]);
    expect(table.rows.map(({ requestId }) => requestId)).toEqual(payloads.map(({ requestId }) => requestId));
    expect([queue.queuedBytes, queue.queuedCount]).toEqual([0, 0]);
  });

  test("seals bodies of any length", async () => {
    const { queue, table, counts } = newQueue();
    const lengths = [0, 200, 3_000, 60_000, 66_000, 900_000, 2_000_000];
    for (const length of lengths) {
      const response = Buffer.alloc(length, "data: {} ");
      expect(queue.offer(payloadOf({ day, request: "q", response }))).toBe("stored");
    }
    await counts.untilStored(lengths.length);
    const opened = table.rows.map((row) => openPayload(key, row));
    expect(opened.map(({ response }) => response.length).sort((a, b) => a - b)).toEqual(
      lengths.map((length) => Math.min(length, 1_000_000)),
    );
    for (const { response, isResponseTruncated } of opened) {
      expect(Buffer.from(response).equals(Buffer.alloc(response.length, "data: {} "))).toBe(true);
      expect(isResponseTruncated).toBe(response.length === 1_000_000);
    }
    expect([queue.queuedBytes, queue.queuedCount]).toEqual([0, 0]);
  });

  test("seals bodies that can't be compressed as they are, and those beside them", async () => {
    const { queue, table, counts } = newQueue();
    const { zstdCompressSync } = Bun;
    let isBroken = true;
    const compress = spyOn(Bun, "zstdCompressSync").mockImplementation((...args) => {
      if (isBroken) {
        isBroken = false;
        throw new Error("out of memory");
      }
      return zstdCompressSync(...args);
    });
    const bodies = Array.from({ length: 36 }, (_, index) => `${index} ${"x".repeat(10_000)}`);
    for (const request of bodies) {
      queue.offer(payloadOf({ day, request }));
    }
    await counts.untilStored(36);
    compress.mockRestore();
    expect(table.rows.map((row) => Buffer.from(openPayload(key, row).request ?? []).toString())).toEqual(bodies);
    expect(table.rows[0]?.sealed.length).toBeGreaterThan(60_000);
    expect(Math.max(...table.rows.map(({ sealed }) => sealed.length))).toBeLessThanOrEqual(64 * 1024);
    expect(table.rows.at(-1)?.sealed.length).toBeLessThan(1_000);
    expect([isBroken, queue.queuedBytes, queue.queuedCount]).toEqual([false, 0, 0]);
  });

  test("compresses small bodies together if there are many and they repeat each other", async () => {
    const { queue, table, counts } = newQueue();
    const calls = Array.from({ length: 600 }, (_, index) =>
      payloadOf({ day, request: `${"You are helpful. ".repeat(60)}${index}`, response: `answer ${index}` }),
    );
    for (const call of calls) {
      expect(queue.offer(call)).toBe("stored");
    }
    await counts.untilStored(calls.length);
    for (const [index, row] of table.rows.entries()) {
      const { request, response } = openPayload(key, row);
      expect(Buffer.from(request ?? []).toString()).toEndWith(` ${index}`);
      expect(Buffer.from(response).toString()).toBe(`answer ${index}`);
    }
    // A group of two hundred bodies of 1 KB is shorter than ten of them, and no longer counted than it is.
    expect(Math.max(...table.rows.map(({ sealed }) => sealed.length))).toBeLessThan(10_000);
    expect(new Set(table.rows.map(({ sealed }) => sealed.toHex())).size).toBe(3);
    expect([queue.queuedBytes, queue.queuedCount]).toEqual([0, 0]);
  });

  test("compresses long bodies together, however many there are: streams repeat each other", async () => {
    const { queue, table, counts } = newQueue();
    const events = Array.from(
      { length: 50 },
      (_, index) => `data: {"id":"${randomBytes(20).toString("hex")}","n":${index}}\n\n`,
    );
    const streams = Array.from({ length: 30 }, (_, index) => `${index} ${events.join("").padEnd(20_000, "x")}`);
    for (const response of streams) {
      queue.offer(payloadOf({ day, response }));
    }
    await counts.untilStored(30);
    expect(table.rows.map((row) => Buffer.from(openPayload(key, row).response).toString())).toEqual(streams);
    const alone = Bun.zstdCompressSync(Buffer.from(streams[0] ?? ""), { level: 1 }).length;
    // A group has twelve of them.
    expect(Math.max(...table.rows.map(({ sealed }) => sealed.length))).toBeLessThan(1.5 * alone);
    expect([queue.queuedBytes, queue.queuedCount]).toEqual([0, 0]);
  });

  test("drops what exceeds its bytes or its count, counts it, and accepts again when there is room", async () => {
    const bodies = { day, request: randomBytes(10_000) };
    const limits = { bodyBytesMax: 20_000, queueBytesMax: 50_000, queueCountMax: 100 };
    const { queue, counts } = newQueue({ limits });
    const first = Array.from({ length: 10 }, () => queue.offer(payloadOf(bodies)));
    expect(first.filter((fate) => fate === "stored")).toHaveLength(4);
    expect(queue.queuedBytes).toBeLessThanOrEqual(50_000);
    await counts.untilStored(4);
    expect(queue.offer(payloadOf(bodies))).toBe("stored");
    expect(Object.fromEntries(counts.dropped)).toEqual({ queue_full: 6 });

    const { queue: few, counts: fewCounts } = newQueue({ limits: { ...limits, queueCountMax: 3 } });
    expect(Array.from({ length: 5 }, () => few.offer(payloadOf({ day })))).toEqual([
      "stored",
      "stored",
      "stored",
      "dropped",
      "dropped",
    ]);
    expect(Object.fromEntries(fewCounts.dropped)).toEqual({ queue_full: 2 });
  });

  test("counts long bodies against its limit before they are compressed", async () => {
    const limits = { bodyBytesMax: 1_000_000, queueBytesMax: 2_500_000, queueCountMax: 100 };
    const { queue, counts } = newQueue({ limits });
    const fates = Array.from({ length: 5 }, () => queue.offer(payloadOf({ day, request: new Uint8Array(1_000_000) })));
    expect(fates).toEqual(["stored", "stored", "dropped", "dropped", "dropped"]);
    await counts.untilStored(2);
    expect([queue.queuedBytes, queue.queuedCount]).toEqual([0, 0]);
  });

  test("holds what waits for the database compressed, and no longer the bodies", async () => {
    const { queue, table } = newQueue();
    const held = Promise.withResolvers<void>();
    table.hold = held.promise;
    const body = Buffer.alloc(10_000, "data: {} ");
    for (let index = 0; index < 1_000; index += 1) {
      expect(queue.offer(payloadOf({ day, request: body }))).toBe("stored");
    }
    expect(queue.queuedBytes).toBeGreaterThan(10_000_000);
    // What was handed over does not change with the body.
    body.fill(0);
    while (queue.queuedBytes > 1_000_000) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(queue.queuedCount).toBe(1_000);
    held.resolve();
    await queue.close(5_000);
    expect(table.rows.map((row) => Buffer.from(openPayload(key, row).request ?? []).includes(0))).not.toContain(true);
    expect(table.rows).toHaveLength(1_000);
  });

  test("drops payloads of a day whose key is missing", () => {
    const { queue, counts } = newQueue();
    expect(queue.offer(payloadOf({ day: "2026-11-20" }))).toBe("dropped");
    expect(Object.fromEntries(counts.dropped)).toEqual({ no_key: 1 });
  });
});

describe("payloads of a day and of the next", () => {
  test("are each sealed under the key of their day, also when their turns alternate", async () => {
    const nextKey = new SealingKey("4567cdef", randomBytes(32));
    const { queue, table, counts } = newQueue({ findKey: (asked) => (asked === day ? key : nextKey) });
    const payloads = Array.from({ length: 100 }, (_, index) =>
      payloadOf({ day: index % 3 === 0 ? day : "2026-11-22", request: `request ${index}` }),
    );
    for (const payload of payloads) {
      expect(queue.offer(payload)).toBe("stored");
    }
    await counts.untilStored(100);
    const rows = new Map(table.rows.map((row) => [row.requestId, row]));
    for (const [index, payload] of payloads.entries()) {
      const opened = openPayload(index % 3 === 0 ? key : nextKey, rows.get(payload.requestId) as StoredPayload);
      expect(Buffer.from(opened.request ?? []).toString()).toBe(`request ${index}`);
    }
    expect(table.days).toEqual([day, "2026-11-22"]);
  });
});

describe("while the database is unreachable", () => {
  test("payloads wait up to the limit, are dropped beyond it, and are all written once it is back", async () => {
    const { queue, table, counts } = newQueue({
      limits: { bodyBytesMax: 1_000, queueBytesMax: 1_000_000, queueCountMax: 200 },
    });
    table.isAway = true;
    const fates = Array.from({ length: 150 }, () => queue.offer(payloadOf({ day })));
    await table.untilFailed(2);
    fates.push(...Array.from({ length: 100 }, () => queue.offer(payloadOf({ day }))));
    expect(fates.filter((fate) => fate === "stored")).toHaveLength(200);
    expect(Object.fromEntries(counts.dropped)).toEqual({ database_away: 50 });
    expect(counts.stored).toBe(0);
    table.isAway = false;
    await counts.untilStored(200);
    expect(new Set(table.rows.map(({ requestId }) => requestId)).size).toBe(200);
    expect([queue.queuedBytes, queue.queuedCount]).toEqual([0, 0]);
  });

  test("closing gives up at its deadline and counts what is lost", async () => {
    const { queue, table, counts } = newQueue();
    table.isAway = true;
    for (let index = 0; index < 10; index += 1) {
      queue.offer(payloadOf({ day }));
    }
    const startedAt = performance.now();
    await queue.close(150);
    expect(performance.now() - startedAt).toBeLessThan(promptMs);
    expect(Object.fromEntries(counts.dropped)).toEqual({ closed: 10 });
  });

  test("closing does not wait longer for a hanging statement", async () => {
    const { queue, table, counts } = newQueue();
    const held = Promise.withResolvers<void>();
    table.hold = held.promise;
    queue.offer(payloadOf({ day }));
    await queue.close(50);
    expect(Object.fromEntries(counts.dropped)).toEqual({ closed: 1 });
    held.resolve();
    await Bun.sleep(5);
    expect(counts.stored).toBe(0);
  });
});

describe("a refused payload", () => {
  test("is dropped and counted, and those beside it in the segment are written", async () => {
    const { queue, table, counts } = newQueue();
    const payloads = Array.from({ length: 20 }, () => payloadOf({ day }));
    const bad = new Set([payloads[3]?.requestId, payloads[17]?.requestId]);
    table.isRefused = ({ requestId }) => bad.has(requestId);
    for (const payload of payloads) {
      queue.offer(payload);
    }
    await counts.untilStored(18);
    expect(Object.fromEntries(counts.dropped)).toEqual({ write_refused: 2 });
    expect(table.rows.map((row) => openPayload(key, row).response.length)).toEqual(
      Array.from({ length: 18 }, () => 10),
    );
    expect([queue.queuedBytes, queue.queuedCount]).toEqual([0, 0]);
  });

  test("has the payloads of other groups written with their groups, not one by one", async () => {
    const { queue, table, counts } = newQueue();
    // Nothing makes random bytes shorter, so that three payloads share a group of at most 64 KB.
    const payloads = Array.from({ length: 20 }, () => payloadOf({ day, request: randomBytes(20_000) }));
    table.isRefused = ({ requestId }) => requestId === payloads[0]?.requestId;
    for (const payload of payloads) {
      queue.offer(payload);
    }
    await counts.untilStored(19);
    // Thirteen are tried together, and then seven.
    expect(table.attempts).toEqual([20, 3, 1, 1, 1, 3, 3, 3, 1, 3, 3, 1]);
  });
});

describe("closing", () => {
  test("writes what waits, long bodies too, and accepts no more", async () => {
    const { queue, table, counts } = newQueue();
    for (let index = 0; index < 300; index += 1) {
      queue.offer(payloadOf({ day, request: index % 100 === 0 ? new Uint8Array(200_000) : "short" }));
    }
    await queue.close(5_000);
    expect(table.rows).toHaveLength(300);
    expect(queue.offer(payloadOf({ day }))).toBe("dropped");
    expect(Object.fromEntries(counts.dropped)).toEqual({ closed: 1 });
  });
});

describe("a thread that is lost", () => {
  test("takes with it what was not written, which is counted, and the next one begins with nothing", async () => {
    const { queue, table, counts, thread } = newQueue();
    const held = Promise.withResolvers<void>();
    table.hold = held.promise;
    for (let index = 0; index < 200; index += 1) {
      queue.offer(payloadOf({ day }));
    }
    thread.replace();
    expect(Object.fromEntries(counts.dropped)).toEqual({ thread_lost: 200 });
    expect([queue.queuedBytes, queue.queuedCount]).toEqual([0, 0]);
    held.resolve();
    table.batches.length = 0;
    const payload = payloadOf({ day });
    expect(queue.offer(payload)).toBe("stored");
    await counts.untilStored(1);
    expect(table.rows.map(({ requestId }) => requestId)).toContain(payload.requestId);
  });
});
