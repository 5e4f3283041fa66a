import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBooksThread } from "@sluice/control-plane/compose/books-thread.ts";
import { ensurePartitions } from "@sluice/control-plane/db/partitions.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import type { KeptThread } from "@sluice/control-plane/platform/kept-thread.ts";
import { openSpool, type Spool } from "@sluice/control-plane/platform/spool/spool.ts";
import type { AnyTrace, Payload, TraceRow } from "@sluice/control-plane/trace/model.ts";
import type { PayloadLimits } from "@sluice/control-plane/trace/payload-outbox.ts";
import { commitTraces, TraceService, traceRowCodec } from "@sluice/control-plane/trace/service.ts";
import type { EmbeddedPostgres } from "@sluice/deploy/start/embedded-postgres";
import { viewOf } from "@sluice/http-client/packet-part";
import { startTestCluster } from "../support/postgres/test-cluster.ts";
import { createDatabaseOn } from "../support/postgres/test-database.ts";
import { findInFiles } from "../support/trace/find-in-files.ts";
import { idEndOf, listPlaces } from "../support/trace/stored-places.ts";
import { PayloadCounts, payloadOf, silentLog, traceRowOf } from "../support/trace/trace-fixtures.ts";
import { reportedCall } from "../support/usage/recorded-calls.ts";
import { patienceMs } from "../support/values/patience.ts";

const { TEST_FULL } = process.env;
const calls = TEST_FULL === "1" ? 20_000 : 2_000;

type Rows = { trace: AnyTrace };

// The clock is stopped, so that no run crosses midnight.
const now = Date.now();
const clock = { ...systemClock, now: () => now };
const today = utcDay(now);
const masterKey = new MasterKey(randomBytes(32));

let cluster: EmbeddedPostgres;
let databaseUrl: string;
let folder: string;

beforeAll(async () => {
  cluster = await startTestCluster({ isDurable: true });
  databaseUrl = (await createDatabaseOn(cluster.url)).url;
  folder = await mkdtemp(join(tmpdir(), "sluice-trace-"));
});

afterAll(async () => {
  await cluster.destroy();
  await rm(folder, { recursive: true });
});

function openThread(): KeptThread {
  return openBooksThread({ url: databaseUrl, role: null }, silentLog, () => undefined);
}

/** Traces as the program puts them together: payloads straight to the database, metadata through a spool. */
class Replica implements AsyncDisposable {
  readonly counts = new PayloadCounts();
  readonly thread = openThread();
  readonly trace: TraceService;
  readonly db: Database;
  readonly spool: Spool<Rows>;

  constructor(db: Database, spool: Spool<Rows>, limits: PayloadLimits) {
    this.db = db;
    this.spool = spool;
    this.trace = new TraceService({
      db,
      masterKey,
      clock,
      log: silentLog,
      thread: this.thread,
      append: (row) => void spool.append({ kind: "trace", row }),
      limits,
      observer: this.counts,
    });
    spool.drain({
      commit: ({ entries }) =>
        db.withTransaction((tx) =>
          commitTraces(
            tx,
            entries.map(({ row: { requestId, day }, json }) => ({ requestId, day, json })),
          ),
        ),
      isPoison: () => false,
      onQuarantine: () => undefined,
    });
  }

  /** What the relay does at the end of a call. */
  finish(payload: Payload): TraceRow {
    const fate = this.trace.storePayload(payload);
    const row = traceRowOf({ day: today, requestId: payload.requestId, payload: fate });
    this.trace.record(reportedCall(row));
    return row;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.trace.close(0);
    this.thread.stop();
    await this.spool.close();
    await this.db.close(1_000);
  }
}

async function startReplica(limits: Partial<PayloadLimits> = {}): Promise<Replica> {
  const db = openDatabase({ url: databaseUrl, poolMax: 4, applicationName: "test", acquireTimeoutMs: 1_000 });
  for (const table of ["trace_record", "payload_segment"] as const) {
    await ensurePartitions(db, { table, today });
  }
  const directory = join(folder, `spool ${randomBytes(4).toHex()}`);
  const spool = await openSpool<Rows>({ directory, codecs: { trace: traceRowCodec }, onWarning: () => undefined });
  const replica = new Replica(db, spool, {
    bodyBytesMax: 262_144,
    queueBytesMax: 64 * 1024 * 1024,
    queueCountMax: 100_000,
    ...limits,
  });
  await replica.trace.start();
  return replica;
}

type Stored = { traces: bigint; said_stored: bigint; said_dropped: bigint; payloads: bigint };

async function countRows(db: Database, rows: readonly TraceRow[]): Promise<Stored | undefined> {
  const ids = `{${rows.map(({ requestId }) => requestId).join(",")}}`;
  const [stored] = await db.sql<Omit<Stored, "payloads">>`
    select count(*) as traces, count(*) filter (where payload = 'stored') as said_stored,
      count(*) filter (where payload = 'dropped') as said_dropped
    from trace_record where request_id = any(${ids}::uuid[])`;
  const wanted = new Set(rows.map(({ requestId }) => idEndOf(requestId)));
  const payloads = (await listPlaces(db)).filter(({ idEnd }) => wanted.has(idEnd)).length;
  return stored === undefined ? undefined : { ...stored, payloads: BigInt(payloads) };
}

function isStored(row: TraceRow): boolean {
  return row.payload === "stored";
}

describe("under overload", () => {
  test("payloads are dropped and counted, and the trace of every call is kept and says which", async () => {
    await using replica = await startReplica({ queueBytesMax: 1_000_000 });
    const body = randomBytes(3_000);
    // All at once: little can be written in between.
    const rows = Array.from({ length: calls }, () => replica.finish(payloadOf({ day: today, request: body })));
    const kept = rows.filter(isStored).length;
    expect(kept).toBeGreaterThan(100);
    expect(kept).toBeLessThan(calls);
    expect(Object.fromEntries(replica.counts.dropped)).toEqual({ queue_full: calls - kept });
    await replica.counts.untilStored(kept);
    expect(await replica.spool.flush(patienceMs)).toBe(true);
    expect(await countRows(replica.db, rows)).toEqual({
      traces: BigInt(calls),
      said_stored: BigInt(kept),
      said_dropped: BigInt(calls - kept),
      payloads: BigInt(kept),
    });
  });
});

describe("a database that goes down and comes back", () => {
  test("gets every accepted trace and payload, once", async () => {
    await using replica = await startReplica({ queueCountMax: 500 });
    const body = randomBytes(1_000);
    const finish = () => replica.finish(payloadOf({ day: today, request: body }));
    const before = Array.from({ length: 200 }, finish);
    // Some of these are being written at that moment.
    await cluster.stopImmediate();
    const during = Array.from({ length: calls }, finish);
    expect(replica.trace.load().queuedCount).toBeLessThanOrEqual(500);
    expect(replica.counts.droppedTotal).toBe(during.filter((row) => !isStored(row)).length);
    expect(replica.counts.droppedTotal).toBeGreaterThanOrEqual(calls - 500);
    await cluster.restart();
    const all = [...before, ...during];
    const kept = all.filter(isStored).length;
    await replica.counts.untilStored(kept);
    expect(await replica.spool.flush(patienceMs)).toBe(true);
    const after = finish();
    expect(isStored(after)).toBe(true);
    await replica.counts.untilStored(kept + 1);
    expect(await countRows(replica.db, all)).toEqual({
      traces: BigInt(all.length),
      said_stored: BigInt(kept),
      said_dropped: BigInt(all.length - kept),
      payloads: BigInt(kept),
    });
  });

  test("gives the day its key even if it was down at the start", async () => {
    await using db = disposable(openDatabase({ url: databaseUrl, poolMax: 1, applicationName: "test" }));
    await cluster.stopImmediate();
    const counts = new PayloadCounts();
    const thread = openThread();
    const trace = new TraceService({
      db,
      thread,
      masterKey,
      clock: { ...clock, now: () => now + 5 * 86_400_000 },
      log: silentLog,
      append: () => undefined,
      limits: { bodyBytesMax: 1_000, queueBytesMax: 1_000_000, queueCountMax: 10 },
      observer: counts,
    });
    await trace.start();
    const day = utcDay(now + 5 * 86_400_000);
    expect(trace.storePayload(payloadOf({ day }))).toBe("dropped");
    expect(Object.fromEntries(counts.dropped)).toEqual({ no_key: 1 });
    await cluster.restart();
    const deadline = performance.now() + patienceMs;
    while (trace.storePayload(payloadOf({ day })) === "dropped" && performance.now() < deadline) {
      await Bun.sleep(100);
    }
    await counts.untilStored(1);
    await trace.close(1_000);
    thread.stop();
  });
});

function disposable(db: Database): Database & AsyncDisposable {
  return { ...db, [Symbol.asyncDispose]: () => db.close(1_000) };
}

describe("the files of the database", () => {
  test("contain no prompt and no response in plain text, whether or not it was compressed", async () => {
    await using replica = await startReplica();
    const canaries = {
      shown: `shown ${randomBytes(8).toHex()}`,
      short: `short ${randomBytes(8).toHex()}`,
      long: `long ${randomBytes(8).toHex()}`,
      answered: `answered ${randomBytes(8).toHex()}`,
    };
    const payloads = [
      payloadOf({ day: today, request: canaries.short, response: canaries.answered }),
      payloadOf({ day: today, request: `${canaries.long} ${randomBytes(20_000).toHex()}` }),
      payloadOf({ day: today, request: Buffer.concat([Buffer.from(canaries.long), randomBytes(300_000)]) }),
    ];
    for (const payload of payloads) {
      expect(replica.finish(payload).payload).toBe("stored");
    }
    // Shows that the search finds what is there.
    replica.trace.record(reportedCall(traceRowOf({ day: today, userAgent: canaries.shown })));
    await replica.counts.untilStored(payloads.length);
    expect(await replica.spool.flush(patienceMs)).toBe(true);
    const admin = new Bun.SQL(cluster.url, { max: 1 });
    await admin.unsafe("checkpoint");
    await admin.close();
    const found = await findInFiles(cluster.directory, Object.values(canaries));
    expect([...found]).toEqual([canaries.shown]);
    for (const payload of payloads) {
      const opened = await replica.trace.readPayload(today, payload.requestId);
      expect(
        Buffer.from(opened?.request ?? []).equals(viewOf(payload.request ?? Buffer.of()).subarray(0, 262_144)),
      ).toBe(true);
    }
  });
});
