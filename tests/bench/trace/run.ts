import { randomBytes } from "node:crypto";
import { ensurePartitions } from "@sluice/control-plane/db/partitions.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import { sha256Hex } from "@sluice/control-plane/platform/crypto/digest.ts";
import { open, seal, sealContext } from "@sluice/control-plane/platform/crypto/seal.ts";
import { SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import { type Database, openDatabase } from "@sluice/control-plane/platform/db.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import type { Payload } from "@sluice/control-plane/trace/model.ts";
import { PayloadQueue } from "@sluice/control-plane/trace/payload-queue.ts";
import { compressBlob, packPayload, sealPayload } from "@sluice/control-plane/trace/payload-sealing.ts";
import { insertPayloads, insertTraces, payloadRowsMax } from "@sluice/control-plane/trace/store.ts";
import { toSpooledTrace } from "@sluice/control-plane/trace/trace-row.ts";
import { startTestCluster } from "../../support/test-cluster.ts";
import { createDatabaseOn } from "../../support/test-database.ts";
import { newRequestId, traceRowOf } from "../../support/trace-fixtures.ts";
import { chatAnswer, chatRequest, chatStream, payloadsOf } from "./bodies.ts";

const rounds = 7;
const bodyBytesMax = 262_144;
const traceBatch = 500;
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

/** What `storePayload` costs in all, the sealing in a later turn included. Writing is reported apart. */
async function reportOffer(name: string, payloads: readonly Payload[], count: number): Promise<void> {
  const costs: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const queue = new PayloadQueue({
      findKey: () => key,
      write: async () => undefined,
      isOutage: () => false,
      limits: { bodyBytesMax, queueBytesMax: 2 ** 30, queueCountMax: count },
      observer: { onStored: () => undefined, onDropped: () => undefined },
      clock: systemClock,
      log: createLog("error", console.error),
    });
    const before = process.cpuUsage();
    for (let index = 0; index < count; index += 1) {
      queue.offer(payloads[index % payloads.length] as Payload);
      if (index % 64 === 63) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    await queue.close(10_000);
    const { user, system } = process.cpuUsage(before);
    costs.push(...(round === 0 ? [] : [(user + system) / count]));
  }
  print(name, costs);
}

async function reportInserts(db: Database): Promise<void> {
  await ensurePartitions(db, { table: "payload_record", today });
  await ensurePartitions(db, { table: "trace_record", today });
  const batches = 20;
  for (const [name, payloads] of Object.entries(bodies)) {
    for (const isCompressed of [false, true]) {
      const sealed = payloads.map((payload) => {
        const blob = packPayload(payload, bodyBytesMax);
        return sealPayload(key, payload, blob, isCompressed ? compressBlob(blob.bytes) : blob.bytes);
      });
      const next = () =>
        Array.from({ length: payloadRowsMax }, (_, index) => ({
          ...(sealed[index % sealed.length] as (typeof sealed)[number]),
          requestId: newRequestId(),
        }));
      await reportRows(`insert, ${name}${isCompressed ? ", compressed" : ""}`, payloadRowsMax, batches, async () => {
        const rows = next();
        return () => insertPayloads(db, rows);
      });
    }
  }
  await reportRows("insert, trace row", traceBatch, batches, async () => {
    const rows = Array.from({ length: traceBatch }, () => toSpooledTrace(traceRowOf({ day: today })));
    return () => insertTraces(db, rows);
  });
}

async function reportRows(
  name: string,
  rowsPerBatch: number,
  batches: number,
  prepare: () => Promise<() => Promise<void>>,
): Promise<void> {
  const costs: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const inserts = await Promise.all(Array.from({ length: batches }, prepare));
    Bun.gc(true);
    const before = process.cpuUsage();
    for (const insert of inserts) {
      await insert();
    }
    const { user, system } = process.cpuUsage(before);
    costs.push(...(round === 0 ? [] : [(user + system) / (batches * rowsPerBatch)]));
  }
  print(name, costs);
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
  const context = sealContext({ table: "payload_record", column: "sealed", row: newRequestId(), owner: 7n });
  for (const length of [64, 3_072, 100_000]) {
    const plaintext = randomBytes(length);
    const sealed = seal(key, plaintext, context);
    await report(`seal ${length} bytes`, length > 10_000 ? 2_000 : 20_000, () => seal(key, plaintext, context));
    await report(`open ${length} bytes`, length > 10_000 ? 2_000 : 20_000, () => open(key, sealed, context));
  }
  for (const [name, payloads] of Object.entries(bodies)) {
    const blobs = payloads.map((payload) => packPayload(payload, bodyBytesMax).bytes);
    const ratio = compressBlob(blobs[0] as (typeof blobs)[number]).length / (blobs[0]?.length ?? 1);
    const count = (blobs[0]?.length ?? 0) > 10_000 ? 1_000 : 10_000;
    await report(`compress ${name} (to ${Math.round(ratio * 100)} %)`, count, (index) =>
      compressBlob(blobs[index % blobs.length] as (typeof blobs)[number]),
    );
    await reportOffer(`store ${name}`, payloads, count * 2);
  }
  const row = traceRowOf({ day: today });
  await report("trace row for the spool", 100_000, () => toSpooledTrace(row));
  const cluster = await startTestCluster({ isDurable: true });
  const db = openDatabase({ url: (await createDatabaseOn(cluster.url)).url, poolMax: 1, applicationName: "bench" });
  try {
    await reportInserts(db);
  } finally {
    await db.close(1_000);
    await cluster.destroy();
  }
  return 0;
}
