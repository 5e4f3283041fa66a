import { describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import {
  countConsumption,
  fromCents,
  isSameAmount,
  type MonthlyQuota,
  quotaOfRefund,
  toCents,
} from "@sluice/control-plane/billing/model.ts";
import fc from "fast-check";

const usd = (text: string): Decimal => text as Decimal;

test.each([
  ["10", "10.00", true],
  ["10.0", "10", true],
  ["10.00", "10.01", false],
  ["10.00", "10.000", true],
  ["10.00", "10.001", false],
  ["10.001", "10.001", false],
])("%s and %s are the same amount: %p", (one, other, isSame) => {
  expect(isSameAmount(usd(one), usd(other))).toBe(isSame);
});

test("cents and dollars are the same number", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), (cents) => {
      expect(toCents(fromCents(cents))).toBe(cents);
    }),
  );
});

test("the quota of refunds adds up to that of the order, however its money is cut", () => {
  const parts = fc.array(fc.bigInt({ min: 1n, max: 5_000n }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(parts, fc.bigInt({ min: 0n, max: 10n ** 9n }), (cents, quota) => {
      const total = cents.reduce((sum, each) => sum + each, 0n);
      const order = { quota, amountUsd: fromCents(total) };
      let refunded = 0n;
      let taken = 0n;
      for (const each of cents) {
        refunded += each;
        const share = quotaOfRefund(order, fromCents(refunded), taken);
        expect(share >= 0n).toBe(true);
        taken += share;
        expect(taken * total <= quota * refunded).toBe(true);
      }
      expect(taken).toBe(quota);
    }),
  );
});

const month = (id: bigint, day: number, quotaLeft: bigint): MonthlyQuota => ({
  id,
  periodEnd: new Date(Date.UTC(2026, 0, day)),
  quotaLeft,
  countedTo: 100n,
});

describe("consumption", () => {
  const leftAfter = (running: MonthlyQuota[], consumed: bigint): Record<string, bigint> =>
    Object.fromEntries(countConsumption(running, consumed).map(({ id, quotaLeft }) => [id.toString(), quotaLeft]));

  test.each<[string, bigint, Record<string, bigint>]>([
    ["nothing new", 100n, { 1: 50n, 2: 30n }],
    ["part of what ends first", 120n, { 1: 50n, 2: 10n }],
    ["all of that and part of the next", 140n, { 1: 40n, 2: 0n }],
    ["more than both", 500n, { 1: 0n, 2: 0n }],
    ["less than before, after a discount", 90n, { 1: 50n, 2: 30n }],
  ])("counts against what ends first: %s", (_what, consumed, left) => {
    expect(leftAfter([month(1n, 20, 50n), month(2n, 10, 30n)], consumed)).toEqual(left);
  });

  test("takes nothing from what is below zero", () => {
    expect(leftAfter([month(1n, 10, -5n), month(2n, 20, 30n)], 110n)).toEqual({ 1: -5n, 2: 20n });
  });

  test("counted in steps comes to the same as counted at once", () => {
    const months = fc.array(fc.record({ day: fc.integer({ min: 1, max: 28 }), left: fc.bigInt(0n, 1_000n) }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(months, fc.array(fc.bigInt(0n, 800n), { maxLength: 6 }), (given, uses) => {
        const running = given.map(({ day, left }, index) => month(BigInt(index), day, left));
        let stepwise = running;
        let consumed = 100n;
        for (const use of uses) {
          consumed += use;
          stepwise = countConsumption(stepwise, consumed);
        }
        expect(countConsumption(stepwise, consumed)).toEqual(countConsumption(running, consumed));
      }),
    );
  });
});
