import { afterAll, beforeAll, expect, test } from "bun:test";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { percentileMs } from "@sluice/control-plane/platform/histogram.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import {
  readCourse,
  readModelPerformance,
  readPublicPerformance,
} from "@sluice/control-plane/usage/reports/performance-store.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { readOwnPerformance } from "@sluice/control-plane/usage/views/performance-store.ts";
import { SettlementScene } from "../support/usage/settlement-scene.ts";
import { testRandom } from "../support/values/test-seed.ts";

const random = testRandom();
const below = (limit: number): number => Math.floor(random() * limit);
/** Calls of the minute before it may be of two days. */
const now = Date.now();
let scene: SettlementScene;

beforeAll(async () => {
  scene = await SettlementScene.create(18);
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const row = (changes: Partial<UsageRow>): UsageRow =>
  scene.row(below(18), 10n, "1.0000", { startedAtMs: now - below(60_000), model: "gpt-4o-mini", ...changes });

type Sum = {
  readonly grain: string;
  readonly kind: string;
  readonly calls: number;
  readonly tokens: number;
  readonly ms: number;
};

async function sumsOf(model: string): Promise<Sum[]> {
  return await scene.db.sql<Sum>`
    select grain, kind, sum(calls)::integer as calls, sum(output_tokens)::integer as tokens, sum(output_ms)::integer as ms
    from usage_performance where model = ${model} group by grain, kind order by grain, kind`;
}

const settle = async (): Promise<void> => {
  await scene.run();
  await rollUsageUp(scene.db, systemClock);
};

test("every settled call is counted once in each grain, by how it ended, and a client's own fault in none", async () => {
  const streamed = { outcome: "completed", isStream: true, units: { ...noUnits, outputTokens: 100n } } as const;
  const done = Array.from({ length: 40 }, () => row({ ...streamed, firstByteMs: 200, durationMs: 1_200 }));
  const whole = Array.from({ length: 10 }, () =>
    row({ outcome: "completed", isStream: false, firstByteMs: 900, durationMs: 900 }),
  );
  const left = Array.from({ length: 5 }, () => row({ outcome: "aborted", httpStatus: 499 }));
  const failed = Array.from({ length: 4 }, () =>
    row({ outcome: "failed", httpStatus: 502, errorCode: "upstream_error" }),
  );
  const wrong = [
    row({ outcome: "failed", httpStatus: 400, errorCode: "upstream_refused" }),
    row({ outcome: "refused", httpStatus: 402, errorCode: "insufficient_quota" }),
    row({ outcome: "completed", cacheBasisPoints: 1_000, firstByteMs: 1, durationMs: 1 }),
  ];
  await scene.commit(...done.slice(0, 20), ...whole, ...left);
  await settle();
  await scene.commit(...done.slice(20), ...failed, ...wrong);
  await settle();
  // A run with nothing new adds nothing.
  await settle();
  const expected = [
    { kind: "failed", calls: 4, tokens: 0, ms: 0 },
    { kind: "first_byte", calls: 50, tokens: 0, ms: 0 },
    { kind: "left", calls: 5, tokens: 0, ms: 0 },
    { kind: "total", calls: 50, tokens: 4_000, ms: 40_000 },
  ];
  expect(await sumsOf("gpt-4o-mini")).toEqual(
    ["day", "hour"].flatMap((grain) => expected.map((each) => ({ grain, ...each }))),
  );
  // The sums by key are the same times again.
  const ofKeys = await scene.db.sql<Omit<Sum, "grain">>`
    select kind, sum(calls)::integer as calls, sum(output_tokens)::integer as tokens, sum(output_ms)::integer as ms
    from usage_key_performance where model = 'gpt-4o-mini' group by kind order by kind`;
  expect(ofKeys).toEqual(expected.filter(({ kind }) => kind === "first_byte" || kind === "total"));
  expect(await scene.faults()).toEqual([]);
});

test("a percentile of the histogram is right to a tenth", async () => {
  const times = Array.from({ length: 300 }, () => 5 + below(60_000));
  await scene.commit(...times.map((durationMs) => row({ model: "other", outcome: "completed", durationMs })));
  await settle();
  const rows = await scene.db.sql<{ bucket: number; calls: number }>`
    select bucket, sum(calls)::integer as calls from usage_performance
    where model = 'other' and kind = 'total' and grain = 'day' group by bucket`;
  const histogram = new Map(rows.map(({ bucket, calls }) => [bucket, calls]));
  const sorted = [...times].sort((one, other) => one - other);
  for (const share of [0.5, 0.95, 0.99]) {
    const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
    const found = percentileMs(histogram, share) ?? 0;
    expect([share, exact, Math.abs(found - exact) / exact < 0.1]).toEqual([share, exact, true]);
  }
});

test("the performance of a model is that of its calls, by channel and against the span before", async () => {
  const [found] = (await readModelPerformance(scene.db, "24h", now)).filter(({ model }) => model === "gpt-4o-mini");
  expect(found?.now).toMatchObject({ calls: 59, failed: 4, tokens_per_second: 100 });
  expect(found?.now.success_rate).toBeCloseTo(55 / 59, 10);
  // 40 of 50 calls took 200 ms to the first byte, the others 900.
  expect(Math.abs((found?.now.first_byte_ms.p50 ?? 0) - 200)).toBeLessThan(20);
  expect(Math.abs((found?.now.first_byte_ms.p95 ?? 0) - 900)).toBeLessThan(90);
  expect(found?.before).toBeNull();
  expect(found?.channels.reduce((sum, channel) => sum + channel.now.calls, 0)).toBe(59);
  // Half of the calls of a second channel, and a day ago as many that were twice as slow.
  await scene.db.sql`
    insert into usage_performance (grain, starts_at, model, channel_id, kind, bucket, calls, output_tokens, output_ms)
    select grain, starts_at - interval '24 hours', model, 999, kind, bucket + 4, calls, output_tokens, output_ms
    from usage_performance where model = 'gpt-4o-mini' and grain = 'hour' and kind <> 'failed'`;
  const [later] = (await readModelPerformance(scene.db, "24h", now)).filter(({ model }) => model === "gpt-4o-mini");
  expect(later?.now).toEqual(found?.now as never);
  expect(later?.before).toMatchObject({ calls: 55, failed: 0 });
  const ratio = (later?.before?.first_byte_ms.p50 ?? 0) / (later?.now.first_byte_ms.p50 ?? 1);
  expect(ratio).toBeCloseTo(2, 1);
  const course = await readCourse(scene.db, { span: "24h", model: "gpt-4o-mini" }, now);
  expect(course.length).toBeGreaterThan(0);
  expect(course.every(({ first_byte_ms_p95: p95 }) => p95 === null || p95 < 1_000)).toBe(true);
});

test("an account sees how soon its own calls were answered, of all keys or one, and nothing of others", async () => {
  const { gatewayUserId, apiKeyId } = scene.customer(0);
  const own = (changes: Partial<UsageRow>) =>
    scene.row(0, 10n, "1.0000", { startedAtMs: Date.now(), model: "own-model", outcome: "completed", ...changes });
  const streamed = { isStream: true, units: { ...noUnits, outputTokens: 50n }, firstByteMs: 100, durationMs: 1_100 };
  await scene.commit(
    ...Array.from({ length: 19 }, () => own(streamed)),
    own({ isStream: false, firstByteMs: 8_000, durationMs: 9_000 }),
    scene.row(1, 10n, "1.0000", { startedAtMs: Date.now(), model: "other-model", outcome: "completed" }),
  );
  await settle();
  const day = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const filter = {
    ...{ gatewayUserId, fromDay: yesterday, toDay: day, zone: "UTC", keyId: null, model: "own-model", outcome: null },
    ...{ askedModel: null, memberId: null, projectId: null, endUser: null, tag: null },
  };
  const [found] = await readOwnPerformance(scene.db, filter);
  expect(found).toMatchObject({ model: "own-model", tokens_per_second: 50 });
  expect(Math.abs((found?.first_byte_ms.p50 ?? 0) - 100)).toBeLessThan(10);
  expect(Math.abs((found?.first_byte_ms.p95 ?? 0) - 100)).toBeLessThan(10);
  expect(Math.abs((found?.first_byte_ms.p99 ?? 0) - 8_000)).toBeLessThan(800);
  expect(Math.abs((found?.total_ms.p50 ?? 0) - 1_100)).toBeLessThan(110);
  expect(await readOwnPerformance(scene.db, { ...filter, keyId: apiKeyId })).toHaveLength(1);
  expect(await readOwnPerformance(scene.db, { ...filter, keyId: scene.customer(1).apiKeyId })).toEqual([]);
  expect(await readOwnPerformance(scene.db, { ...filter, model: "other-model" })).toEqual([]);
  expect(await readOwnPerformance(scene.db, { ...filter, memberId: 1n })).toEqual([]);
  const earlier = { ...filter, fromDay: "2020-01-01", toDay: "2020-01-02" };
  expect(await readOwnPerformance(scene.db, earlier)).toEqual([]);
});

test("a time is in the bucket of its logarithm, at the ends of all buckets and between", async () => {
  const [found] = await scene.db.sql<{ wrong: number; buckets: number }>`
    select count(*) filter (where bucket <> floor(4 * log(2, ms::numeric)))::integer as wrong,
      count(distinct bucket)::integer as buckets
    from (
      select ms, performance_bucket(ms::integer) as bucket from (
        select ceil(power(2::numeric, edge / 4.0))::bigint + step as ms
        from generate_series(0, 123) edge, generate_series(-1, 1) step
        union all select generate_series(1, 300) union all select 2147483647
      ) times where ms between 1 and 2147483647
    ) placed`;
  // No whole number of milliseconds is in the buckets 1, 2, 3, 5 and 7.
  expect(found).toEqual({ wrong: 0, buckets: 119 });
  const [none] = await scene.db.sql`select performance_bucket(0) as none, performance_bucket(-5) as negative`;
  expect(none).toEqual({ none: 0, negative: 0 });
});

test("customers are shown figures of whole days with enough calls", async () => {
  expect(await readPublicPerformance(scene.db, now - 60_000)).toEqual({});
  const tomorrow = now + 86_400_000;
  // The first model has 59 calls only.
  expect(Object.keys(await readPublicPerformance(scene.db, tomorrow))).toEqual(["other"]);
  await scene.db.sql`update usage_performance set calls = calls * 10 where model = 'gpt-4o-mini' and grain = 'day'`;
  const shown = await readPublicPerformance(scene.db, tomorrow);
  expect(Object.keys(shown)).toEqual(["gpt-4o-mini", "other"]);
  expect(shown["gpt-4o-mini"]).toMatchObject({ tokens_per_second: 100 });
  expect(await readPublicPerformance(scene.db, tomorrow + 8 * 86_400_000)).toEqual({});
});
