import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { openBooksThread } from "@sluice/control-plane/compose/books-thread.ts";
import { ensurePartitions } from "@sluice/control-plane/db/partitions.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { BrokenSealError, UnknownSealingKeyError } from "@sluice/control-plane/platform/crypto/seal-errors.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { DatabaseUnavailableError } from "@sluice/control-plane/platform/db-errors.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import type { KeptThread } from "@sluice/control-plane/platform/kept-thread.ts";
import type { Payload } from "@sluice/control-plane/trace/model.ts";
import { DayKeyDestroyedError } from "@sluice/control-plane/trace/payload-keys.ts";
import { TraceService, type TraceServiceDeps } from "@sluice/control-plane/trace/service.ts";
import { findStoredBodies } from "@sluice/control-plane/trace/store.ts";
import { viewOf } from "@sluice/http-client/packet-part";
import { holdLock } from "../support/postgres/held-lock.ts";
import { pagesRead } from "../support/postgres/pages-read.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { PayloadPair } from "../support/trace/payload-pair.ts";
import { idEndOf, listPlaces } from "../support/trace/stored-places.ts";
import { PayloadCounts, payloadOf, silentLog } from "../support/trace/trace-fixtures.ts";

const { TEST_FULL } = process.env;
const payloadsMany = TEST_FULL === "1" ? 20_000 : 400;
// The clock is stopped, so that no run crosses midnight.
const now = Date.now();
const clock = { ...systemClock, now: () => now };
const today = utcDay(now);
const tomorrow = utcDay(now + 86_400_000);
const masterKey = new MasterKey(randomBytes(32));

let server: TestDatabase;
let db: Database;
const services: TraceService[] = [];
const threads: KeptThread[] = [];

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax: 4, applicationName: "test" });
  await ensurePartitions(db, { table: "payload_segment", today });
});

afterAll(async () => {
  await Promise.all(services.map((service) => service.close(0)));
  for (const thread of threads) {
    thread.stop();
  }
  await db.close(1_000);
  await server.drop();
});

const handedOverAtOnce = 2_000;

function openThread(): KeptThread {
  const thread = openBooksThread({ url: server.url, role: null }, silentLog, () => undefined);
  threads.push(thread);
  return thread;
}

async function startTrace(
  changes: Partial<TraceServiceDeps> = {},
): Promise<{ trace: TraceService; counts: PayloadCounts }> {
  const counts = new PayloadCounts();
  const thread = changes.db === undefined ? openThread() : PayloadPair.on(changes.db);
  const trace = new TraceService({
    db,
    masterKey,
    clock,
    log: silentLog,
    thread,
    append: () => undefined,
    limits: { bodyBytesMax: 262_144, queueBytesMax: 64 * 1024 * 1024, queueCountMax: 100_000 },
    observer: counts,
    ...changes,
  });
  services.push(trace);
  await trace.start();
  return { trace, counts };
}

const textOf = (bytes: Uint8Array | null | undefined) => (bytes ? new TextDecoder().decode(bytes) : null);

describe("a stored payload", () => {
  test("comes back as it was, and the row says how long the bodies were", async () => {
    const { trace, counts } = await startTrace();
    const payload = payloadOf({ day: today, request: "question ".repeat(200), response: "answer ".repeat(100) });
    expect(trace.storePayload(payload)).toBe("stored");
    await counts.untilStored(1);
    const opened = await trace.readPayload(today, payload.requestId);
    expect(textOf(opened?.request)).toBe("question ".repeat(200));
    expect(textOf(opened?.response)).toBe("answer ".repeat(100));
    expect(await findStoredBodies(db, { day: today, requestId: payload.requestId })).toEqual({
      request_bytes: 1_800,
      response_bytes: 700,
      is_request_truncated: false,
      is_response_truncated: false,
    });
  });

  test("of any number and size is stored once, and nothing is left in the queue", async () => {
    const { trace, counts } = await startTrace();
    const sizes = [0, 1, 100, 2_000, 5_000, 70_000, 300_000];
    const payloads = Array.from({ length: payloadsMany }, (_, index) => {
      const size = index % 50 === 0 ? (sizes[(index / 50) % sizes.length] ?? 0) : index % 3_000;
      return payloadOf({ day: today, request: randomBytes(size), response: `answer ${index}`, gatewayUserId: 99n });
    });
    for (const [index, payload] of payloads.entries()) {
      expect(trace.storePayload(payload)).toBe("stored");
      if ((index + 1) % handedOverAtOnce === 0) {
        // The other thread gets its turn before the memory between them is full.
        await counts.untilStored(index + 1);
      }
    }
    await counts.untilStored(payloads.length);
    expect(counts.droppedTotal).toBe(0);
    expect(trace.load()).toEqual({ queuedBytes: 0, queuedCount: 0 });
    const stored = (await listPlaces(db)).filter(({ gatewayUserId }) => gatewayUserId === 99n);
    expect(stored.map(({ idEnd }) => idEnd).sort()).toEqual(payloads.map(({ requestId }) => idEndOf(requestId)).sort());
    for (const payload of payloads.slice(0, 400)) {
      const opened = await trace.readPayload(today, payload.requestId);
      const kept = viewOf(payload.request ?? new Uint8Array()).subarray(0, 262_144);
      expect(Buffer.from(opened?.request ?? []).equals(kept)).toBe(true);
      expect(opened?.isRequestTruncated).toBe(payload.requestBytes > 262_144);
    }
  });

  test("is marked where it was cut, in the row and inside the encryption", async () => {
    const { trace, counts } = await startTrace({
      limits: { bodyBytesMax: 1_000, queueBytesMax: 1_000_000, queueCountMax: 10 },
    });
    const payload = payloadOf({ day: today, request: "q".repeat(1_000), response: "a".repeat(1_001) });
    trace.storePayload(payload);
    await counts.untilStored(1);
    const opened = await trace.readPayload(today, payload.requestId);
    expect([textOf(opened?.request), textOf(opened?.response)]).toEqual(["q".repeat(1_000), "a".repeat(1_000)]);
    expect([opened?.isRequestTruncated, opened?.isResponseTruncated]).toEqual([false, true]);
    expect(await findStoredBodies(db, { day: today, requestId: payload.requestId })).toEqual({
      request_bytes: 1_000,
      response_bytes: 1_001,
      is_request_truncated: false,
      is_response_truncated: true,
    });
  });

  test("shares its row with its neighbours, and is read without them", async () => {
    const { trace, counts } = await startTrace();
    // The row of another one is being written until all of them are there.
    await using held = await holdLock(db, (tx) => tx.sql`lock table payload_segment in share row exclusive mode`);
    trace.storePayload(payloadOf({ day: today, request: "before" }));
    await held.waitForWaiters(1);
    const payloads = Array.from({ length: 100 }, (_, index) =>
      payloadOf({ day: today, request: randomBytes(4_000), response: `answer ${index}`, gatewayUserId: 98n }),
    );
    for (const payload of payloads) {
      trace.storePayload(payload);
    }
    await held.release();
    await counts.untilStored(1 + payloads.length);
    const stored = (await listPlaces(db)).filter(({ gatewayUserId }) => gatewayUserId === 98n);
    expect([stored.length, new Set(stored.map(({ segmentId }) => segmentId)).size]).toEqual([100, 1]);
    const last = payloads.at(-1)?.requestId ?? "";
    const pages = await pagesRead(
      db,
      `select substring(s.sealed from r.byte_offset + 1 for r.byte_length) from find_payload($1::text::date, $2::text::uuid) r
       join payload_segment s on s.day = $1::text::date and s.segment_id = r.segment_id`,
      [today, last],
    );
    // The whole segment would be more than 50 pages of 8 KB.
    expect(pages).toBeLessThan(45);
  });

  test("that was moved to another call or another user can't be decrypted", async () => {
    const { trace, counts } = await startTrace();
    const [one, other, third] = ["of one", "of another", "of a third"].map((request) =>
      payloadOf({ day: today, request }),
    );
    if (!(one && other && third)) {
      throw new Error("three payloads were made");
    }
    for (const [index, payload] of [one, other, third].entries()) {
      // Each alone, because payloads that are encrypted together share their place.
      trace.storePayload(payload);
      await counts.untilStored(index + 1);
    }
    const segments = new Map((await listPlaces(db)).map(({ idEnd, segmentId }) => [idEnd, segmentId]));
    const segmentOf = ({ requestId }: Payload): string => segments.get(idEndOf(requestId)) ?? "";
    await db.sql`
      update payload_segment set places = overlay(places placing substr(uuid_send(gen_random_uuid()), 9) from 1)
      where segment_id = ${segmentOf(one)}::text::uuid`;
    await db.sql`
      update payload_segment set first_call_ms = 0,
        places = places || overlay(places placing substr(uuid_send(${one.requestId}::text::uuid), 9) from 1)
      where segment_id = ${segmentOf(other)}::text::uuid`;
    await db.sql`
      update payload_segment set places = overlay(places placing substr(int8send(2), 3) from 9)
      where segment_id = ${segmentOf(third)}::text::uuid`;
    await expect(trace.readPayload(today, one.requestId)).rejects.toThrow(BrokenSealError);
    await expect(trace.readPayload(today, third.requestId)).rejects.toThrow(BrokenSealError);
    expect(textOf((await trace.readPayload(today, other.requestId))?.request)).toBe("of another");
  });

  test("is stored once when the answer to its statement was lost, and its segment comes again", async () => {
    let isLost = false;
    const query: Database["sql"] = async (strings, ...values) => {
      const rows = await db.sql(strings, ...values);
      if (!isLost && strings.join("").includes("insert into payload_segment")) {
        isLost = true;
        throw new DatabaseUnavailableError("the connection was lost after the statement");
      }
      return rows as never;
    };
    const forgetful = new Proxy(db, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        return name === "sql" ? query : typeof value === "function" ? value.bind(target) : value;
      },
    });
    const { trace, counts } = await startTrace({ db: forgetful });
    const payload = payloadOf({ day: today, request: "written twice" });
    trace.storePayload(payload);
    await counts.untilStored(1);
    expect([isLost, counts.stored, counts.droppedTotal]).toEqual([true, 1, 0]);
    expect(textOf((await trace.readPayload(today, payload.requestId))?.request)).toBe("written twice");
    expect((await listPlaces(db)).filter(({ idEnd }) => idEnd === idEndOf(payload.requestId))).toHaveLength(1);
  });

  test("is stored even if its day has no partition yet", async () => {
    const { trace, counts } = await startTrace();
    const owner = new Bun.SQL(server.url, { max: 1 });
    await owner.unsafe(`drop table payload_segment_y${today.replace("-", "m").replace("-", "d")}`);
    await owner.close();
    const payload = payloadOf({ day: today, request: "first of the day" });
    trace.storePayload(payload);
    await counts.untilStored(1);
    expect(textOf((await trace.readPayload(today, payload.requestId))?.request)).toBe("first of the day");
  });

  test("can't be decrypted without the master key it was encrypted under", async () => {
    const { trace, counts } = await startTrace();
    const payload = payloadOf({ day: today });
    trace.storePayload(payload);
    await counts.untilStored(1);
    const { trace: stranger } = await startTrace({ masterKey: new MasterKey(randomBytes(32)) });
    await expect(stranger.readPayload(today, payload.requestId)).rejects.toThrow(UnknownSealingKeyError);
  });
});

describe("a day's key", () => {
  test("is the same for all replicas, even if they start at the same moment", async () => {
    await using other = await createTestDatabase();
    const pools = Array.from({ length: 6 }, () =>
      openDatabase({ url: other.url, poolMax: 2, applicationName: "test" }),
    );
    try {
      const replicas = await Promise.all(pools.map((pool) => startTrace({ db: pool })));
      const payloads = replicas.map(({ trace }) => {
        const payload = payloadOf({ day: today, request: "shared" });
        expect(trace.storePayload(payload)).toBe("stored");
        return payload;
      });
      await Promise.all(replicas.map(({ counts }) => counts.untilStored(1)));
      for (const { trace } of replicas) {
        for (const payload of payloads) {
          expect(textOf((await trace.readPayload(today, payload.requestId))?.request)).toBe("shared");
        }
      }
      const [first = db] = pools;
      const [row] = await first.sql`
        select count(*) as days, count(distinct key_id) as keys,
          (select count(distinct key_id) from payload_segment) as used from payload_day_key`;
      expect(row).toEqual({ days: 2n, keys: 2n, used: 1n });
    } finally {
      await Promise.all(pools.map((pool) => pool.close(1_000)));
    }
  });

  test("is ready for tomorrow before tomorrow comes", async () => {
    const { trace } = await startTrace();
    expect(trace.storePayload(payloadOf({ day: tomorrow }))).toBe("stored");
  });

  test("is never created again once it was destroyed, and everything it encrypted is gone", async () => {
    await using other = await createTestDatabase();
    const pool = openDatabase({ url: other.url, poolMax: 2, applicationName: "test" });
    try {
      const { trace, counts } = await startTrace({ db: pool });
      const payload = payloadOf({ day: today, request: "to be forgotten" });
      trace.storePayload(payload);
      await counts.untilStored(1);
      await pool.sql`
        update payload_day_key set wrapped = null, destroyed_at = now() where day = ${today}::text::date`;
      await expect(trace.readPayload(today, payload.requestId)).rejects.toThrow(DayKeyDestroyedError);
      const { trace: restarted, counts: after } = await startTrace({ db: pool });
      expect(restarted.storePayload(payloadOf({ day: today }))).toBe("dropped");
      expect(after.dropped.get("no_key")).toBe(1);
      const [row] = await pool.sql`
        select wrapped, destroyed_at is not null as is_destroyed from payload_day_key where day = ${today}::text::date`;
      expect(row).toEqual({ wrapped: null, is_destroyed: true });
    } finally {
      await pool.close(1_000);
    }
  });

  test("is wrapped for its own day: the wrapped key of another day can't be used", async () => {
    await using other = await createTestDatabase();
    const pool = openDatabase({ url: other.url, poolMax: 2, applicationName: "test" });
    try {
      const { trace, counts } = await startTrace({ db: pool });
      const payload = payloadOf({ day: today });
      trace.storePayload(payload);
      await counts.untilStored(1);
      await pool.sql`
        update payload_day_key set wrapped = (select wrapped from payload_day_key where day = ${tomorrow}::text::date)
        where day = ${today}::text::date`;
      await expect(trace.readPayload(today, payload.requestId)).rejects.toThrow(BrokenSealError);
    } finally {
      await pool.close(1_000);
    }
  });
});
