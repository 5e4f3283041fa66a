import { describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import { grantsMore, isGroupCheaper } from "@sluice/control-plane/payments/plans/plan-act.ts";
import type { Plan } from "@sluice/control-plane/payments/plans/plan-store.ts";

/** Ten dollars for quota worth twelve. */
const plan = (more: Partial<Plan> = {}): Plan => ({
  ...{
    planCode: "p",
    name: "P",
    description: "",
    features: [],
    texts: {},
    sortOrder: 0,
    version: 1,
    archivedAt: null,
    updatedAt: new Date(0),
  },
  ...{ kind: "monthly", status: "active", priceUsd: "10.00" as Decimal, quota: 6_000_000n },
  ...{ groupName: null, groupMultiplier: null, amountMinUsd: null, amountMaxUsd: null, amountStepUsd: null },
  renews: false,
  ...more,
});

describe("a plan grants more per dollar", () => {
  test("when the price falls or the quota grows, however little", () => {
    expect(grantsMore(plan(), plan())).toBe(false);
    expect(grantsMore(plan(), plan({ quota: 6_000_001n }))).toBe(true);
    expect(grantsMore(plan(), plan({ priceUsd: "9.99" as Decimal }))).toBe(true);
    expect(grantsMore(plan(), plan({ priceUsd: "20.00" as Decimal, quota: 12_000_000n }))).toBe(false);
  });

  test("than it is worth, when nobody could buy it so before", () => {
    const hidden = plan({ status: "hidden" });
    expect(grantsMore(null, plan())).toBe(true);
    expect(grantsMore(hidden, plan())).toBe(true);
    expect(grantsMore(plan(), plan({ kind: "wallet_balance" }))).toBe(true);
    expect(grantsMore(null, plan({ quota: 5_000_000n }))).toBe(false);
    expect(grantsMore(null, plan({ quota: 5_000_001n }))).toBe(true);
  });
});

describe("a plan makes calls cheaper", () => {
  const pro = plan({ groupName: "pro", groupMultiplier: "0.800000" as Decimal });

  test("when its buyers get a group with a lower multiplier than before, or below 1", () => {
    expect(isGroupCheaper(plan(), pro)).toBe(true);
    expect(isGroupCheaper(null, pro)).toBe(true);
    expect(isGroupCheaper(pro, plan({ groupName: "top", groupMultiplier: "0.5" as Decimal }))).toBe(true);
    expect(isGroupCheaper(pro, pro)).toBe(false);
    expect(isGroupCheaper(pro, plan())).toBe(false);
    expect(isGroupCheaper(null, plan({ groupName: "fast", groupMultiplier: "2" as Decimal }))).toBe(false);
  });

  test("when it is sold again", () => {
    expect(isGroupCheaper({ ...pro, status: "hidden" }, pro)).toBe(true);
  });
});
