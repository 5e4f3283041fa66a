import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Attempt, UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { readOverview } from "@sluice/control-plane/usage/reports/overview.ts";
import { rebuildRollup, rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { seededRandom } from "@sluice/sandbox-provider/wire/seeded-random";
import { SettlementScene } from "../support/usage/settlement-scene.ts";

const rowsOfStorm = process.env["TEST_FULL"] === "1" ? 20_000 : 600;
const customers = 5;
const models = ["gpt-4o-mini", "other-model", null];
const outcomes = ["completed", "completed", "completed", "aborted", "failed", "refused"] as const;
const random = seededRandom(29);
const below = (limit: number): number => Math.floor(random() * limit);

let scene: SettlementScene;

beforeAll(async () => {
  scene = await SettlementScene.create(customers, 10);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

function someRow(index: number): UsageRow {
  const outcome = outcomes[below(outcomes.length)] ?? "completed";
  return scene.row(index, BigInt(below(1_000)), ["1.0000", "1.5000", "0.5000"][below(3)] ?? "1.0000", {
    startedAtMs: Date.now() - below(80_000_000),
    model: models[below(models.length)] ?? null,
    outcome,
    providerCost: below(3) === 0 ? (`0.${below(1_000_000)}` as Decimal) : null,
    errorCode: outcome === "failed" ? "upstream_error" : outcome === "refused" ? "insufficient_quota" : null,
    endUser: below(2) === 0 ? `user ${below(5)}` : null,
    tags: below(2) === 0 ? [`team=${below(3)}`, `feature=${below(3)}`] : [],
    units: {
      ...noUnits,
      inputTokens: BigInt(below(5_000)),
      outputTokens: BigInt(below(5_000)),
      cacheReadTokens: BigInt(below(50)),
      cacheWriteTokens: BigInt(below(50)),
      reasoningTokens: BigInt(below(50)),
      images: below(3),
      audioMs: BigInt(below(4_000)),
      cacheWrite1hTokens: BigInt(below(50)),
      searches: below(3),
    },
  });
}

async function faults(): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const day of rebuildRollup(scene.db, { isForced: false, isChecked: true })) {
    found.push(...day.faults);
  }
  return found;
}

/** Each slice counts every row once, those of attempts and errors excepted. */
async function sumsOfSlices(): Promise<Record<string, string>[]> {
  return await scene.db.sql`
    select slice, sum(calls)::text as calls, sum(quota)::text as quota, sum(coalesce(settled_quota, quota))::text as settled,
      sum(input_tokens + output_tokens)::text as tokens from usage_rollup 
    where slice not like 'error%' and slice not like 'attempt%' group by slice order by slice`;
}

describe("the sums of the usage", () => {
  test("are those of the log, although rows commit out of order while two runners sum them", async () => {
    let isOver = false;
    const runner = async (): Promise<void> => {
      while (!isOver) {
        await scene.settlement.run();
        await rollUsageUp(scene.db, systemClock);
        await Bun.sleep(1);
      }
    };
    const running = [runner(), runner()];
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let each = 0; each < rowsOfStorm / 4; each += 10) {
        await scene.db.withTransaction(async (tx) => {
          const rows = Array.from({ length: 10 }, (__, row) => someRow(writer + row));
          await scene.write(tx, ...rows);
          await Bun.sleep(below(5));
          scene.expect(...rows);
        });
      }
    });
    await Promise.all(writers);
    isOver = true;
    await Promise.all(running);
    await scene.run();
    expect((await rollUsageUp(scene.db, systemClock)).outcome).toBe("caught_up");
    expect(await faults()).toEqual([]);
    const [log] = await scene.db.sql<Record<string, string>>`
      select count(*)::text as calls, sum(quota)::text as quota, sum(coalesce(settled_quota, quota))::text as settled,
        sum(input_tokens + output_tokens)::text as tokens
      from settled_call join usage_log using (day, request_id)`;
    expect(log?.["calls"]).toBe(String(rowsOfStorm));
    expect(await sumsOfSlices()).toEqual(
      ["route", "route_day", "route_hours", "total", "user", "user_day"].map((slice) => ({ slice, ...log })),
    );
    expect(await scene.faults()).toEqual([]);
  });

  test("leave out rows that another server wrote with numbers of a batch", async () => {
    const calls = async () => Number((await sumsOfSlices()).find(({ slice }) => slice === "total")?.["calls"] ?? 0);
    await rollUsageUp(scene.db, systemClock);
    const before = await calls();
    await scene.commit(scene.row(0, 5n, "1.0000"));
    await scene.commit(scene.row(0, 6n, "1.5000"));
    await scene.run();
    const [batch] = await scene.db.sql<{ id: bigint; rows: number; is_whole: boolean }>`
      select id, rows, whole_on = (select system_identifier from pg_control_system()) as is_whole
      from settlement_batch order by id desc limit 1`;
    expect(batch).toMatchObject({ rows: 2, is_whole: true });
    await scene.owner.sql`update settlement_batch set whole_on = whole_on - 1 where id = ${batch?.id ?? 0n}::bigint`;
    // Superusers can disable the triggers that charge a row.
    const without = async (change: string) =>
      await scene.owner.withTransaction(async (tx) => {
        await tx.query("set local session_replication_role = replica", []);
        await tx.query(change, []);
      });
    await without(`insert into usage_log
      select (jsonb_populate_record(u, '{"request_id": "ffffffff-ffff-7fff-bfff-ffffffffffff"}')).* from usage_log u
      join settlement_batch b on b.id = ${batch?.id} and u.xid = b.first_xid and u.request_id = b.first_request_id`);
    await rollUsageUp(scene.db, systemClock);
    expect((await calls()) - before).toBe(2);
    await without("delete from usage_log where request_id = 'ffffffff-ffff-7fff-bfff-ffffffffffff'");
    expect(await faults()).toEqual([]);
  });

  test.each(["after", "before"])(
    "leave out rows of a server it has come back from, %s the log is read again",
    async (which) => {
      const calls = async () => Number((await sumsOfSlices()).find(({ slice }) => slice === "total")?.["calls"] ?? 0);
      const add = () => rollUsageUp(scene.db, systemClock);
      await scene.run();
      await add();
      const before = await calls();
      await scene.commit(scene.row(0, 5n, "1.0000"));
      await scene.commit(scene.row(0, 6n, "1.5000"));
      await scene.run();
      const away = scene.row(0, 7n, "1.5000");
      await scene.commit(away);
      await scene.owner.sql`
      update usage_log set xid = (select first_xid from settlement_batch order by id desc limit 1)
      where request_id = ${away.requestId}::uuid`;
      await scene.owner
        .sql`update settlement_checkpoint set system_identifier = 'of the other server' where source like 'usage_log:%'`;
      if (which === "before") {
        await add();
        expect((await calls()) - before).toBe(2);
      }
      await scene.run();
      await add();
      expect((await calls()) - before).toBe(3);
      expect(await faults()).toEqual([]);
      expect(await scene.faults()).toEqual([]);
    },
  );

  test("count attempts by how they ended, whichever release stored them", async () => {
    const tried = (channelId: string, status: number | null, result: Attempt["result"]): Attempt => ({
      ...{ channelId, channel: "a channel", startedAtMs: 1, durationMs: 2, status, result },
    });
    const attempts = [
      tried("7101", 500, "upstream_error"),
      tried("7101", 404, "upstream_error"),
      tried("7101", 429, "rate_limited"),
      tried("7102", 401, "credential_refused"),
      tried("7102", null, "client_left"),
      tried("7103", 200, "answered"),
    ];
    const forms = ["attempts", "attempt_list(attempts)", "usage_attempts(attempts)"];
    for (const form of forms) {
      const row = scene.row(0, 1n, "1.0000", { attempts });
      await scene.commit(row);
      await scene.owner.query(`update usage_log set attempts = ${form} where request_id = $1::text::uuid`, [
        row.requestId,
      ]);
      await scene.run();
      await rollUsageUp(scene.db, systemClock);
    }
    const short = scene.row(0, 1n, "1.0000", { attempts: [] });
    await scene.commit(short);
    await scene.owner.query(
      `update usage_log set attempts = to_jsonb('[["7103",1,2,"a channel"]]'::text) where request_id = $1::text::uuid`,
      [short.requestId],
    );
    await scene.run();
    await rollUsageUp(scene.db, systemClock);
    const kinds = await scene.db.sql<{ kind: string }>`
      select distinct jsonb_typeof(attempts) || coalesce(' of ' || jsonb_typeof(attempts -> 0), '') as kind
      from usage_log where attempts::text like '%7103%' order by 1`;
    expect(kinds.map(({ kind }) => kind)).toEqual(["array of array", "array of object", "string of string"]);
    const sums = await scene.db.sql`
      select channel_id::integer as channel, sum(calls)::integer as calls, sum(completed)::integer as answered,
        sum(failed)::integer as failed
      from usage_rollup where slice = 'attempt_day' and channel_id between 7101 and 7103 group by 1 order by 1`;
    expect([...sums]).toEqual([
      { channel: 7101, calls: 6, answered: 0, failed: 6 },
      { channel: 7102, calls: 3, answered: 0, failed: 3 },
      { channel: 7103, calls: 4, answered: 4, failed: 0 },
    ]);
  });
});

describe("the users of past days", () => {
  const dayMs = 86_400_000;
  const day = utcDay(Date.now() - 20 * dayMs);
  const noonMs = Date.parse(`${day}T12:00:00Z`);

  /** Settled and summed up. */
  async function addCall(customer: number, startedAtMs: number): Promise<void> {
    await createMissingPartitions(scene.db, "usage_log", [utcDay(startedAtMs)]);
    await scene.commit(scene.row(customer, 1n, "1.0000", { startedAtMs, day: utcDay(startedAtMs) }));
    await scene.run();
    expect((await rollUsageUp(scene.db, systemClock)).rowsAdded).toBe(1n);
  }

  async function users(): Promise<unknown[]> {
    const { figures } = await readOverview(scene.db, systemClock, { from_day: day, to_day: day, zone: "Asia/Kolkata" });
    return ["active_users", "repeat_users"].map((key) => Number(figures.find((each) => each.key === key)?.value));
  }

  test("are counted once, and again whenever a call comes late or sums are recomputed", async () => {
    await addCall(0, noonMs);
    expect([await users(), await users()]).toEqual([
      [1, 0],
      [1, 0],
    ]);
    const kept = async () => await scene.db.sql`select counted_at from usage_active order by from_at, to_at`;
    const before = [...(await kept())];
    expect(before).toHaveLength(2);
    // A later call does not affect earlier days.
    await addCall(2, noonMs + 5 * dayMs);
    expect(await users()).toEqual([1, 0]);
    expect([...(await kept())]).toEqual(before);
    await addCall(1, noonMs + 60_000);
    expect(await users()).toEqual([2, 0]);
    await addCall(0, noonMs - 3 * dayMs);
    expect(await users()).toEqual([2, 1]);
    // Sums that are wrong, and were counted while they were.
    await scene.owner.sql`delete from usage_rollup where slice = 'user_day' and starts_at = ${day}::text::date`;
    await scene.owner.sql`delete from usage_active`;
    expect(await users()).toEqual([0, 0]);
    expect((await faults()).length).toBeGreaterThan(0);
    for await (const _ of rebuildRollup(scene.db, { isForced: false, isChecked: false })) {
      // Each day is rebuilt while its result is reported.
    }
    expect(await users()).toEqual([2, 1]);
  });
});
