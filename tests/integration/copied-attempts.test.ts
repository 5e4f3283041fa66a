import { expect, test } from "bun:test";
import type { ReplicaId } from "@sluice/contracts/ids";
import { type CallRows, type CallsSummary, callForms } from "@sluice/control-plane/compose/call-rows.ts";
import { commitCalls } from "@sluice/control-plane/compose/commit-work.ts";
import { createPartitions } from "@sluice/control-plane/db/partitions.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { RowCollector } from "@sluice/control-plane/platform/spool/model.ts";
import { findCallUsage } from "@sluice/control-plane/trace/search-store.ts";
import type { Attempt, UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { readChannelHealth } from "@sluice/control-plane/usage/reports/channel-health-store.ts";
import { countErrors } from "@sluice/control-plane/usage/reports/error-rate-store.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { findPricedCall } from "@sluice/control-plane/usage/views/views-store.ts";
import { traceOfCall } from "../support/trace/trace-of-call.ts";
import { recordedRows } from "../support/usage/recorded-calls.ts";
import { SettlementScene } from "../support/usage/settlement-scene.ts";
import { untilDayLasts } from "../support/values/day-that-lasts.ts";

/** Each kind is of another channel, and has so many calls that all are copied. */
const callsOfEach = 30;
const answered = { channel: "a channel", startedAtMs: 3, durationMs: 7, status: 200, result: "answered" };
const kinds: readonly Partial<Attempt>[][] = [
  [{}],
  ...[201, 206, 101, null].map((status) => [{ status }]),
  ...["client_left", "empty_stream", "rate_limited"].map((result) => [{ result }]),
  [{ status: 429, result: "rate_limited" }],
  [{ status: 404, result: "upstream_error" }],
  [{ credentialId: "5", credential: "second" }],
  [{ node: "edge" }],
  [{ model: "another" }],
  [{ said: "no", status: 500, result: "upstream_error" }],
  [{ status: 500, result: "upstream_error" }, {}],
  [{}, {}],
  [],
];

/** Whether the attempt counts for its channel: neither a refusal of the request nor a client that left does. */
const saysSomething = ({ result, status }: { readonly result: string; readonly status: number | null }) =>
  result !== "client_left" && status !== 404;

test("attempts of copied calls are shown and counted as if each said how it ended", async () => {
  await untilDayLasts();
  await using scene = await SettlementScene.create(1);
  const { db, owner } = scene;
  const attemptsOf = (kind: number) =>
    (kinds[kind] ?? []).map((changes, place) => ({ ...answered, channelId: `${100 * kind + place}`, ...changes }));
  const collector = new RowCollector<CallRows, CallsSummary>(callForms);
  const rows: UsageRow[] = [];
  for (let index = 0; index < kinds.length * callsOfEach; index += 1) {
    const row = scene.row(0, 1n, "1.0000", { attempts: attemptsOf(index % kinds.length) });
    rows.push(row);
    for (const entry of recordedRows(row, traceOfCall(row))) {
      collector.add(entry);
    }
  }
  scene.expect(...rows);
  const { text, summary } = collector;
  const usage = { sums: summary.charges.list, days: [...summary.usageDays] };
  const order = { replicaId: "replica one" as ReplicaId, texts: [new Uint8Array(text)], usage };
  await createPartitions(db, summary.traceDays);
  await commitCalls(db, { ...order, traceDays: [...summary.traceDays], isNew: true });
  const [short] = await db.sql<{ calls: number }>`
    select count(*)::integer as calls from usage_log where attempts #>> '{}' = '[["0",3,7,"a channel"]]'`;
  expect(short?.calls).toBe(callsOfEach);
  await scene.run();
  await rollUsageUp(db, systemClock);

  const day = rows[0]?.day ?? "";
  const read = async () => ({
    ofCalls: await Promise.all(
      rows.slice(0, kinds.length).map(async ({ requestId, gatewayUserId }) => {
        const place = { gatewayUserId, onlyMemberId: null };
        const priced = await findPricedCall(db, place, { requestId, days: [day] });
        return [priced?.attempts, (await findCallUsage(db, { day, requestId }))?.attempts];
      }),
    ),
    health: (await readChannelHealth(db, new Date())).rows,
    errors: await countErrors(db, 60),
    sums: [
      ...(await db.sql`select * from usage_rollup where slice like 'attempt%' order by slice, starts_at, channel_id`),
    ],
  });
  const asStored = await read();
  expect(asStored.ofCalls).toEqual(kinds.map((_, kind) => [attemptsOf(kind), attemptsOf(kind)]));
  const tried = kinds.flatMap((_, kind) => attemptsOf(kind)).filter(saysSomething);
  expect([...asStored.errors]).toEqual(
    tried.map(({ channelId, channel, result }) => ({
      channelId: BigInt(channelId),
      channel,
      attempts: callsOfEach,
      failed: result === "answered" ? 0 : callsOfEach,
    })),
  );
  for (const [index, { requestId }] of rows.entries()) {
    const named = JSON.stringify(attemptsOf(index % kinds.length));
    await owner.sql`update usage_log set attempts = ${named}::text::jsonb where request_id = ${requestId}::text::uuid`;
  }
  await owner.sql`select rebuild_usage_day(${day}::text::date)`;
  expect(await read()).toEqual(asStored);
  expect(await scene.faults()).toEqual([]);
}, 120_000);
