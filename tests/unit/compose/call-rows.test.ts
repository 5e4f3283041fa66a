import { describe, expect, test } from "bun:test";
import type { ApiKeyId, BudgetId, GatewayUserId, UserId } from "@sluice/contracts/ids";
import { parseDecimal, type Quota } from "@sluice/contracts/money";
import { type CallRows, type CallsSummary, callForms, callSummaries } from "@sluice/control-plane/compose/call-rows.ts";
import { withMultiplierAboveOne } from "@sluice/control-plane/models/cost.ts";
import { type CountName, noUnits } from "@sluice/control-plane/models/units.ts";
import { minus, plus } from "@sluice/control-plane/platform/amount.ts";
import { linesOf, parseLine, RowCollector, type SpoolEntry } from "@sluice/control-plane/platform/spool/model.ts";
import type { TraceRow } from "@sluice/control-plane/trace/model.ts";
import { toSpooledTrace } from "@sluice/control-plane/trace/trace-row.ts";
import { sumByBudget } from "@sluice/control-plane/usage/log/commit-usage.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import fc from "fast-check";
import { traceRowOf } from "../../support/trace/trace-fixtures.ts";
import { traceOfCall } from "../../support/trace/trace-of-call.ts";
import { recordedRows } from "../../support/usage/recorded-calls.ts";
import { usageRow } from "../../support/usage/usage-rows.ts";

const customer = {
  gatewayUserId: 1n as GatewayUserId,
  apiKeyId: 1n as ApiKeyId,
  userBudgetId: 1n as BudgetId,
  keyBudgetId: 2n as BudgetId,
};
const budgets = fc.bigInt({ min: 1n, max: 4n }).map((id) => id as BudgetId);
const days = fc.constantFrom("2026-10-30", "2026-10-31");
const usageRows = fc
  .record({
    day: days,
    userBudgetId: budgets,
    keyBudgetId: fc.option(budgets),
    sharedBudgetIds: fc.array(budgets, { maxLength: 2 }),
    quota: fc.bigInt({ min: 0n, max: 10n ** 15n }).map((quota) => quota as Quota),
    rateMultiplier: fc.constantFrom("0.5000", "1.0000", "1.3333").map(parseDecimal),
  })
  .map((changes): SpoolEntry<CallRows> => ({ kind: "usage", row: usageRow(customer, changes) }));
const traceRows = days.map(
  (day): SpoolEntry<CallRows> => ({ kind: "trace", row: toSpooledTrace(traceRowOf({ day })) }),
);
const groups = fc.array(fc.array(fc.oneof(usageRows, traceRows)));

function summarize(rows: readonly SpoolEntry<CallRows>[]): CallsSummary {
  const summary = callSummaries.begin();
  for (const entry of rows) {
    callSummaries.add(summary, entry);
  }
  return summary;
}

const byBudget = (sums: ReturnType<typeof sumByBudget>) => new Map(sums.map((sum) => [sum.budgetId, sum]));

test("summaries of groups add up to what their rows charge, exactly, and leave each group's as it was", () => {
  fc.assert(
    fc.property(groups, (all) => {
      const total = callSummaries.begin();
      const parts = all.map(summarize);
      for (const part of [...parts, ...parts]) {
        callSummaries.merge(total, part);
      }
      const entries = [...all, ...all].flat();
      const usage = entries.flatMap(({ kind, row }): UsageRow[] => (kind === "usage" ? [row as UsageRow] : []));
      expect(byBudget(total.charges.list)).toEqual(byBudget(sumByBudget(usage.map((row) => ({ row })))));
      for (const { budgetId, reserve } of total.charges.list) {
        const ofUser = usage.filter(({ userBudgetId, quota }) => userBudgetId === budgetId && quota > 0n);
        const owed = ofUser.map(({ quota, rateMultiplier }) =>
          minus(withMultiplierAboveOne(quota, rateMultiplier), quota),
        );
        expect<bigint>(reserve).toBe(BigInt(owed.reduce(plus, 0)));
      }
      expect(total.usageDays).toEqual(new Set(usage.map(({ day }) => day)));
      const traceDays = entries.flatMap(({ kind, row }) => (kind === "trace" ? [row.day] : []));
      expect(total.traceDays).toEqual(new Set(traceDays));
    }),
  );
});

const numRuns = process.env["TEST_FULL"] === "1" ? 10_000 : 300;
const [attempt] = usageRow(customer).attempts as [UsageRow["attempts"][number]];
const word = fc.constantFrom("gpt-4o", "", 'a "b" \\ c', "\u001b[31m", "\0", "\ud800", "模型", "x".repeat(300));
const amount = fc.oneof(fc.nat(), fc.constant(2 ** 53 + 2)).map(BigInt);
/** One change, or none: most calls are ordinary in all but one thing. */
const usageChange: fc.Arbitrary<Partial<UsageRow>> = fc.oneof(
  fc.constant({}),
  fc.record({ apiKeyId: amount.map((id) => id as ApiKeyId) }),
  fc.record({ keyBudgetId: fc.constant(null), model: fc.constant(null), priceVersion: fc.constant(null) }),
  fc.record({ sharedBudgetIds: fc.array(budgets, { maxLength: 2 }) }),
  fc.record({ model: word, path: word, groupName: word }),
  fc.record({ errorCode: fc.option(word, { nil: null }), outcome: fc.constantFrom("completed", "aborted", "failed") }),
  fc.record({ quota: amount.map((value) => value as Quota), quotaHeld: amount.map((value) => value as Quota) }),
  fc
    .record({ inputTokens: amount, name: fc.constantFrom(...(Object.keys(noUnits) as CountName[])) })
    .map(({ inputTokens, name }) => {
      const count = 5;
      return { units: { ...usageRow(customer).units, inputTokens, [name]: count } };
    }),
  fc.record({ firstByteMs: fc.option(fc.nat(), { nil: null }), durationMs: fc.nat(), startedAtMs: fc.nat() }),
  fc.record({ isImplausible: fc.boolean(), cacheBasisPoints: fc.option(fc.nat(), { nil: null }) }),
  fc.record({ providerCost: fc.constantFrom(null, parseDecimal("0.000135")) }),
  fc.record({ askedModel: word, endUser: fc.option(word, { nil: null }), tags: fc.constantFrom([], ["team=search"]) }),
  fc
    .record({
      channel: word,
      said: fc.option(word, { nil: undefined }),
      credential: word,
      status: fc.constantFrom(null, 200),
    })
    .map((changes) => ({ attempts: [{ ...attempt, ...changes }] })),
  fc.constantFrom<Partial<UsageRow>>({ attempts: [] }, { attempts: [attempt, attempt] }),
);
const traceChange: fc.Arbitrary<Partial<TraceRow>> = fc.oneof(
  fc.constant({}),
  fc.record({ userId: amount.map((id) => id as UserId), clientIp: fc.ipV6(), userAgent: word, method: word }),
  fc.record({ payload: fc.constantFrom("stored", "off", "dropped", "none") }),
  fc.record({
    httpStatus: fc.constant(499),
    inputTokens: fc.constant(null),
    firstTokenMs: fc.double({ min: 0, max: 9, noNaN: true }),
  }),
  fc.record({ path: word, model: fc.option(word, { nil: null }) }),
  fc.constant({ requestId: traceRowOf({ day: "2026-10-30" }).requestId, apiKeyId: null, gatewayUserId: null }),
);
/** The rows of calls as they come: a usage row with its trace after it, or one of the two alone. */
const recorded: fc.Arbitrary<SpoolEntry<CallRows>[]> = fc
  .array(
    fc.tuple(usageChange, traceChange, fc.constantFrom("both", "usage", "trace")).map(([usage, trace, which]) => {
      const row = usageRow(customer, usage);
      const rows = recordedRows(row, traceOfCall(row, trace));
      return which === "both" ? rows : rows.filter(({ kind }) => kind === which);
    }),
  )
  .map((calls) => calls.flat());

function textOf(rows: readonly SpoolEntry<CallRows>[], joined: typeof callForms.joined | undefined): string {
  const collector = new RowCollector<CallRows, CallsSummary>({ ...callForms, joined });
  for (const entry of rows) {
    collector.add(entry);
  }
  return collector.text.toString();
}

const readBack = (text: string) =>
  text === "" ? [] : linesOf([Buffer.from(text)]).flatMap((line) => parseLine(callForms, line));

describe("rows of calls in the spool", () => {
  test("read back from records of calls as they do from lines of their own, as the version before wrote them", () => {
    fc.assert(
      fc.property(recorded, (rows) => {
        expect(readBack(textOf(rows, callForms.joined))).toEqual(readBack(textOf(rows, undefined)));
      }),
      { numRuns },
    );
  });

  test.each([
    ["path", { path: `/${"p".repeat(1_100)}` }],
    ["model", { model: "m".repeat(300) }],
    ["error code", { errorCode: "e".repeat(300) }],
  ])("read back alike where the trace shortens the %s that its usage row has whole", (_what, long) => {
    const row = usageRow(customer, long);
    const rows = recordedRows(row, traceOfCall(row));
    expect(readBack(textOf(rows, callForms.joined))).toEqual(readBack(textOf(rows, undefined)));
  });

  test("are one line for an ordinary call, and the usage row alone is one too", () => {
    const calls = [1, 2, 3].map((quota) => usageRow(customer, { quota: BigInt(quota) as Quota, channelId: null }));
    const rows = calls.flatMap((row) => recordedRows(row, traceOfCall(row)));
    const lines = textOf(rows, callForms.joined).split("\n");
    expect(lines.map((line) => line.slice(0, 8))).toEqual(['["call",', '["call",', '["call",']);
    const alone = textOf(rows.slice(0, 1), callForms.joined);
    expect(readBack(alone).map(({ kind }) => kind)).toEqual(["usage"]);
  });

  test("are refused as a record that is of another version, too short or damaged", () => {
    const row = usageRow(customer);
    const line = textOf(recordedRows(row, traceOfCall(row)), callForms.joined);
    const [kind, fields] = JSON.parse(line) as [string, unknown[]];
    const read = (changed: unknown) => () => parseLine(callForms, JSON.stringify([kind, changed]));
    for (const wrong of [{}, null, fields.with(0, 2), fields.slice(0, -1), [...fields, 1]]) {
      expect(read(wrong)).toThrow("a record of a call");
    }
    for (const index of fields.keys()) {
      expect(read(fields.with(index, {}))).toThrow();
    }
  });
});
