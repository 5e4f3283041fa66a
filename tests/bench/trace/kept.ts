import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { openBooksThread } from "@sluice/control-plane/compose/books-thread.ts";
import { SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import type { Payload } from "@sluice/control-plane/trace/model.ts";
import { PayloadOutbox } from "@sluice/control-plane/trace/payload-outbox.ts";
import { newRequestId } from "../../support/trace/trace-fixtures.ts";

const rounds = 5;
const roundMs = 2_000;
const pauseMs = 2;
const perMs = 8;
const key = new SealingKey("0123abcd", randomBytes(32));

export type KeptCosts = { readonly thread: number[]; readonly server: number[] };

/**
 * What the second thread and the server's processes for clients take for each payload that is kept, in microseconds, while
 * calls end at 8,000 a second. Empty where the kernel does not report it.
 */
export async function measureKept(url: string, db: Database, payloads: readonly Payload[]): Promise<KeptCosts> {
  const thread = openBooksThread({ url, role: null }, createLog("error", console.error), () => undefined);
  const outbox = new PayloadOutbox({
    thread,
    findKey: () => key,
    limits: { bodyBytesMax: 262_144, queueBytesMax: 64 * 1024 * 1024, queueCountMax: 10_000 },
    observer: {
      onStored: () => undefined,
      onDropped: (reason) => {
        throw new Error(`a payload was dropped: ${reason}`);
      },
    },
  });
  const costs: KeptCosts = { thread: [], server: [] };
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const before = { thread: threadMicros(), server: await serverMicros(db) };
      const count = await offerSteadily(outbox, payloads);
      const after = { thread: threadMicros(), server: await serverMicros(db) };
      // The first round compiles.
      if (round > 0) {
        costs.thread.push((after.thread - before.thread) / count);
        costs.server.push((after.server - before.server) / count);
      }
    }
  } finally {
    await outbox.close(5_000);
    thread.stop();
  }
  return costs;
}

/** Offers payloads at a steady pace, and waits until they are written. Returns how many there were. */
async function offerSteadily(outbox: PayloadOutbox, payloads: readonly Payload[]): Promise<number> {
  const startedAt = performance.now();
  let count = 0;
  for (let ms = 0; ms < roundMs; ms = performance.now() - startedAt) {
    for (const due = Math.min(ms * perMs, count + 500); count < due; count += 1) {
      outbox.offer({ ...(payloads[count % payloads.length] as Payload), requestId: newRequestId() });
    }
    await Bun.sleep(pauseMs);
  }
  while (outbox.queuedCount > 0) {
    await Bun.sleep(pauseMs);
  }
  return count;
}

function threadMicros(): number {
  const tasks = readdirSync("/proc/self/task");
  const workers = tasks.filter((task) => readFileSync(`/proc/self/task/${task}/comm`, "utf8").trim() === "Worker");
  return workers.reduce((sum, task) => sum + microsOf(`/proc/self/task/${task}`), 0);
}

async function serverMicros(db: Database): Promise<number> {
  const rows = await db.sql<{ pid: number }>`
    select pid from pg_stat_activity where backend_type = 'client backend' and application_name <> 'bench'`;
  return rows.reduce((sum, { pid }) => sum + microsOf(`/proc/${pid}`), 0);
}

const microsOf = (folder: string): number => Number(readFileSync(`${folder}/schedstat`, "utf8").split(" ")[0]) / 1_000;
