import { describe, expect, test } from "bun:test";
import type { BudgetId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import type { Hold } from "@sluice/control-plane/gateway/model.ts";
import type { QuotaLeases } from "@sluice/control-plane/gateway/quota/leases.ts";
import { chargesOf, releaseHold, settleQuota, userCharge } from "@sluice/control-plane/gateway/settle/settle-quota.ts";
import type { Amount } from "@sluice/control-plane/platform/amount.ts";
import { sumByBudget } from "@sluice/control-plane/usage/log/commit-usage.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";

const user = 1n as BudgetId;
const key = 2n as BudgetId;
const rowOf = (quota: bigint, rateMultiplier: string, keyBudgetId: BudgetId | null = key) =>
  ({ quota, rateMultiplier, userBudgetId: user, keyBudgetId, sharedBudgetIds: [] }) as unknown as UsageRow;
const holdOf = (userAmount: bigint, keyAmount: bigint, keyBudgetId: BudgetId | null = key) =>
  ({ userBudgetId: user, userAmount, keyBudgetId, keyAmount, sharedBudgetIds: [] }) as unknown as Hold;

/** What is reported to the leases: budget, hold, charge. */
const reported = (report: (leases: QuotaLeases) => void) => {
  const told: [bigint, bigint, bigint][] = [];
  const settle = (budgetId: BudgetId, held: Amount, charge: Amount) => {
    told.push([budgetId, BigInt(held), BigInt(charge)]);
  };
  report({ settle } as unknown as QuotaLeases);
  return told;
};
const settled = (hold: Hold, row: UsageRow) => reported((leases) => settleQuota(leases, hold, chargesOf(row)));

describe("a call that is settled", () => {
  test("is settled with all budgets, whichever of them fails", () => {
    const hold = { ...holdOf(300n, 200n), sharedBudgetIds: [3n as BudgetId] };
    for (const broken of [user, key]) {
      const told = reported(({ settle }) => {
        const leases = {
          settle: (budgetId: BudgetId, ...amounts: [Amount, Amount]) => {
            settle(budgetId, ...amounts);
            if (budgetId === broken) {
              throw new RangeError("broken");
            }
          },
        } as unknown as QuotaLeases;
        expect(() => settleQuota(leases, hold, chargesOf(rowOf(101n, "1.0000")))).toThrow("broken");
      });
      expect(told.map(([budgetId]) => budgetId)).toEqual([user, key, 3n]);
    }
  });

  test("charges the user what a multiplier above 1 adds, and the key its base cost", () => {
    expect(settled(holdOf(300n, 200n), rowOf(101n, "1.5000"))).toEqual([
      [user, 300n, 152n],
      [key, 200n, 101n],
    ]);
  });

  test("charges the base cost if the multiplier is below 1: the rest comes back at settlement", () => {
    expect(settled(holdOf(200n, 200n), rowOf(101n, "0.5000"))).toEqual([
      [user, 200n, 101n],
      [key, 200n, 101n],
    ]);
  });

  test("charges the budgets of an organisation's project and member what the organisation pays", () => {
    const shared = { sharedBudgetIds: [3n as BudgetId] };
    for (const [multiplier, cost] of [
      ["1.5000", 152n],
      ["0.5000", 51n],
      ["1.0000", 101n],
    ] as const) {
      const charges = settled(
        { ...holdOf(300n, 0n, null), ...shared },
        { ...rowOf(101n, multiplier, null), ...shared },
      );
      expect(charges.at(-1)).toEqual([3n, 300n, cost]);
    }
  });

  test("charges a key without its own limit to the user alone", () => {
    expect(settled(holdOf(200n, 0n, null), rowOf(7n, "1.0000", null))).toEqual([[user, 200n, 7n]]);
  });

  test.each(["0.5000", "1.0000", "1.0001", "1.5000", "12.3456"])(
    "is held in memory as it is charged in the database, at %s",
    (multiplier) => {
      for (const quota of [1n, 3n, 99_999n, 2n ** 60n]) {
        const sharedBudgetIds = [3n as BudgetId, 4n as BudgetId];
        const row = { ...rowOf(quota, multiplier as Decimal), sharedBudgetIds };
        const committed = sumByBudget([{ row }]).map(({ budgetId, charge, reserve }) => [budgetId, charge + reserve]);
        const pending = settled({ ...holdOf(0n, 0n), sharedBudgetIds }, row).map(([budgetId, , charge]) => [
          budgetId,
          charge,
        ]);
        expect(pending).toEqual(committed as [bigint, bigint][]);
        expect(BigInt(userCharge(row))).toBe(pending[0]?.[1] ?? 0n);
      }
    },
  );
});

test("a call without a row charges no budget, and gives back all that it held of each", () => {
  const hold = { ...holdOf(300n, 200n), sharedBudgetIds: [3n as BudgetId] };
  expect(reported((leases) => releaseHold(leases, hold))).toEqual([
    [user, 300n, 0n],
    [key, 200n, 0n],
    [3n, 300n, 0n],
  ]);
});
