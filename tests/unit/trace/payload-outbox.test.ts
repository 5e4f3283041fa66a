import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import type { PayloadSegment } from "@sluice/control-plane/trace/model.ts";
import { PayloadOutbox, type PayloadOutboxDeps } from "@sluice/control-plane/trace/payload-outbox.ts";
import { openPayload } from "@sluice/control-plane/trace/payload-sealing.ts";
import { PayloadPair } from "../../support/trace/payload-pair.ts";
import {
  PayloadCounts,
  payloadOf,
  type StoredPayload,
  silentLog,
  storedPayloads,
} from "../../support/trace/trace-fixtures.ts";

const day = "2026-11-21";
const key = new SealingKey("0123abcd", randomBytes(32));
const queues: PayloadOutbox[] = [];

class Outage extends Error {}

/** A database that can be made unreachable, or made to refuse rows or to keep a statement hanging. */
class Table {
  readonly batches: (readonly StoredPayload[])[] = [];
  readonly attempts: number[] = [];
  readonly days: string[] = [];
  isAway = false;
  isRefused: (row: StoredPayload) => boolean = () => false;
  hold: Promise<void> = Promise.resolve();
  #failures = 0;
  #onFailure: () => void = () => undefined;

  get rows(): StoredPayload[] {
    return this.batches.flat();
  }

  readonly write = async (segment: PayloadSegment): Promise<void> => {
    const rows = storedPayloads(segment);
    this.attempts.push(rows.length);
    this.days.push(segment.day);
    await this.hold;
    if (this.isAway) {
      this.#failures += 1;
      this.#onFailure();
      throw new Outage();
    }
    if (rows.some(this.isRefused)) {
      throw new Error("refused");
    }
    this.batches.push(rows);
  };

  /** Resolves when so many statements have failed because the database was unreachable. */
  async untilFailed(count: number): Promise<void> {
    while (this.#failures < count) {
      await new Promise<void>((resolve) => {
        this.#onFailure = resolve;
      });
    }
  }
}

function newQueue(changes: Partial<PayloadOutboxDeps> = {}) {
  const counts = new PayloadCounts();
  const table = new Table();
  const isOutage = (error: unknown) => error instanceof Outage;
  const thread = PayloadPair.with({ write: table.write, isOutage, clock: systemClock, log: silentLog });
  const queue = new PayloadOutbox({
    thread,
    findKey: (asked) => (asked === day ? key : null),
    limits: { bodyBytesMax: 1_000_000, queueBytesMax: 64 * 1024 * 1024, queueCountMax: 100_000 },
    observer: counts,
    ...changes,
  });
  queues.push(queue);
  return { queue, table, counts, thread };
}

/** The sizes of the rings that follow the first one, in MB. */
function noteRings(thread: ReturnType<typeof newQueue>["thread"]): number[] {
  const sizes: number[] = [];
  const { post } = thread;
  spyOn(thread, "post").mockImplementation((order) => {
    if ("ring" in order) {
      sizes.push(Math.floor((order.ring as SharedArrayBuffer).byteLength / 2 ** 20));
    }
    post.call(thread, order);
  });
  return sizes;
}

afterEach(async () => {
  await Promise.all(queues.splice(0).map((queue) => queue.close(0)));
});

describe("a queue of payloads", () => {
  test("writes what it was offered in full segments, and the rest after a moment", async () => {
    const { queue, table, counts } = newQueue();
    const payloads = Array.from({ length: 600 }, (_, index) => payloadOf({ day, request: `request ${index}` }));
    for (const payload of payloads) {
      expect(queue.offer(payload)).toBe("stored");
    }
    expect(table.attempts).toEqual([]);
    await counts.untilStored(600);
    expect(table.batches.map((batch) => batch.length)).toEqual([512, 88]);
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
    const bodies = Array.from({ length: 12 }, (_, index) => `${index} ${"x".repeat(10_000)}`);
    for (const request of bodies) {
      queue.offer(payloadOf({ day, request }));
    }
    await counts.untilStored(12);
    compress.mockRestore();
    expect(table.rows.map((row) => Buffer.from(openPayload(key, row).request ?? []).toString())).toEqual(bodies);
    expect(table.rows[0]?.sealed.length).toBeGreaterThan(60_000);
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
    // A group of fifty bodies of 1 KB is shorter than ten of them, and no longer counted than it is.
    expect(Math.max(...table.rows.map(({ sealed }) => sealed.length))).toBeLessThan(10_000);
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
    // A group has three of them.
    expect(Math.max(...table.rows.map(({ sealed }) => sealed.length))).toBeLessThan(1.3 * alone);
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

  test("drops what does not fit into the memory that is shared, whatever the limit", async () => {
    const { queue, counts } = newQueue({
      limits: { bodyBytesMax: 4_000_000, queueBytesMax: 2 ** 30, queueCountMax: 100 },
    });
    const request = randomBytes(4_000_000);
    const fates = Array.from({ length: 8 }, () => queue.offer(payloadOf({ day, request })));
    // A ring of 8 MB, and one of 16.
    expect(fates).toEqual([...Array(6).fill("stored"), "dropped", "dropped"]);
    expect(Object.fromEntries(counts.dropped)).toEqual({ queue_full: 2 });
    await counts.untilStored(6);
    expect(queue.offer(payloadOf({ day, request }))).toBe("stored");
  });

  test("shares more memory only when payloads come faster than they are fetched, and keeps their order", async () => {
    const { queue, table, counts, thread } = newQueue();
    const sizes = noteRings(thread);
    const offer = (count: number) => {
      const payloads = Array.from({ length: count }, () => payloadOf({ day, request: randomBytes(5_000) }));
      expect(payloads.map((each) => queue.offer(each))).toEqual(Array(count).fill("stored"));
      return payloads;
    };
    const offered = [...offer(150)];
    await counts.untilStored(150);
    expect(sizes).toEqual([]);
    offered.push(...offer(2_000));
    await counts.untilStored(2_150);
    offered.push(...offer(300));
    await counts.untilStored(2_450);
    expect(sizes).toEqual([4, 8]);
    expect(table.rows.map(({ requestId }) => requestId)).toEqual(offered.map(({ requestId }) => requestId));
    for (const [index, row] of table.rows.entries()) {
      expect(Buffer.from(openPayload(key, row).request ?? []).equals(offered[index]?.request as Buffer)).toBe(true);
    }
  });

  test("shares less memory again when a burst is over, and keeps the order of what is in both", async () => {
    const { queue, table, counts, thread } = newQueue();
    const sizes = noteRings(thread);
    const offered: ReturnType<typeof payloadOf>["requestId"][] = [];
    const offer = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        const payload = payloadOf({ day, request: randomBytes(50_000) });
        expect(queue.offer(payload)).toBe("stored");
        offered.push(payload.requestId);
      }
      await counts.untilStored(offered.length);
    };
    await offer(50);
    expect(sizes).toEqual([4]);
    while (sizes.length < 2) {
      await offer(15);
    }
    expect(sizes).toEqual([4, 2]);
    // The burst is forgotten once what waits has been little for four times its size, and not before.
    expect(offered.length).toBeGreaterThan(4 * 80);
    expect(offered.length).toBeLessThan(10 * 80);
    expect(table.rows.map(({ requestId }) => requestId)).toEqual(offered);
  });

  test("closing writes what is in each of the rings that follow each other", async () => {
    const { queue, table } = newQueue();
    for (let index = 0; index < 700; index += 1) {
      expect(queue.offer(payloadOf({ day, request: randomBytes(5_000) }))).toBe("stored");
    }
    await queue.close(10_000);
    expect(table.rows).toHaveLength(700);
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
    expect(performance.now() - startedAt).toBeLessThan(1_000);
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
    const request = crypto.getRandomValues(new Uint8Array(20_000));
    const payloads = Array.from({ length: 20 }, () => payloadOf({ day, request }));
    table.isRefused = ({ requestId }) => requestId === payloads[0]?.requestId;
    for (const payload of payloads) {
      queue.offer(payload);
    }
    await counts.untilStored(19);
    expect(table.attempts).toEqual([20, 3, 1, 1, 1, 3, 3, 3, 3, 3, 2]);
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
