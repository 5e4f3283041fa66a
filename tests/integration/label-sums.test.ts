import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import { labelsOfDayMax } from "@sluice/contracts/usage-label-limits";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import { eraseOldLabels } from "@sluice/control-plane/usage/log/erase-labels.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { readReportRange } from "@sluice/control-plane/usage/reports/range.ts";
import { sumTags, sumTagsByBar } from "@sluice/control-plane/usage/reports/tag-sums-store.ts";
import { rebuildRollup, rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { sumLabelDays, sumLabels } from "@sluice/control-plane/usage/views/labels-store.ts";
import type { UsageFilter } from "@sluice/control-plane/usage/views/model.ts";
import { silentLog } from "../support/trace/trace-fixtures.ts";
import { SettlementScene } from "../support/usage/settlement-scene.ts";
import { ceiling, fromDecimal, fromInteger, times } from "../support/values/rational.ts";
import { testRandom } from "../support/values/test-seed.ts";

const random = testRandom();
const below = (limit: number): number => Math.floor(random() * limit);
const oneOf = <T>(values: readonly [T, ...T[]]): T => values[below(values.length)] ?? values[0];
const dayMs = 86_400_000;
const now = Date.now();
const [fromDay, toDay] = [utcDay(now - 4 * dayMs), utcDay(now - dayMs)];
const zones = ["UTC", "Asia/Kathmandu", "America/New_York", "Pacific/Kiritimati"];
/** Named by day; there are more of each. */
const most = 3;

let scene: SettlementScene;
let rows: UsageRow[] = [];

beforeAll(async () => {
  scene = await SettlementScene.create(18);
  const logged = Array.from({ length: 8 }, (_, ago) => utcDay(now - ago * dayMs));
  await createMissingPartitions(scene.db, "usage_log", logged);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

function someRow(customer: number, changes: Partial<UsageRow> = {}): UsageRow {
  return scene.row(customer, BigInt(below(10_000)), oneOf(["1.0000", "1.0001", "2.7500"]), {
    startedAtMs: now - below(6 * dayMs),
    model: oneOf(["gpt-4o-mini", "other", null]),
    outcome: oneOf(["completed", "completed", "aborted", "failed", "refused"]),
    endUser: below(3) > 0 ? `user ${below(6)}` : null,
    tags: below(3) > 0 ? Array.from({ length: 1 + below(3) }, (_, index) => `tag${index}=${below(3)}`) : [],
    units: { ...noUnits, inputTokens: BigInt(below(5_000)), outputTokens: BigInt(below(5_000)) },
    ...changes,
  });
}

/** Calls of the first customer, and of two others; one of them is of the same shard. */
async function call(count: number): Promise<void> {
  for (let each = 0; each < count; each += 20) {
    const written = [...Array.from({ length: 20 }, () => someRow(0)), someRow(1), someRow(16), someRow(16)];
    await scene.commit(...written);
    rows.push(...written);
  }
}

type Kind = "end_user" | "tag";
type Sums = Record<
  "calls" | "completed_calls" | "failed_calls" | "input_tokens" | "output_tokens" | "settled_quota",
  bigint
>;

function sumOf(calls: readonly UsageRow[]): Sums {
  const add = (value: (call: UsageRow) => bigint) => calls.reduce((sum, each) => sum + value(each), 0n);
  return {
    calls: BigInt(calls.length),
    completed_calls: add(({ outcome }) => (outcome === "completed" ? 1n : 0n)),
    failed_calls: add(({ outcome }) => (outcome === "failed" ? 1n : 0n)),
    input_tokens: add(({ units }) => BigInt(units.inputTokens)),
    output_tokens: add(({ units }) => BigInt(units.outputTokens)),
    settled_quota: add(({ quota, rateMultiplier }) =>
      ceiling(times(fromInteger(quota), fromDecimal(rateMultiplier as Decimal))),
    ),
  };
}

const labelsOf = (kind: Kind, { endUser, tags }: UsageRow): readonly string[] =>
  kind === "tag" ? tags : endUser === null ? [] : [endUser];

type Labelled = { readonly label: string; readonly call: UsageRow };

/** The labels of these calls with their sums, the most expensive first. */
function ranked(kind: Kind, calls: readonly UsageRow[]) {
  const labelled = calls.flatMap((each): Labelled[] => labelsOf(kind, each).map((label) => ({ label, call: each })));
  const sums = [...Map.groupBy(labelled, ({ label }) => label)].map(([label, of]) => ({
    label,
    ...sumOf(of.map((each) => each.call)),
  }));
  const ordered = sums.sort(
    (a, b) => Number(b.settled_quota - a.settled_quota) || Number(b.calls - a.calls) || (a.label < b.label ? -1 : 1),
  );
  return { labelled, ordered };
}

/** By day, of the most expensive labels and all others. */
function daysOf(kind: Kind, calls: readonly UsageRow[], dayOf: (call: UsageRow) => string) {
  const { labelled, ordered } = ranked(kind, calls);
  const named = ordered.slice(0, most).map(({ label }) => label);
  const parts = Map.groupBy(labelled, (each) =>
    JSON.stringify([named.includes(each.label) ? each.label : null, dayOf(each.call)]),
  );
  return [...parts].map(([key, of]) => {
    const [label, day] = JSON.parse(key) as [string | null, string];
    return { label, day, ...sumOf(of.map((each) => each.call)) };
  });
}

const byText = <T>(list: readonly T[]): string[] =>
  list.map((each) => JSON.stringify(each, (_, value) => (typeof value === "bigint" ? value.toString() : value))).sort();

const anything: UsageFilter = {
  ...{ gatewayUserId: 0n as UsageFilter["gatewayUserId"], fromDay, toDay, zone: "UTC", keyId: null, model: null },
  ...{ outcome: null, askedModel: null, memberId: null, projectId: null, endUser: null, tag: null },
};

/** Compares what both pages read with the rows themselves. */
async function expectEqualToRows({ withAdmins = false } = {}): Promise<void> {
  const { gatewayUserId } = scene.customer(0);
  const filters = [{}, { model: "other" }, { outcome: "failed" }, { tag: "tag0=1" }, { endUser: "user 1" }] as const;
  for (const zone of zones) {
    const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
    const dayOf = ({ startedAtMs }: UsageRow): string => format.format(startedAtMs);
    const within = rows.filter((row) => dayOf(row) >= fromDay && dayOf(row) <= toDay);
    for (const changes of filters) {
      const filter: UsageFilter = { ...anything, ...changes, gatewayUserId, zone };
      const meant = within.filter(
        (row) =>
          row.gatewayUserId === gatewayUserId &&
          (filter.model === null || row.model === filter.model) &&
          (filter.outcome === null || row.outcome === filter.outcome) &&
          (filter.tag === null || row.tags.includes(filter.tag)) &&
          (filter.endUser === null || row.endUser === filter.endUser),
      );
      const sums = await sumLabels(scene.db, filter, 100);
      for (const kind of ["end_user", "tag"] as const) {
        expect(sums.filter((sum) => sum.kind === kind)).toMatchObject(ranked(kind, meant).ordered);
        const days = await sumLabelDays(scene.db, filter, { kind, most });
        expect(byText(days.map(({ label, day, ...rest }) => ({ label, day, ...rest })))).toEqual(
          byText(daysOf(kind, meant, dayOf)),
        );
      }
    }
    if (withAdmins) {
      const range = readReportRange({ from_day: fromDay, to_day: toDay, zone }, now);
      const tags = await sumTags(scene.db, range);
      const renamed = ranked("tag", within).ordered.map(({ label, completed_calls, failed_calls, ...rest }) => {
        return { tag: label, completed: completed_calls, failed: failed_calls, ...rest };
      });
      expect([...tags]).toMatchObject(renamed);
      const bars = await sumTagsByBar(scene.db, range, { starts: range.days.map(({ startsAt }) => startsAt), most });
      const shown = bars.map(({ tag, bar, ...of }) => ({
        ...{ label: tag, day: range.days[bar]?.day, calls: of.calls, completed_calls: of.completed },
        ...{ failed_calls: of.failed, input_tokens: of.input_tokens, output_tokens: of.output_tokens },
        settled_quota: of.settled_quota,
      }));
      expect(byText(shown)).toEqual(byText(daysOf("tag", within, dayOf)));
    }
  }
}

async function faults(): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const day of rebuildRollup(scene.db, { isForced: false, isChecked: true })) {
    found.push(...day.faults);
  }
  return found;
}

const add = () => rollUsageUp(scene.db, systemClock);

async function areFromSums(): Promise<boolean> {
  const [row] = await scene.db.sql<{ are: boolean }>`
    select has_label_sums(${scene.customer(0).gatewayUserId}::bigint) as are`;
  return row?.are === true;
}

test("sums by label are those of the log, wherever settlement and sums have got to", async () => {
  await call(100);
  await expectEqualToRows({ withAdmins: true });
  await scene.run();
  await add();
  expect(await areFromSums()).toBe(true);
  await expectEqualToRows({ withAdmins: true });
  await call(60);
  await scene.run();
  await expectEqualToRows();
  await call(60);
  await expectEqualToRows();
  await scene.run();
  await add();
  await expectEqualToRows({ withAdmins: true });
  expect(await faults()).toEqual([]);
  expect(await scene.faults()).toEqual([]);
});

test("calls from before there were such sums are read from the log, and added by the job", async () => {
  await scene.owner.sql`delete from usage_label_sum`;
  await scene.owner.sql`delete from usage_label_count`;
  await scene.owner.sql`delete from usage_rollup_checkpoint where source like 'usage_label_sum:%'`;
  expect(await areFromSums()).toBe(false);
  await expectEqualToRows({ withAdmins: true });
  // A step of the others finds that it is not the next one.
  await call(20);
  await scene.run();
  for (let shard = 0; shard < 16; shard += 1) {
    await scene.db.sql`select * from add_user_sums(${shard}::integer, 5000)`;
  }
  expect(await areFromSums()).toBe(false);
  await expectEqualToRows({ withAdmins: true });
  await add();
  expect(await areFromSums()).toBe(true);
  await expectEqualToRows({ withAdmins: true });
  expect(await faults()).toEqual([]);
});

test("a sum that is wrong is found and made again, and its label is not named", async () => {
  await scene.owner.sql`update usage_label_sum set calls = calls + 1
    where kind = 'end_user' and label = 'user 1' and grain = 'day'`;
  const found = await faults();
  expect(found.length).toBeGreaterThan(0);
  expect(JSON.stringify(found)).not.toContain('user 1"');
  for await (const _ of rebuildRollup(scene.db, { isForced: false, isChecked: false })) {
    // Rebuilds the days that differ.
  }
  expect(await faults()).toEqual([]);
  await expectEqualToRows({ withAdmins: true });
});

test("a call without labels adds nothing", async () => {
  const count = async () => (await scene.db.sql`select sum(calls)::text as calls from usage_label_sum`)[0];
  const before = await count();
  const plain = { ...someRow(0), endUser: null, tags: [] };
  await scene.commit(plain);
  rows.push(plain);
  await scene.run();
  await add();
  expect(await areFromSums()).toBe(true);
  expect(await count()).toEqual(before);
});

/** Whatever becomes of the functions in a test, the next one has those of the program. */
async function withFunctions(texts: string[], undo: string[], work: () => Promise<void>): Promise<void> {
  const run = async (statements: readonly string[]) => {
    for (const statement of statements) {
      await scene.owner.query(statement, []);
    }
  };
  await run(texts);
  try {
    await work();
  } finally {
    await run(undo);
  }
}

const labelledAtOnce = (calls: number): string =>
  `create or replace function labelled_calls_at_once() returns bigint language sql immutable parallel safe as 'select ${calls}::bigint'`;

test("sums by key do not wait for those of very many calls with labels, which a job adds", async () => {
  await withFunctions([labelledAtOnce(10)], [labelledAtOnce(2_000)], async () => {
    await call(60);
    await scene.run();
    for (let shard = 0; shard < 16; shard += 1) {
      await scene.db.sql`select * from add_user_sums(${shard}::integer, 5000)`;
    }
    expect(await areFromSums()).toBe(false);
    await expectEqualToRows();
    await add();
    expect(await areFromSums()).toBe(true);
    await expectEqualToRows({ withAdmins: true });
    expect(await faults()).toEqual([]);
  });
});

test("a day is made again a few batches at a time, however many labels its calls have", async () => {
  for (let batch = 0; batch < 6; batch += 1) {
    const written = Array.from({ length: 10 }, () =>
      someRow(3, { startedAtMs: now - dayMs, endUser: `user ${batch}` }),
    );
    await scene.commit(...written);
    rows.push(...written);
    await scene.run();
  }
  await add();
  const limited = `create function fold_labels(p_sums usage_label_sum[]) returns usage_label_sum[] language plpgsql as $$
    begin
      if (select sum(calls) from unnest(p_sums) s where s.gateway_user_id = ${scene.customer(3).gatewayUserId}
        and s.kind = 'end_users' and s.grain = 'day') > 40 then
        raise exception 'too many calls at a time';
      end if;
      return fold_all_labels(p_sums);
    end $$`;
  await withFunctions(
    [labelledAtOnce(20), "alter function fold_labels(usage_label_sum[]) rename to fold_all_labels", limited],
    [
      "drop function fold_labels(usage_label_sum[])",
      "alter function fold_all_labels(usage_label_sum[]) rename to fold_labels",
      labelledAtOnce(2_000),
    ],
    async () => {
      for await (const _ of rebuildRollup(scene.db, { isForced: true, isChecked: false })) {
        // Rebuilds every day.
      }
      expect(await faults()).toEqual([]);
      await expectEqualToRows({ withAdmins: true });
    },
  );
});

test("labels beyond the most of a day are summed as one, however they come", async () => {
  const [{ most: stored } = { most: 0n }] = await scene.db.sql<{ most: bigint }>`select labels_of_day_max() as most`;
  expect(stored).toBe(BigInt(labelsOfDayMax));
  await scene.owner.query(
    `create or replace function labels_of_day_max() returns bigint language sql immutable parallel safe as 'select 5::bigint'`,
    [],
  );
  const { gatewayUserId } = scene.customer(2);
  const own = (label: number) => ({
    ...scene.row(2, 10n, "1.0000"),
    startedAtMs: now - dayMs,
    endUser: `unique ${label}`,
    tags: [],
  });
  for (let batch = 0; batch < 4; batch += 1) {
    const written = [0, 1, 2].map((each) => own(batch * 3 + each));
    await scene.commit(...written, own(0));
    await scene.run();
    await add();
  }
  const filter: UsageFilter = { ...anything, gatewayUserId };
  const sums = await sumLabels(scene.db, filter, 100);
  expect(sums.map(({ label }) => label).filter((label) => label !== null)).toHaveLength(5);
  expect(sums.at(-1)).toMatchObject({ kind: "end_user", label: null, calls: 7n });
  expect(sums.reduce((sum, { calls }) => sum + calls, 0n)).toBe(16n);
  const days = await sumLabelDays(scene.db, filter, { kind: "end_user", most });
  expect(days.reduce((sum, { calls }) => sum + calls, 0n)).toBe(16n);
  const labels = await scene.db.sql`
    select distinct label from usage_label_sum where gateway_user_id = ${gatewayUserId}::bigint and kind = 'end_user'`;
  expect(labels).toHaveLength(6);
  expect(await faults()).toEqual([]);
});

test("sums end with the labels of their calls, also those of calls that came late", async () => {
  const oldest = async () =>
    (
      await scene.db.sql<{ at: string | null }>`
      select min((starts_at at time zone 'UTC')::date)::text as at from (
        select starts_at from usage_label_sum union all select starts_at from usage_label_count
      ) s`
    )[0]?.at;
  const late = { ...someRow(0), startedAtMs: now - 5 * dayMs, tags: ["late=1"] };
  expect(((await oldest()) ?? "none") <= utcDay(now - 5 * dayMs)).toBe(true);
  await eraseOldLabels(scene.db, silentLog, 2);
  expect(await oldest()).toBe(utcDay(now - 2 * dayMs));
  rows = rows.map((row) =>
    utcDay(row.startedAtMs) < utcDay(now - 2 * dayMs) ? { ...row, endUser: null, tags: [] } : row,
  );
  await expectEqualToRows();
  expect(await faults()).toEqual([]);
  await scene.commit(late);
  await scene.run();
  await add();
  expect(await oldest()).toBe(utcDay(now - 5 * dayMs));
  await eraseOldLabels(scene.db, silentLog, 2);
  expect(await oldest()).toBe(utcDay(now - 2 * dayMs));
  await eraseOldLabels(scene.db, silentLog, -1);
  expect(await oldest()).toBe(null);
  expect(await scene.faults()).toEqual([]);
});

test("labels stay until the last sum of their day is deleted, and the deletion waits for nobody", async () => {
  const kept = someRow(0, { startedAtMs: now - 3 * dayMs, endUser: "kept", tags: ["kept=1"] });
  const older = someRow(0, { startedAtMs: now - 4 * dayMs, endUser: "older", tags: [] });
  await scene.commit(kept, older);
  await scene.run();
  await add();
  const labelsLeft = async () =>
    (
      await scene.db.sql<{ end_user: string }>`select end_user from usage_log where end_user is not null order by 1`
    ).map((row) => row.end_user);
  expect(await labelsLeft()).toEqual(["kept", "older"]);
  await scene.owner.withTransaction(async (tx) => {
    await tx.sql`select 1 from usage_label_sum where label = 'kept' and grain = 'day' for update`;
    await tx.sql`select 1 from usage_label_count for update`;
    await eraseOldLabels(scene.db, silentLog, 2);
  });
  expect(await labelsLeft()).toEqual(["kept"]);
  expect(await scene.db.sql`select distinct label from usage_label_sum where label <> ''`).toHaveLength(1);
  await eraseOldLabels(scene.db, silentLog, 2);
  expect(await labelsLeft()).toEqual([]);
  expect(await scene.db.sql`select from usage_label_sum union all select from usage_label_count`).toHaveLength(0);
});
