import { expect, test } from "bun:test";
import type { ApiKeyId, BudgetId, GatewayUserId } from "@sluice/contracts/ids";
import { parseDecimal, type Quota } from "@sluice/contracts/money";
import { type CallRows, type CallsSummary, callSummaries } from "@sluice/control-plane/compose/call-rows.ts";
import type { SpoolEntry } from "@sluice/control-plane/platform/spool/model.ts";
import { toSpooledTrace } from "@sluice/control-plane/trace/trace-row.ts";
import { sumByBudget } from "@sluice/control-plane/usage/log/commit-usage.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import fc from "fast-check";
import { traceRowOf } from "../../support/trace/trace-fixtures.ts";
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
      expect(total.usageCount).toBe(usage.length);
      expect(total.usageDays).toEqual(new Set(usage.map(({ day }) => day)));
      const traceDays = entries.flatMap(({ kind, row }) => (kind === "trace" ? [row.day] : []));
      expect(total.traceDays).toEqual(new Set(traceDays));
    }),
  );
});
