import { describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import { findAmountFault, orderTerms } from "@sluice/control-plane/payments/plans/plan-amount.ts";
import type { NewPlan } from "@sluice/control-plane/payments/plans/plan-store.ts";

const usd = (text: string) => text as Decimal;

/** From 5 to 500 dollars in steps of 50 cents, at 1.1 dollars of quota for each. */
const plan = (more: Partial<NewPlan> = {}): NewPlan => ({
  ...{ planCode: "any", name: "Any", kind: "wallet_balance", description: "", features: [], sortOrder: 0 },
  renews: false,
  ...{ status: "active", groupName: null, priceUsd: usd("1.00"), quota: 550_000n },
  ...{ amountMinUsd: usd("5.00"), amountMaxUsd: usd("500.00"), amountStepUsd: usd("0.50") },
  ...more,
});
const fixed = plan({ amountMinUsd: null, amountMaxUsd: null, amountStepUsd: null });
const fieldsOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as { fields?: unknown }).fields;
  }
};

describe("a chosen amount", () => {
  test("grants exactly its share at the rate of the plan", () => {
    expect(orderTerms(plan(), usd("5.00"))).toEqual({
      amountUsd: usd("5.00"),
      quota: 2_750_000n,
      chosenUsd: usd("5.00"),
    });
    expect(orderTerms(plan(), usd("499.50")).quota).toBe(274_725_000n);
  });

  test.each(["4.50", "500.50", "5.25", "0.01"])("of %s is outside of the bounds or between two steps", (amount) => {
    expect(fieldsOf(() => orderTerms(plan(), usd(amount)))).toEqual({
      amount_usd: "Choose 5.00 to 500.00 USD, in steps of 0.50 USD.",
    });
  });

  test("is required where the buyer chooses, and refused where the price is fixed", () => {
    expect(fieldsOf(() => orderTerms(plan(), null))).toHaveProperty("amount_usd");
    expect(fieldsOf(() => orderTerms(fixed, usd("5.00")))).toEqual({ amount_usd: "This plan has a fixed price." });
    expect(orderTerms(fixed, null)).toEqual({ amountUsd: usd("1.00"), quota: 550_000n, chosenUsd: null });
  });
});

describe("bounds of an amount", () => {
  const faultOf = (more: Partial<NewPlan>) => findAmountFault(plan(more))?.field ?? null;

  test("are accepted when minimum and maximum are steps, and each step grants whole quota", () => {
    expect(faultOf({})).toBeNull();
    expect(findAmountFault(fixed)).toBeNull();
    expect(faultOf({ amountMaxUsd: usd("5.00") })).toBeNull();
  });

  test.each([
    ["a monthly plan", { kind: "monthly" }, "own_amount"],
    ["a maximum below the minimum", { amountMaxUsd: usd("4.50") }, "own_amount.max_usd"],
    ["more than the card gateway takes", { amountMaxUsd: usd("1000000.00") }, "own_amount.max_usd"],
    ["a maximum that grants more than fits into a balance", { quota: 10n ** 14n }, "own_amount.max_usd"],
    ["a minimum between two steps", { amountMinUsd: usd("5.25") }, "own_amount.step_usd"],
    ["a rate that would have to be rounded", { priceUsd: usd("3.00") }, "own_amount.step_usd"],
  ] as const)("are refused for %s", (_what, more, field) => {
    expect(faultOf(more)).toBe(field);
  });
});
