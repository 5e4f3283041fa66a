import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { ensurePartitions } from "@sluice/control-plane/db/partitions.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import { sha256Hex } from "@sluice/control-plane/platform/crypto/digest.ts";
import { open, seal, sealContext } from "@sluice/control-plane/platform/crypto/seal.ts";
import { SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { GroupCompression } from "@sluice/control-plane/trace/group-compression.ts";
import type { Payload, PayloadSegment } from "@sluice/control-plane/trace/model.ts";
import { groupBytesMax } from "@sluice/control-plane/trace/payload-group.ts";
import { PayloadOutbox } from "@sluice/control-plane/trace/payload-outbox.ts";
import { commitTraces } from "@sluice/control-plane/trace/service.ts";
import { toSpooledTrace } from "@sluice/control-plane/trace/trace-row.ts";
import { insertSegment } from "@sluice/control-plane/trace/write-store.ts";
import { startTestCluster } from "../../support/postgres/test-cluster.ts";
import { createDatabaseOn } from "../../support/postgres/test-database.ts";
import { PayloadPair } from "../../support/trace/payload-pair.ts";
import { groupOf, newRequestId, packedOf, traceRowOf } from "../../support/trace/trace-fixtures.ts";
import { chatAnswer, chatRequest, chatStream, payloadsOf } from "./bodies.ts";
import { measureKept } from "./kept.ts";

const rounds = 7;
const bodyBytesMax = 262_144;
const traceBatch = 500;
const insertedPerRound = 2_500;
const offersPerTurn = 50;
const queuedBytesMax = 4 * 1024 * 1024;
const today = utcDay(Date.now());
const key = new SealingKey("0123abcd", randomBytes(32));

const bodies = {
  "2 + 1 KB of prose": payloadsOf(today, (seed) => [chatRequest(2_048, seed), chatAnswer(1_024, seed)]),
  "1 KB and a stream of 2 KB": payloadsOf(today, (seed) => [chatRequest(1_024, seed), chatStream(2_048, seed)]),
  "12 KB and a stream of 40 KB": payloadsOf(today, (seed) => [chatRequest(12_000, seed), chatStream(40_000, seed)]),
};

/** CPU of this process for each of `count` steps, in microseconds: the median of the rounds, and the lowest. */
async function report(name: string, count: number, step: (index: number) => unknown): Promise<void> {
  const costs: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const before = process.cpuUsage();
    for (let index = 0; index < count; index += 1) {
      const result = step(index);
      if (result instanceof Promise) {
        await result;
      }
    }
    const { user, system } = process.cpuUsage(before);
    // The first round warms up.
    costs.push(...(round === 0 ? [] : [(user + system) / count]));
  }
  print(name, costs);
}

function print(name: string, costs: number[]): void {
  costs.sort((one, other) => one - other);
  const [lowest = 0] = costs;
  const median = costs[Math.floor(costs.length / 2)] ?? 0;
  console.log(`${name.padEnd(58)}${median.toFixed(2).padStart(10)}${lowest.toFixed(2).padStart(10)}`);
}

function openOutbox(write: (segment: PayloadSegment) => Promise<void>, queueCountMax: number): PayloadOutbox {
  const log = createLog("error", console.error);
  return new PayloadOutbox({
    thread: PayloadPair.with({ write, isOutage: () => false, clock: systemClock, log }),
    findKey: () => key,
    limits: { bodyBytesMax, queueBytesMax: 2 ** 30, queueCountMax },
    observer: { onStored: () => undefined, onDropped: () => undefined },
  });
}

/** What `storePayload` costs within the call; and later, on the second thread, when it is encrypted into a segment. */
async function reportOffer(name: string, payloads: readonly Payload[], count: number): Promise<void> {
  const offering: number[] = [];
  const sealing: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const outbox = openOutbox(async () => undefined, count);
    const spent = { offering: 0, all: 0 };
    for (let done = 0; done < count; done += offersPerTurn) {
      const before = process.cpuUsage();
      for (let index = 0; index < offersPerTurn; index += 1) {
        outbox.offer(payloads[index % payloads.length] as Payload);
      }
      spent.offering += cpuSince(before);
      while (outbox.queuedBytes > queuedBytesMax) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      spent.all += cpuSince(before);
    }
    const before = process.cpuUsage();
    await outbox.close(10_000);
    spent.all += cpuSince(before);
    offering.push(...(round === 0 ? [] : [spent.offering / count]));
    sealing.push(...(round === 0 ? [] : [(spent.all - spent.offering) / count]));
  }
  print(`offer ${name}`, offering);
  print(`seal ${name}`, sealing);
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function reportInserts(db: Database): Promise<void> {
  for (const table of ["payload_segment", "trace_record"] as const) {
    await ensurePartitions(db, { table, today });
  }
  const server = await watchBackend(db);
  for (const [name, payloads] of Object.entries(bodies)) {
    await reportRows(`insert, ${name}`, server, async () =>
      (await segmentsOf(payloads)).map((segment) => ({
        rows: segment.spans.length,
        insert: () => insertSegment(db, segment),
      })),
    );
  }
  await reportRows("insert, trace row", server, async () =>
    Array.from({ length: insertedPerRound / traceBatch }, () => {
      const rows = Array.from({ length: traceBatch }, () => toSpooledTrace(traceRowOf({ day: today })));
      return { rows: traceBatch, insert: () => commitTraces(db, rows) };
    }),
  );
}

/** What the second thread writes of so many payloads. */
async function segmentsOf(payloads: readonly Payload[]): Promise<PayloadSegment[]> {
  const taken: PayloadSegment[] = [];
  const write = async (segment: PayloadSegment): Promise<void> => {
    taken.push({ ...segment, sealed: segment.sealed.slice() });
  };
  const outbox = openOutbox(write, insertedPerRound);
  for (let index = 0; index < insertedPerRound; index += 1) {
    outbox.offer({ ...(payloads[index % payloads.length] as Payload), requestId: newRequestId() });
    while (outbox.queuedBytes > queuedBytesMax) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await outbox.close(10_000);
  return taken;
}

/**
 * Reads the CPU that the backend of the only connection has used, in microseconds; always 0 if the kernel does not
 * report it.
 */
async function watchBackend(db: Database): Promise<() => number> {
  const [row] = await db.sql<{ pid: number }>`select pg_backend_pid() as pid`;
  const path = `/proc/${row?.pid}/schedstat`;
  return existsSync(path) ? () => Number(readFileSync(path, "utf8").split(" ")[0]) / 1_000 : () => 0;
}

async function reportRows(
  name: string,
  server: () => number,
  prepare: () => Promise<{ readonly rows: number; readonly insert: () => Promise<void> }[]>,
): Promise<void> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const inserts = await prepare();
    const rows = inserts.reduce((sum, insert) => sum + insert.rows, 0);
    Bun.gc(true);
    const serverBefore = server();
    const before = process.cpuUsage();
    for (const { insert } of inserts) {
      await insert();
    }
    ours.push(...(round === 0 ? [] : [cpuSince(before) / rows]));
    theirs.push(...(round === 0 ? [] : [(server() - serverBefore) / rows]));
  }
  print(name, ours);
  print("  of the server", theirs);
}

/** What the second thread does for a payload, until it is committed, while calls end at a steady pace. */
async function reportKept(url: string, db: Database): Promise<void> {
  if (!existsSync("/proc/self/schedstat")) {
    return;
  }
  const { thread, server } = await measureKept(url, db, bodies["2 + 1 KB of prose"]);
  print("keep 2 + 1 KB of prose, second thread", thread);
  print("  of the server", server);
}

/** What keeping a trace of a call costs this process, step by step. */
export async function runTraceBench(args: string[]): Promise<number> {
  if (args.length > 0) {
    console.log("usage: bun run bench trace\nPrints our CPU per call in us for each step of keeping traces.");
    return args.includes("--help") ? 0 : 2;
  }
  console.log(`${"us of CPU each".padEnd(58)}${"median".padStart(10)}${"lowest".padStart(10)}`);
  const apiKey = `sk-${"a1B2".repeat(12)}`;
  await report("digest of an API key", 100_000, () => sha256Hex(apiKey));
  const context = sealContext({ table: "payload_segment", column: "sealed", row: newRequestId(), owner: 7n });
  for (const length of [64, 3_072, 100_000]) {
    const plaintext = randomBytes(length);
    const sealed = seal(key, plaintext, context);
    await report(`seal ${length} bytes`, length > 10_000 ? 2_000 : 20_000, () => seal(key, plaintext, context));
    await report(`open ${length} bytes`, length > 10_000 ? 2_000 : 20_000, () => open(key, sealed, context));
  }
  for (const [name, payloads] of Object.entries(bodies)) {
    const blobs = payloads.map((payload) => packedOf(payload, bodyBytesMax));
    const perGroup = Math.max(1, Math.floor(groupBytesMax / (blobs[0]?.length ?? 1)));
    const groups = blobs.map((_, index) => groupOf(payloads.slice(index, index + perGroup), bodyBytesMax).records);
    const [first = Buffer.of()] = groups;
    const compress = (records: Buffer): Uint8Array => new GroupCompression().compress(records, true) ?? records;
    const share = Math.round((100 * compress(first).length) / first.length);
    const count = (blobs[0]?.length ?? 0) > 10_000 ? 1_000 : 10_000;
    await report(`compress ${perGroup} x ${name} (to ${share} %)`, count / perGroup, (index) =>
      compress(groups[index % groups.length] ?? first),
    );
    await reportOffer(name, payloads, count);
  }
  const row = traceRowOf({ day: today });
  await report("trace row for the spool", 100_000, () => toSpooledTrace(row));
  const cluster = await startTestCluster({ isDurable: true });
  const { url } = await createDatabaseOn(cluster.url);
  const db = openDatabase({ url, poolMax: 1, applicationName: "bench" });
  try {
    await reportInserts(db);
    await reportKept(url, db);
  } finally {
    await db.close(1_000);
    await cluster.destroy();
  }
  return 0;
}
