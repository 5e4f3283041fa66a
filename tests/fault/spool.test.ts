import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Quota } from "@sluice/contracts/money";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import type { EmbeddedPostgres } from "@sluice/deploy/start/embedded-postgres";
import { startPostgresProxy } from "../support/postgres/postgres-proxy.ts";
import { startTestCluster } from "../support/postgres/test-cluster.ts";
import { createDatabaseOn } from "../support/postgres/test-database.ts";
import { type Customer, createCustomer, usageRow } from "../support/usage/usage-rows.ts";
import { openUsageSpool, type UsageSpool } from "../support/usage/usage-spool.ts";
import { patienceMs } from "../support/values/patience.ts";
import { testRandom } from "../support/values/test-seed.ts";

const random = testRandom();
const { TEST_FULL } = process.env;
const isFull = TEST_FULL === "1";
const kills = isFull ? 200 : 12;
const outageMs = isFull ? 30_000 : 1_500;
const lostCommits = isFull ? 40 : 6;
const flushMs = 60_000;
/** Between two rows of a writer. */
const pauseMs = isFull ? 3 : 12;
const granted = 100_000_000n;

let cluster: EmbeddedPostgres;
let databaseUrl: string;
let db: Database;
let directory: string;

beforeAll(async () => {
  cluster = await startTestCluster({ isDurable: true });
  databaseUrl = (await createDatabaseOn(cluster.url)).url;
  db = openDatabase({
    url: databaseUrl,
    poolMax: 2,
    applicationName: "test",
    statementTimeoutMs: patienceMs,
    lockTimeoutMs: patienceMs,
  });
  await createMissingPartitions(
    db,
    "usage_log",
    [0, 1].map((days) => utcDay(Date.now() + days * 86_400_000)),
  );
  directory = await mkdtemp(join(tmpdir(), "sluice-spool-"));
});

afterAll(async () => {
  await db.close(1_000);
  await cluster.destroy();
  await rm(directory, { recursive: true, force: true });
});

async function idsInDatabase(customers: readonly Customer[]): Promise<Set<string>> {
  const users = new Set<bigint>(customers.map(({ gatewayUserId }) => gatewayUserId));
  const rows = await db.sql<{ id: string; user: bigint }>`
    select request_id::text as id, gateway_user_id as user from usage_log`;
  return new Set(rows.filter(({ user }) => users.has(user)).map(({ id }) => id));
}

/** Every acknowledged row is there, budgets have been charged with exactly the rows that are, and nothing stays leased. */
async function expectExact(customers: readonly Customer[], acknowledged: ReadonlySet<string>): Promise<void> {
  const present = await idsInDatabase(customers);
  expect([...acknowledged].filter((id) => !present.has(id))).toEqual([]);
  expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
  for (const { userBudgetId } of customers) {
    const [budget] = await db.sql<{ used: bigint; total: bigint; leased: bigint }>`
      select b.used, b.leased, (select coalesce(sum(u.quota), 0) from usage_log u where u.user_budget_id = b.id)::bigint as total
      from budget b where b.id = ${userBudgetId}::bigint`;
    expect(budget?.used).toBe(budget?.total ?? -1n);
    expect(budget?.leased).toBe(0n);
  }
}

describe("a process that is killed", () => {
  /** Runs a writer until it is killed at some point after it began, and returns the rows that it reported as safe. */
  async function runVictim(customers: readonly Customer[]): Promise<string[]> {
    const settings = JSON.stringify({ databaseUrl, directory, customers, callersMax: 24 }, (_key, value) =>
      typeof value === "bigint" ? value.toString() : value,
    );
    const program = join(import.meta.dir, "../support/usage/usage-writer.ts");
    const child = Bun.spawn([process.execPath, program, settings], { stdout: "pipe", stderr: "inherit" });
    let output = "";
    const decoder = new TextDecoder();
    for await (const piece of child.stdout) {
      if (output === "") {
        setTimeout(() => child.kill("SIGKILL"), random() * 150);
      }
      output += decoder.decode(piece, { stream: true });
    }
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
    // The last line may be cut; only its writer knows whether it was meant to be whole.
    return output.split("\n").slice(1, -1);
  }

  test(`loses no row whose recording had finished, and none is charged twice (${kills} kills)`, async () => {
    const customers = [await createCustomer(db, granted), await createCustomer(db, granted)];
    const acknowledged = new Set<string>();
    for (let kill = 0; kill < kills; kill += 1) {
      for (const id of await runVictim(customers)) {
        acknowledged.add(id);
      }
    }
    await using last = await openUsageSpool(databaseUrl, { directory, reserveBytes: 0 });
    expect(last.spool.slotNumber).toBe(0);
    await last.spool.replayed;
    await db.sql`select release_leases(${last.spool.replicaId})`;
    expect(acknowledged.size).toBeGreaterThan(kills);
    await expectExact(customers, acknowledged);
  });
});

/** Records rows at a steady pace until it is stopped; every row must be recorded. */
function recordSteadily(spool: UsageSpool["spool"], customer: Customer): { stop(): Promise<Set<string>> } {
  const ids = new Set<string>();
  let isStopped = false;
  const run = async (): Promise<void> => {
    while (!isStopped) {
      const row = usageRow(customer, { quota: 3n as Quota });
      await spool.append({ kind: "usage", row });
      ids.add(row.requestId);
      await Bun.sleep(pauseMs);
    }
  };
  const running = Promise.all(Array.from({ length: 8 }, run));
  return {
    stop: async () => {
      isStopped = true;
      await running;
      return ids;
    },
  };
}

describe("an unreachable database", () => {
  test("stops no recording, and every row is there once afterwards", async () => {
    const customer = await createCustomer(db, granted);
    let retries = 0;
    await using usage = await openUsageSpool(
      databaseUrl,
      { directory, reserveBytes: 0 },
      {
        onRetry: () => {
          retries += 1;
        },
      },
    );
    const recording = recordSteadily(usage.spool, customer);
    for (const stop of [() => cluster.stop(), () => cluster.stopImmediate()]) {
      await Bun.sleep(100);
      await stop();
      const before = usage.spool.depth().entries;
      await Bun.sleep(outageMs);
      expect(usage.spool.depth().entries).toBeGreaterThan(before);
      expect(usage.spool.isAccepting).toBe(true);
      await cluster.restart();
      usage.spool.wake();
    }
    const ids = await recording.stop();
    expect(await usage.spool.flush(flushMs)).toBe(true);
    expect(retries).toBeGreaterThan(0);
    expect(usage.spool.depth().quarantined).toBe(0);
    await expectExact([customer], ids);
    expect((await idsInDatabase([customer])).size).toBe(ids.size);
  });

  test.each(["statement", "answer"] as const)(
    "that fails during COMMIT (before the %s) charges every row once",
    async (lost) => {
      const customer = await createCustomer(db, granted);
      await using proxy = await startPostgresProxy(databaseUrl);
      let retries = 0;
      await using usage = await openUsageSpool(
        proxy.url,
        { directory, reserveBytes: 0 },
        {
          onRetry: () => {
            retries += 1;
          },
        },
      );
      const recording = recordSteadily(usage.spool, customer);
      for (let round = 0; round < lostCommits; round += 1) {
        await proxy.loseNextCommit(lost);
        // Else the same batch would fail each time, and the pauses between its attempts would grow.
        await usage.nextCommit();
      }
      const ids = await recording.stop();
      expect(await usage.spool.flush(flushMs)).toBe(true);
      expect(retries).toBeGreaterThanOrEqual(lostCommits);
      await expectExact([customer], ids);
      expect((await idsInDatabase([customer])).size).toBe(ids.size);
    },
  );
});
