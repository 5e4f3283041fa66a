import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { encodeUsageRow } from "@sluice/control-plane/usage/log/row-codec.ts";
import { rebuildRollup, rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { UsageViews } from "@sluice/control-plane/usage/views/usage-views.ts";
import { insertUsageRows } from "../support/usage/insert-rows.ts";
import { SettlementScene } from "../support/usage/settlement-scene.ts";
import { ceiling, fromDecimal, fromInteger, times } from "../support/values/rational.ts";
import { testRandom } from "../support/values/test-seed.ts";

const random = testRandom();
const below = (limit: number): number => Math.floor(random() * limit);
const oneOf = <T>(values: readonly [T, ...T[]]): T => values[below(values.length)] ?? values[0];
const dayMs = 86_400_000;
const now = Date.now();
const days = 6;
const zones = ["UTC", "Asia/Kathmandu", "America/New_York", "Pacific/Chatham", "Pacific/Kiritimati"] as const;

let scene: SettlementScene;
let views: UsageViews;
/** The calls of the first customer, each in the log. */
const rows: UsageRow[] = [];

beforeAll(async () => {
  scene = await SettlementScene.create(18);
  views = new UsageViews(scene.db, systemClock);
  const logged = Array.from({ length: days + 2 }, (_, ago) => utcDay(now - ago * dayMs));
  await createMissingPartitions(scene.db, "usage_log", logged);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

function someRow(customer: number): UsageRow {
  return scene.row(customer, BigInt(below(10_000)), oneOf(["1.0000", "1.0001", "0.5000", "2.7500"]), {
    startedAtMs: now - below(days * dayMs),
    model: oneOf(["gpt-4o-mini", "other", null]),
    outcome: oneOf(["completed", "completed", "aborted", "failed", "refused"]),
    units: {
      ...noUnits,
      inputTokens: BigInt(below(5_000)),
      outputTokens: BigInt(below(5_000)),
      cacheReadTokens: BigInt(below(50)),
      cacheWriteTokens: BigInt(below(50)),
      reasoningTokens: BigInt(below(50)),
      cacheWrite1hTokens: BigInt(below(50)),
    },
  });
}

/** Calls of the first customer, and of two others; one of them is of the same shard. */
async function call(count: number): Promise<void> {
  for (let each = 0; each < count; each += 20) {
    const own = Array.from({ length: 20 }, () => someRow(0));
    await scene.commit(...own, someRow(1), someRow(16), someRow(16));
    rows.push(...own);
  }
}

type Filter = { readonly model?: string; readonly outcome?: UsageRow["outcome"] };

function expectedSums(zone: string, fromDay: string, toDay: string, filter: Filter) {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
  const meant = rows.filter((row) => {
    const day = format.format(row.startedAtMs);
    const isOfFilter =
      (filter.model === undefined || row.model === filter.model) &&
      (filter.outcome === undefined || row.outcome === filter.outcome);
    return day >= fromDay && day <= toDay && isOfFilter;
  });
  const of = (calls: readonly UsageRow[]) => ({
    calls: BigInt(calls.length),
    completed_calls: BigInt(calls.filter(({ outcome }) => outcome === "completed").length),
    failed_calls: BigInt(calls.filter(({ outcome }) => outcome === "failed").length),
    input_tokens: calls.reduce((sum, { units }) => sum + BigInt(units.inputTokens), 0n),
    output_tokens: calls.reduce((sum, { units }) => sum + BigInt(units.outputTokens), 0n),
    cache_read_tokens: calls.reduce((sum, { units }) => sum + BigInt(units.cacheReadTokens), 0n),
    cache_write_1h_tokens: calls.reduce((sum, { units }) => sum + BigInt(units.cacheWrite1hTokens), 0n),
    quota: calls.reduce((sum, { quota }) => sum + quota, 0n),
    settled_quota: calls.reduce((sum, row) => sum + settledOf(row), 0n),
  });
  const byDay = Map.groupBy(meant, ({ startedAtMs }) => format.format(startedAtMs));
  const byModel = Map.groupBy(meant, ({ model }) => model);
  return {
    total: of(meant),
    by_day: new Map([...byDay].map(([day, calls]) => [day, of(calls)])),
    by_model: new Map([...byModel].map(([model, calls]) => [model, of(calls)])),
  };
}

const settledOf = ({ quota, rateMultiplier }: UsageRow): bigint =>
  ceiling(times(fromInteger(quota), fromDecimal(rateMultiplier as Decimal)));

/** Compares the summary in every zone, whole and filtered, with the rows themselves. */
async function expectEqualToRows(): Promise<void> {
  const { gatewayUserId } = scene.customer(0);
  const [fromDay, toDay] = [utcDay(now - 4 * dayMs), utcDay(now - dayMs)];
  for (const zone of zones) {
    for (const filter of [{}, { model: "other" }, { outcome: "failed" }] as const satisfies readonly Filter[]) {
      const summary = await views.summary(
        { gatewayUserId, onlyMemberId: null },
        { zone, from_day: fromDay, to_day: toDay, ...filter },
      );
      const expected = expectedSums(zone, fromDay, toDay, filter);
      expect(summary.total).toMatchObject(expected.total);
      for (const [day, sums] of expected.by_day) {
        expect(summary.by_day.find((each) => each.day === day)).toMatchObject(sums);
      }
      expect(summary.by_model).toHaveLength(expected.by_model.size);
      for (const [model, sums] of expected.by_model) {
        expect(summary.by_model.find((each) => each.model === model)).toMatchObject(sums);
      }
      await expectCourse({ zone, from_day: fromDay, to_day: toDay, ...filter }, expected);
      if (expected.total.calls > 0n) {
        expect(summary.by_key).toMatchObject([expected.total]);
      }
    }
  }
}

type Asked = { readonly zone: string; readonly from_day: string; readonly to_day: string };

/** A course has the same days, whatever it is divided by. */
async function expectCourse(asked: Asked, expected: ReturnType<typeof expectedSums>): Promise<void> {
  const { gatewayUserId } = scene.customer(0);
  const course = (by: "model" | "key", range: Asked) =>
    views.course({ gatewayUserId, onlyMemberId: null }, { ...range, by });
  const byModel = await course("model", asked);
  const byKey = await course("key", asked);
  expect(byModel.parts.map(({ id }) => id).sort()).toEqual([...expected.by_model.keys()].sort());
  expect(byKey.parts).toHaveLength(expected.by_day.size === 0 ? 0 : 1);
  const daysOfKey = byKey.parts.flatMap((part) => part.days);
  for (const { calls, completed_calls, failed_calls, settled_quota, day } of daysOfKey) {
    expect(expected.by_day.get(day)).toMatchObject({ calls, completed_calls, failed_calls, settled_quota });
  }
  expect(daysOfKey.map(({ day }) => day)).toEqual([...expected.by_day.keys()].sort());
  for (const { id, days: own } of byModel.parts) {
    const calls = own.reduce((sum, day) => sum + day.calls, 0n);
    expect(calls).toBe(expected.by_model.get(id)?.calls ?? 0n);
  }
  const nextDays = { ...asked, from_day: utcDay(now), to_day: utcDay(now + 3 * dayMs) };
  const { previous } = await course("model", nextDays);
  expect(previous).toMatchObject({ from_day: asked.from_day, to_day: asked.to_day });
  expect(previous?.days.map(({ day }) => day)).toEqual([...expected.by_day.keys()].sort());
}

/** Makes all batches those of the release before. */
async function forgetSpans(): Promise<void> {
  await scene.forgetLists();
  await scene.owner.sql`
    update settlement_batch set first_xid = null, first_request_id = null, last_xid = null, last_request_id = null`;
}

describe("the sums of a user are those of the log", () => {
  test("while nothing is settled", async () => {
    await call(100);
    await expectEqualToRows();
  });

  test("once calls are settled, before they are in the sums", async () => {
    await scene.run();
    await call(60);
    await expectEqualToRows();
  });

  test("once they are in the sums, with some calls settled and some not", async () => {
    await scene.run();
    expect((await rollUsageUp(scene.db, systemClock)).outcome).toBe("caught_up");
    await expectEqualToRows();
    await call(40);
    await scene.run();
    await call(40);
    await expectEqualToRows();
  });

  test("with calls that can't be settled, and after these were read again", async () => {
    const row = someRow(0);
    const poison = { ...row, rateMultiplier: "-1.0000" as Decimal, quota: 0n as UsageRow["quota"] };
    await insertUsageRows(scene.db, [{ row: poison, json: encodeUsageRow(poison) }]);
    rows.push(poison);
    await scene.run();
    await rollUsageUp(scene.db, systemClock);
    await expectEqualToRows();
    await scene.owner.sql`update settlement_checkpoint set reconcile_day = '-infinity',
      reconcile_request_id = '00000000-0000-0000-0000-000000000000'`;
    await expectEqualToRows();
    await scene.run();
    await expectEqualToRows();
  });

  test("once a call in the span of a batch is settled by a later one", async () => {
    const calls = () => scene.db.sql<{ calls: number }>`
      select sum(calls)::int as calls from usage_rollup where slice = 'total'`;
    await rollUsageUp(scene.db, systemClock);
    const [before] = await calls();
    await scene.owner.sql`update usage_log set rate_multiplier = 1 where rate_multiplier < 0`;
    await scene.owner.sql`truncate usage_user_sum, usage_rollup`;
    await scene.owner.sql`update usage_rollup_checkpoint set batch_id = 0 where source like 'usage\\_%:%'`;
    await expectEqualToRows();
    await scene.run({ isReconciled: true });
    await expectEqualToRows();
    await rollUsageUp(scene.db, systemClock);
    await expectEqualToRows();
    expect(await calls()).toEqual([{ calls: (before?.calls ?? 0) + 1 }]);
  });

  test("while batches of the release before, which name no span, are still to be added", async () => {
    await call(20);
    await scene.run();
    await forgetSpans();
    await expectEqualToRows();
    await call(20);
    await scene.run();
    await expectEqualToRows();
    await rollUsageUp(scene.db, systemClock);
    await expectEqualToRows();
  });

  test("while batches of an earlier release, of all users, are still to be added", async () => {
    await rollUsageUp(scene.db, systemClock);
    await scene.owner.sql`truncate usage_user_sum`;
    await scene.owner.sql`update usage_rollup_checkpoint set batch_id = 0 where source like 'usage_user_sum:%'`;
    await forgetSpans();
    await scene.owner.sql`update settlement_batch set shard = 0, first_day = null, last_day = null`;
    // The sums of reports have all of them.
    await scene.owner.sql`update usage_rollup_checkpoint set batch_id = (select max(id) from settlement_batch)
      where source = 'usage_settlement:0'`;
    await expectEqualToRows();
    await call(20);
    await scene.run();
    await expectEqualToRows();
    await rollUsageUp(scene.db, systemClock);
    await expectEqualToRows();
  });

  test("which the check of the sums finds, too, and an error in them is found and mended", async () => {
    const faults = async (isChecked: boolean): Promise<unknown[]> => {
      const found: unknown[] = [];
      for await (const day of rebuildRollup(scene.db, { isForced: false, isChecked })) {
        found.push(...day.faults);
      }
      return found;
    };
    expect(await faults(true)).toEqual([]);
    await scene.owner.sql`update usage_user_sum set quota = quota + 1
      where (gateway_user_id, grain, starts_at) = (select gateway_user_id, grain, max(starts_at) from usage_user_sum
        where gateway_user_id = ${scene.customer(0).gatewayUserId} and grain = 'hours' group by 1, 2)`;
    expect((await faults(false)).length).toBeGreaterThan(0);
    expect(await faults(true)).toEqual([]);
    await expectEqualToRows();
  });
});

test("a summary reads sums and what is not in them yet, and none of the user's other calls", async () => {
  const { gatewayUserId } = scene.customer(0);
  const read = async (): Promise<number> => {
    const [row] = await scene.owner.sql<{ rows: number }>`
      select count(*)::int as rows from unsummed_usage(${gatewayUserId}::bigint, '2000-01-01', '2100-01-01')
      where rate_multiplier >= 0`;
    return row?.rows ?? -1;
  };
  expect(await read()).toBe(0);
  await scene.commit(someRow(0), someRow(1));
  expect(await read()).toBe(1);
});
