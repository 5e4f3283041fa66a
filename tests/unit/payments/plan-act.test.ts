import { describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import { grantsMore } from "@sluice/control-plane/payments/plans/plan-act.ts";
import type { Plan } from "@sluice/control-plane/payments/plans/plan-store.ts";

/** Ten dollars for quota worth twelve. */
const plan = (more: Partial<Plan> = {}): Plan => ({
  ...{ planCode: "p", name: "P", description: "", features: [], sortOrder: 0, version: 1, updatedAt: new Date(0) },
  ...{ kind: "monthly", status: "active", priceUsd: "10.00" as Decimal, quota: 6_000_000n },
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
