import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReplicaId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { type BooksSetup, openBooksThread } from "@sluice/control-plane/compose/books-thread.ts";
import { CallCommits } from "@sluice/control-plane/compose/call-commits.ts";
import {
  type CallRows,
  type CallSpool,
  type CallsSummary,
  callForms,
} from "@sluice/control-plane/compose/call-rows.ts";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { dayMs, utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { KeptThread } from "@sluice/control-plane/platform/kept-thread.ts";
import type { DrainOptions } from "@sluice/control-plane/platform/spool/drain.ts";
import { NotTriedError } from "@sluice/control-plane/platform/spool/errors.ts";
import type { SpoolEntry } from "@sluice/control-plane/platform/spool/model.ts";
import { isFaultOfRows } from "@sluice/control-plane/platform/spool/poison.ts";
import { openSpool } from "@sluice/control-plane/platform/spool/spool.ts";
import { commitCharges } from "@sluice/control-plane/usage/log/commit-usage.ts";
import type { BudgetCharge, UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { blockCommits } from "../support/postgres/blocked-commits.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { silentLog } from "../support/trace/trace-fixtures.ts";
import { traceOfCall } from "../support/trace/trace-of-call.ts";
import { recordedRows } from "../support/usage/recorded-calls.ts";
import { type Customer, createCustomer, usageRow } from "../support/usage/usage-rows.ts";
import { patienceMs } from "../support/values/patience.ts";
import { testRandom } from "../support/values/test-seed.ts";

const { TEST_FULL } = process.env;
const lossesMin = TEST_FULL === "1" ? 8 : 4;
const random = testRandom();

let server: TestDatabase;
let db: Database;
let directory: string;
let thread: KeptThread;
let lost = 0;
let spool: CallSpool;
let customer: Customer;
const seen: { isRetry: boolean; charges: readonly BudgetCharge[] }[] = [];

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax: 4, applicationName: "test" });
  await createMissingPartitions(db, "usage_log", [utcDay(Date.now()), utcDay(Date.now() + dayMs)]);
  customer = await createCustomer(db, 1_000_000_000n);
  directory = await mkdtemp(join(tmpdir(), "sluice-books-"));
  thread = openBooksThread({ url: server.url, role: null }, silentLog, () => {
    lost += 1;
  });
  const commits = new CallCommits(thread);
  spool = await openSpool({
    directory,
    ...callForms,
    reserveBytes: 0,
    onWarning: () => undefined,
  });
  await db.sql`insert into replica (id) values (${spool.replicaId})`;
  const { replicaId } = spool;
  spool.drain({
    ...commitThrough(commits, replicaId),
    onQuarantine: ({ error }) => {
      throw error;
    },
  });
});

/** Has a thread commit the batches of a spool. */
function commitThrough(
  commits: CallCommits,
  replicaId: ReplicaId,
): Omit<DrainOptions<CallRows, CallsSummary>, "onQuarantine"> {
  return {
    commit: async ({ texts, summary, isReplay, isRetry }) => {
      const sums = summary.charges.list;
      const usage = { sums, days: [...summary.usageDays] };
      const traceDays = [...summary.traceDays];
      await commitCharges(null, { sums, isReplay, isRetry }, async () => {
        const isNew = !(isReplay || isRetry);
        const charges = await commits.commit({ replicaId, texts, usage, traceDays, isNew });
        seen.push({ isRetry, charges });
        return charges;
      });
    },
    isPoison: isFaultOfRows,
    batchMax: 50,
    intervalMs: 1,
    steadyIntervalMs: 1,
  };
}

afterAll(async () => {
  await spool.close();
  thread.stop();
  await db.close(1_000);
  await server.drop();
  await rm(directory, { recursive: true });
});

/** Ends the thread as a bug would: it can't read this message. Between two threads there is none to end. */
async function loseThread(): Promise<void> {
  const withoutMemory = { topic: "payloads", kind: "open" };
  for (const before = lost; lost === before; ) {
    thread.post(withoutMemory);
    await Bun.sleep(10);
  }
}

async function append(count: number): Promise<UsageRow[]> {
  const rows = Array.from({ length: count }, (_, index) => usageRow(customer, { quota: BigInt(index % 9) as Quota }));
  await Promise.all(rows.flatMap((row) => recordedRows(row, traceOfCall(row)).map((entry) => spool.append(entry))));
  return rows;
}

function idOf(entry: SpoolEntry<CallRows> | null): string | null {
  return entry !== null && "requestId" in entry.row ? entry.row.requestId : null;
}

/** Each row is there once and charged once. */
async function expectBooked(rows: readonly UsageRow[]): Promise<void> {
  const ids = `{${rows.map(({ requestId }) => requestId).join(",")}}`;
  const [written] = await db.sql<{ rows: bigint; quota: bigint }>`
    select count(*) as rows, coalesce(sum(quota), 0)::bigint as quota from usage_log where request_id = any(${ids}::uuid[])`;
  expect(written).toEqual({
    rows: BigInt(rows.length),
    quota: rows.reduce((sum, { quota }) => sum + quota, 0n),
  });
  const [traced] = await db.sql<{ strays: bigint }>`
    select count(*) as strays from trace_record t where not exists (
      select from usage_log u where u.day = t.day and u.request_id = t.request_id)`;
  expect(traced?.strays).toBe(0n);
  const [budget] = await db.sql<{ used: bigint; quota: bigint }>`
    select used, (select coalesce(sum(quota), 0)::bigint from usage_log) as quota from budget
    where id = ${customer.userBudgetId}::bigint`;
  expect(budget?.used).toBe(budget?.quota);
  expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
}

describe("a thread that is lost while it commits", () => {
  test("costs no row and books none twice, however often it happens", async () => {
    const rows: UsageRow[] = [];
    const loseAtWork = async (): Promise<void> => {
      rows.push(...(await append(120)));
      await Bun.sleep(random() * 30);
      await loseThread();
    };
    for (let losses = 0; losses < lossesMin; losses += 1) {
      await loseAtWork();
    }
    expect(await spool.flush(patienceMs)).toBe(true);
    // On a busy machine each may have been lost before it had begun to commit: then nothing was tried again.
    for (const deadline = performance.now() + patienceMs; !seen.some(({ isRetry }) => isRetry); ) {
      expect(performance.now()).toBeLessThan(deadline);
      await loseAtWork();
      expect(await spool.flush(patienceMs)).toBe(true);
    }
    await expectBooked(rows);
  });

  test("while a commit waits for a lock leaves the rows on the disk, and its successor commits them", async () => {
    const lock = await blockCommits(db);
    const rows = await append(30);
    await Bun.sleep(200);
    await loseThread();
    const losses = lost;
    expect(spool.depth().entries).toBe(60);
    // They come into memory that the lost thread knew.
    rows.push(...(await append(30)));
    await lock.release();
    expect(await spool.flush(30_000)).toBe(true);
    await expectBooked(rows);
    // It was sent that memory again.
    expect(lost).toBe(losses);
  });

  test("does not keep rows from being recorded meanwhile", async () => {
    const [rows] = await Promise.all([append(500), loseThread()]);
    rows.push(...(await append(500)));
    expect(await spool.flush(30_000)).toBe(true);
    await expectBooked(rows);
  });
});

describe("a row that ends every thread that commits it", () => {
  test("is found and quarantined, and all others are booked", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-fatal-"));
    const setup: BooksSetup = { topic: "setup", database: { url: server.url, role: null } };
    const kept = new KeptThread({
      address: new URL("../support/usage/fatal-books.ts", import.meta.url),
      log: silentLog,
      onLost: () => undefined,
    });
    kept.listen("log", {
      onStart: () => kept.post(setup),
      onMessage: () => undefined,
      onLost: () => undefined,
    });
    const own: CallSpool = await openSpool({
      directory: folder,
      ...callForms,
      reserveBytes: 0,
      onWarning: () => undefined,
    });
    await db.sql`insert into replica (id) values (${own.replicaId})`;
    const rows = Array.from({ length: 8 }, (_, index) =>
      usageRow(customer, { quota: 7n as Quota, model: index === 5 ? "fatal" : "fine" }),
    );
    await Promise.all(rows.map((row) => own.append({ kind: "usage", row })));
    const aside: unknown[] = [];
    own.drain({
      ...commitThrough(new CallCommits(kept), own.replicaId),
      onQuarantine: ({ entry, error }) => aside.push([idOf(entry), String(error)]),
    });
    expect(await own.flush(60_000)).toBe(true);
    expect(aside).toEqual([[rows[5]?.requestId, "WorkerLostError: the thread that writes the books was lost"]]);
    const later = usageRow(customer, { quota: 1n as Quota });
    await own.append({ kind: "usage", row: later });
    expect(await own.flush(60_000)).toBe(true);
    await expectBooked([...rows.filter(({ model }) => model === "fine"), later]);
    await own.close();
    kept.stop();
    await rm(folder, { recursive: true });
  });

  test("is not looked for among rows that no thread has begun with", () => {
    const error = new NotTriedError("the thread has yet to start again");
    expect(isFaultOfRows({ error, repeats: 1_000, rows: 1 })).toBe(false);
  });
});
