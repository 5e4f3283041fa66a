import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { BudgetId, ReplicaId } from "@sluice/contracts/ids";
import type { Decimal, Quota } from "@sluice/contracts/money";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { dayMs, utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { isMissingPartition } from "@sluice/control-plane/platform/db-errors.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { toJsonList } from "@sluice/control-plane/platform/spool/json-lists.ts";
import {
  commitUsage,
  commitUsageBatch,
  toUsageOrder,
  type UsageOrder,
  writeUsage,
} from "@sluice/control-plane/usage/log/commit-usage.ts";
import type { BudgetCharge, UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { type EncodedUsageRow, encodeUsageRow } from "@sluice/control-plane/usage/log/row-codec.ts";
import { insertUsage } from "@sluice/control-plane/usage/log/usage-store.ts";
import { countErrors } from "@sluice/control-plane/usage/reports/error-rate-store.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { type Customer, createCustomer, encoded, usageRow } from "../support/usage/usage-rows.ts";

const { TEST_FULL } = process.env;
const rivalBatches = TEST_FULL === "1" ? 200 : 30;
const granted = 1_000_000n;
const replica = "replica one" as ReplicaId;
const rival = "replica two" as ReplicaId;

let server: TestDatabase;
let db: Database;
let customer: Customer;

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax: 4, applicationName: "test" });
  for (const id of [replica, rival]) {
    await db.sql`insert into replica (id) values (${id})`;
  }
  await createMissingPartitions(db, "usage_log", [utcDay(Date.now()), utcDay(Date.now() + dayMs)]);
});

beforeEach(async () => {
  customer = await createCustomer(db, granted);
});

afterAll(async () => {
  expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
  await db.close(1_000);
  await server.drop();
});

type Budget = { used: bigint; leased: bigint; reserved: bigint };

async function budget(id: BudgetId): Promise<Budget | undefined> {
  const [row] = await db.sql<Budget>`select used, leased, reserved from budget where id = ${id}::bigint`;
  return row;
}

async function lease(id: BudgetId, amount: bigint, owner: ReplicaId = replica): Promise<void> {
  const [row] = await db.sql<{ leased_now: bigint }>`
    select leased_now from lease_quota(${id}::bigint, ${owner}, ${amount}::bigint, ${amount}::bigint, 0::bigint, 1::bigint)`;
  expect(row?.leased_now).toBe(amount);
}

function commit(rows: readonly EncodedUsageRow[], owner: ReplicaId = replica): Promise<BudgetCharge[]> {
  return db.withTransaction((tx) => commitUsage(tx, owner, toUsageOrder(rows)));
}

const quota = (amount: number): Quota => BigInt(amount) as Quota;

describe("committing usage rows", () => {
  test("writes every field of a row", async () => {
    const row = usageRow(customer, {
      channelId: (2n ** 62n) as never,
      errorCode: 'quote " backslash \\ line\nbreak, comma {brace} 漢😀',
      units: {
        ...noUnits,
        inputTokens: 9_007_199_254_740_993n,
        outputTokens: 2n,
        cacheReadTokens: 3n,
        cacheWriteTokens: 4n,
        reasoningTokens: 5n,
        images: 6,
        audioMs: 7n,
        cacheWrite1hTokens: 8n,
        searches: 9,
      },
      isImplausible: true,
      providerCost: "0.000135" as Decimal,
      cacheBasisPoints: 250,
      askedModel: "gpt-4o",
      endUser: 'quote " backslash \\ 漢',
      tags: ["team=search", "feature=a chat"],
      quota: quota(11),
      rateMultiplier: "0.7500" as Decimal,
    });
    await commit(encoded(row));
    const [stored] = await db.sql<Record<string, unknown>>`
      select *, usage_attempts(attempts) as attempts, day::text as day, rate_multiplier::text as rate_multiplier, request_id::text as request_id
      from usage_log where request_id = ${row.requestId}::text::uuid`;
    const { xid, ...fields } = stored ?? {};
    expect(typeof xid).toBe("string");
    expect(fields).toEqual({
      day: row.day,
      request_id: row.requestId,
      gateway_user_id: row.gatewayUserId,
      api_key_id: row.apiKeyId,
      user_budget_id: row.userBudgetId,
      key_budget_id: row.keyBudgetId,
      end_user: row.endUser,
      tags: row.tags,
      group_name: row.groupName,
      path: row.path,
      model: row.model,
      channel_id: row.channelId,
      outcome: row.outcome,
      http_status: row.httpStatus,
      error_code: row.errorCode,
      is_stream: row.isStream,
      input_tokens: row.units.inputTokens,
      output_tokens: row.units.outputTokens,
      cache_read_tokens: row.units.cacheReadTokens,
      cache_write_tokens: row.units.cacheWriteTokens,
      reasoning_tokens: row.units.reasoningTokens,
      images: row.units.images,
      audio_ms: row.units.audioMs,
      cache_write_1h_tokens: row.units.cacheWrite1hTokens,
      searches: row.units.searches,
      usage_source: row.usageSource,
      is_implausible: row.isImplausible,
      provider_cost_usd: "0.000135000000",
      cache_basis_points: 250,
      asked_model: "gpt-4o",
      shared_budget_ids: null,
      price_version: row.priceVersion,
      rate_multiplier: row.rateMultiplier,
      quota: row.quota,
      quota_held: row.quotaHeld,
      attempts: row.attempts,
      first_byte_ms: row.firstByteMs,
      duration_ms: row.durationMs,
      started_at: new Date(row.startedAtMs),
    });
  });

  test("has its attempts as a text, and those of earlier releases are read as they were stored", async () => {
    const rare = { credentialId: "7", credential: 'a "second" key', said: "überlastet" };
    const attempt = {
      channelId: "3",
      channel: "primary",
      startedAtMs: 1,
      durationMs: 5,
      status: null,
      result: "failed",
    };
    const attempts = [attempt, { ...attempt, ...rare }];
    const rows = [usageRow(customer, { attempts }), usageRow(customer, { attempts: [] })];
    await commit(encoded(...rows));
    const ids = `{${rows.map(({ requestId }) => requestId).join(",")}}`;
    const stored = await db.sql`
      select jsonb_typeof(attempts) as kind, usage_attempts(attempts) as attempts from usage_log
      where request_id = any (${ids}::uuid[]) order by request_id`;
    expect([...stored]).toEqual(rows.map((row) => ({ kind: "string", attempts: row.attempts })));
    const list = [Object.values(attempt), [...Object.values(attempt), rare]];
    const [earlier] = await db.sql`
      select usage_attempts(${JSON.stringify(list)}::text::jsonb) as listed, usage_attempts(${JSON.stringify(attempts)}::text::jsonb) as named`;
    expect(earlier).toEqual({ listed: attempts, named: attempts });
  });

  test("is seen by the watch of errors at the channels that it was sent to", async () => {
    const attempt = { channel: "flaky", startedAtMs: 1, durationMs: 5, status: 500, result: "failed" };
    const attempts = [{ ...attempt, channelId: "771" }, ...(usageRow(customer).attempts ?? [])];
    await commit(encoded(usageRow(customer, { attempts }), usageRow(customer, { attempts })));
    const counted = (await countErrors(db, 5)).find(({ channelId }) => channelId === 771n);
    expect(counted).toEqual({ channelId: 771n, channel: "flaky", attempts: 2, failed: 2 });
  });

  test("is not refused because of what the account has spent beyond any number", async () => {
    const row = encodeUsageRow(
      usageRow(customer, { quota: (2n ** 62n) as Quota, rateMultiplier: `1${"0".repeat(30)}` as Decimal }),
    );
    const other = encodeUsageRow(usageRow(customer, { quota: quota(1) }));
    const spent: unknown[] = [];
    const written = db.withTransaction(async (tx) => {
      for (const json of [row, other]) {
        expect(await insertUsage(tx, { form: "rows", ...toJsonList([json]) })).toBeNull();
        spent.push(
          ...(await tx.sql`
          select spent::text as spent from account_spend where gateway_user_id = ${customer.gatewayUserId}::bigint`),
        );
      }
      spent.push(...(await tx.sql`select subject from check_money_spend()`));
      throw new Error("not kept");
    });
    await expect(written).rejects.toThrow("not kept");
    expect(spent).toEqual([{ spent: "9".repeat(38) }, { spent: "9".repeat(38) }]);
  });

  test("accepts characters that the database can't hold", async () => {
    const row = usageRow(customer, { path: "/v1/\0\ud800", model: null, keyBudgetId: null });
    await commit(encoded(row));
    const [stored] = await db.sql<{ path: string }>`
      select path from usage_log where request_id = ${row.requestId}::text::uuid`;
    expect(stored?.path).toBe("/v1/\uFFFD\uFFFD");
  });

  test("charges user and key, and takes it from the lease of the replica", async () => {
    await lease(customer.userBudgetId, 100n);
    const charges = await commit(
      encoded(usageRow(customer), usageRow(customer, { keyBudgetId: null }), usageRow(customer, { quota: quota(0) })),
    );
    expect(charges).toEqual([
      { budgetId: customer.userBudgetId, charged: quota(20), taken: quota(20) },
      { budgetId: customer.keyBudgetId, charged: quota(10), taken: quota(0) },
    ]);
    expect(await budget(customer.userBudgetId)).toEqual({ used: 20n, leased: 80n, reserved: 0n });
    expect(await budget(customer.keyBudgetId)).toEqual({ used: 10n, leased: 0n, reserved: 0n });
  });

  test("sets aside for the user what a multiplier above 1 adds, rounded up for each row", async () => {
    const expensive = { rateMultiplier: "1.2500" as Decimal };
    const cheap = { rateMultiplier: "0.5000" as Decimal };
    await commit(encoded(usageRow(customer, expensive), usageRow(customer, expensive), usageRow(customer, cheap)));
    expect(await budget(customer.userBudgetId)).toEqual({ used: 30n, leased: 0n, reserved: 6n });
    expect(await budget(customer.keyBudgetId)).toEqual({ used: 30n, leased: 0n, reserved: 0n });
  });

  test("takes what a lease does not cover from what remains", async () => {
    await lease(customer.userBudgetId, 5n);
    const [charge] = await commit(encoded(usageRow(customer, { quota: quota(12), quotaHeld: quota(5) })));
    expect(charge).toEqual({ budgetId: customer.userBudgetId, charged: quota(12), taken: quota(5) });
    expect(await budget(customer.userBudgetId)).toEqual({ used: 12n, leased: 0n, reserved: 0n });
  });

  test("changes nothing when it is repeated", async () => {
    const rows = encoded(usageRow(customer), usageRow(customer));
    await commit(rows);
    const before = await budget(customer.userBudgetId);
    expect(await commit(rows)).toEqual([]);
    expect(await commit(rows, rival)).toEqual([]);
    expect(await budget(customer.userBudgetId)).toEqual(before as Budget);
  });

  test("charges only the rows that are new, and each id once", async () => {
    const [known, fresh] = [usageRow(customer), usageRow(customer)];
    await commit(encoded(known));
    const charges = await commit(encoded(known, fresh, fresh, usageRow(customer, { quota: quota(1) })));
    expect(charges.map(({ charged }) => charged)).toEqual([quota(11), quota(11)]);
    expect((await budget(customer.userBudgetId))?.used).toBe(21n);
  });

  test("does nothing for no rows", async () => {
    expect(await commit([])).toEqual([]);
  });

  test("refuses the whole batch when a budget does not exist", async () => {
    const good = usageRow(customer);
    const stray = usageRow(customer, { userBudgetId: 999_999_999n as BudgetId });
    await expect(commit(encoded(good, stray))).rejects.toThrow(/budget 999999999/);
    expect(await budget(customer.userBudgetId)).toEqual({ used: 0n, leased: 0n, reserved: 0n });
  });
});

describe("a day without a partition", () => {
  const days = (ago: number) => Date.now() - ago * 86_400_000;

  test("is refused by the bare statement", async () => {
    const failure = await commit(encoded(usageRow(customer, { startedAtMs: days(40) }))).catch((error) => error);
    expect(isMissingPartition(failure)).toBe(true);
  });

  test("gets one, and no row is lost", async () => {
    const asked: string[][] = [];
    const rows = [30, 31, 0].map((ago) => usageRow(customer, { startedAtMs: days(ago) }));
    await commitUsageBatch(
      {
        leases: null,
        write: (order) =>
          writeUsage(
            {
              db,
              replicaId: replica,
              createPartitions: async (wanted) => {
                asked.push([...wanted]);
                await createMissingPartitions(db, "usage_log", asked[0] ?? []);
              },
            },
            order,
          ),
      },
      { rows: encoded(...rows), isReplay: true, isRetry: true },
    );
    expect(asked).toEqual([rows.map(({ day }) => day)]);
    expect((await budget(customer.userBudgetId))?.used).toBe(30n);
  });
});

describe("a batch", () => {
  test("reports to the leases what was charged and what had been pending, but no rows of an earlier process", async () => {
    const told: unknown[] = [];
    const parts = {
      leases: {
        commit: async (run: () => Promise<unknown>) => {
          told.push(await run());
        },
      },
      write: (order: UsageOrder) =>
        writeUsage({ db, replicaId: replica, createPartitions: async () => undefined }, order),
    };
    const rows = encoded(usageRow(customer, { rateMultiplier: "2.0000" as Decimal, keyBudgetId: null }));
    const charge = { budgetId: customer.userBudgetId, charged: quota(10), taken: quota(0) };
    await commitUsageBatch(parts, { rows, isReplay: false, isRetry: false });
    await commitUsageBatch(parts, { rows: encoded(usageRow(customer)), isReplay: true, isRetry: true });
    expect(told).toEqual([{ charges: [charge], totals: new Map([[customer.userBudgetId, 20n]]), isRetry: false }]);
    expect((await budget(customer.userBudgetId))?.used).toBe(20n);
  });

  test("is rolled back together with what is written alongside", async () => {
    const parts = {
      db,
      replicaId: replica,
      alongside: async () => {
        throw new Error("the other table is broken");
      },
      createPartitions: async () => undefined,
    };
    const order = toUsageOrder(encoded(usageRow(customer)));
    await expect(writeUsage(parts, order)).rejects.toThrow(/other table/);
    expect((await budget(customer.userBudgetId))?.used).toBe(0n);
  });
});

describe("two replicas that share budgets", () => {
  test("commit at the same time in opposite orders without a deadlock, and the sums are right", async () => {
    const shared = await Promise.all(Array.from({ length: 8 }, () => createCustomer(db, granted)));
    for (const { userBudgetId } of shared) {
      await lease(userBudgetId, 1_000n, replica);
      await lease(userBudgetId, 1_000n, rival);
    }
    let transactions = 0;
    const run = async (owner: ReplicaId, order: readonly Customer[]) => {
      for (let batch = 0; batch < rivalBatches; batch += 1) {
        const rows = encoded(...order.flatMap((one) => [usageRow(one), usageRow(one, { quota: quota(3) })]));
        await db.withTransaction((tx) => {
          transactions += 1;
          return commitUsage(tx, owner, toUsageOrder(rows));
        });
      }
    };
    await Promise.all([run(replica, shared), run(rival, shared.toReversed())]);
    for (const { userBudgetId, keyBudgetId } of shared) {
      const used = BigInt(rivalBatches * 2 * 13);
      const left = 2_000n - used;
      expect(await budget(userBudgetId)).toEqual({ used, leased: left > 0n ? left : 0n, reserved: 0n });
      expect(await budget(keyBudgetId)).toEqual({ used, leased: 0n, reserved: 0n });
    }
    // A transaction that lost a deadlock would have been repeated.
    expect(transactions).toBe(2 * rivalBatches);
  });

  test("write the first sums of a day at the same time without a deadlock, and count what was spent once", async () => {
    const days = [2, 3].map((back) => utcDay(Date.now() - back * dayMs));
    await createMissingPartitions(db, "usage_log", days);
    let transactions = 0;
    const run = async (owner: ReplicaId, rows: readonly UsageRow[]) => {
      const order = toUsageOrder(encoded(...rows));
      await db.withTransaction((tx) => {
        transactions += 1;
        return commitUsage(tx, owner, order);
      });
    };
    for (let batch = 0; batch < rivalBatches / 3; batch += 1) {
      const created = await Promise.all(Array.from({ length: 6 }, () => createCustomer(db, granted)));
      const users = created.toSorted((one, other) => Number(one.gatewayUserId - other.gatewayUserId));
      const rows = (some: readonly Customer[]) =>
        days.flatMap((day) => some.map((user) => usageRow(user, { day, quota: quota(5) })));
      await Promise.all([
        run(replica, rows(users)),
        run(rival, rows(users.toReversed())),
        run(replica, rows(users.slice(2))),
        run(rival, rows(users.slice(0, 4))),
      ]);
      const ids = `{${users.map(({ gatewayUserId }) => gatewayUserId).join(",")}}`;
      const sums = await db.sql<{ spent: bigint }>`
        select spent::bigint as spent from account_spend where gateway_user_id = any (${ids}::bigint[]) order by gateway_user_id, day`;
      const expected = [15n, 15n, 20n, 20n, 15n, 15n].flatMap((spent) => days.map(() => ({ spent })));
      expect([...sums]).toEqual(expected);
    }
    // A transaction that lost a deadlock would have been repeated.
    expect(transactions).toBe(4 * Math.ceil(rivalBatches / 3));
  });
});
