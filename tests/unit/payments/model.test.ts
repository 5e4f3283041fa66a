import { describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import {
  countConsumption,
  fromCents,
  isSameAmount,
  type Judgement,
  judgePayment,
  type MonthlyQuota,
  type Order,
  type PaidNotice,
  type Payment,
  quotaOfRefund,
  toCents,
} from "@sluice/control-plane/payments/model.ts";
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

test("the quota of refunds adds up to that of the order, however its money is divided", () => {
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

  test("takes nothing from an amount below zero", () => {
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

describe("a payment", () => {
  const order: Order = {
    id: 1n,
    orderNo: "S1",
    planCode: "credit",
    planName: "Credit",
    planNames: {},
    planKind: "wallet_balance",
    groupName: null,
    quota: 5_000_000n,
    chosenUsd: null,
    taxRate: null,
    taxNote: null,
    couponCode: null,
    discountUsd: null,
    amountUsd: usd("10.00"),
    currency: "USD",
    userId: null,
    organisationId: null,
    gatewayUserId: null,
    email: null,
    payChannel: "cardpay",
    sender: "account_a",
    vendor: null,
    status: "pending",
    isPaidLate: false,
    isMock: false,
    reviewReason: null,
    resolution: null,
    expiresAt: new Date("2026-01-02T00:00:00Z"),
    settledAt: null,
    creditedAt: null,
    createdAt: new Date("2026-01-01T00:00:00Z"),
  };
  const notice: PaidNotice = {
    gateway: "cardpay",
    account: "account_a",
    transactionId: "pi_1",
    orderNo: "S1",
    amountUsd: usd("10.00"),
    currency: "USD",
  };
  const payment: Payment = {
    orderId: 1n,
    gateway: "cardpay",
    account: "account_a",
    transactionId: "pi_1",
    amountUsd: usd("10.0"),
    currency: "USD",
  };
  const wallet = { payChannel: "walletpay", sender: null } as const;
  const byWallet = { gateway: "walletpay", account: "default" } as const;
  const weekAfter = new Date("2026-01-09T00:00:00Z");
  const settle = (isLate = false): Judgement => ({ kind: "settle", isLate });
  const duplicate: Judgement = { kind: "duplicate" };
  const review = (reason: Extract<Judgement, { kind: "review" }>["reason"]): Judgement => ({ kind: "review", reason });

  type Case = {
    readonly order?: Partial<Order>;
    readonly notice?: Partial<PaidNotice>;
    readonly ofOrder?: Partial<Payment>;
    readonly ofTransaction?: Partial<Payment>;
    readonly at?: Date;
  };

  test.each<[string, Case, Judgement]>([
    ["that fits", {}, settle()],
    ["that fits, by the wallet, whose only account need not be named", { order: wallet, notice: byWallet }, settle()],
    [
      "to the account that a wallet order names",
      { order: { ...wallet, sender: "default" }, notice: byWallet },
      settle(),
    ],
    [
      "to another than a wallet order names",
      { order: { ...wallet, sender: "x" }, notice: byWallet },
      review("account_mismatch"),
    ],
    ["by the mock, of whatever channel", { notice: { gateway: "mock", account: "x" } }, settle()],
    ["by another gateway", { notice: byWallet }, review("gateway_mismatch")],
    ["by no gateway, of an order that chose none", { order: { payChannel: "none" } }, review("gateway_mismatch")],
    ["to another account", { notice: { account: "account_b" } }, review("account_mismatch")],
    ["by card, of an order that names no account", { order: { sender: null } }, review("account_mismatch")],
    ["in another currency", { notice: { currency: "EUR" } }, review("currency_mismatch")],
    ["of too little", { notice: { amountUsd: usd("9.99") } }, review("amount_mismatch")],
    ["of too much", { notice: { amountUsd: usd("10.01") } }, review("amount_mismatch")],
    ["of a cancelled order", { order: { status: "cancelled" } }, settle(true)],
    ["of an expired order, a week after its end", { order: { status: "expired" }, at: weekAfter }, settle(true)],
    [
      "of an expired order, later than a week after its end",
      { order: { status: "expired" }, at: new Date(weekAfter.getTime() + 1) },
      review("paid_too_late"),
    ],
    [
      "of a cancelled order, later than a week after its end",
      { order: { status: "cancelled" }, at: new Date(weekAfter.getTime() + 1) },
      review("paid_too_late"),
    ],
    ["of an order that no job has ended, a week after its end", { at: weekAfter }, settle()],
    [
      "of an order that no job has ended, later than that",
      { at: new Date(weekAfter.getTime() + 1) },
      review("paid_too_late"),
    ],
    ["of an order in review", { order: { status: "review" } }, review("paid_while_in_review")],
    [
      "of an order whose money went back before",
      { order: { reviewReason: "gateway_reversal: reversed" } },
      review("paid_while_in_review"),
    ],
    [
      "of an expired order whose money went back before",
      { order: { status: "expired", reviewReason: "gateway_reversal: charge.refunded" } },
      review("paid_while_in_review"),
    ],
    ["of an order that another one marked", { order: { reviewReason: "transaction_of_another_order" } }, settle()],
    ["that the order has already", { ofOrder: {}, ofTransaction: {} }, duplicate],
    ["that the order has, whatever its state is by now", { order: { status: "refunded" }, ofOrder: {} }, duplicate],
    ["of an order that has another", { ofOrder: { transactionId: "pi_0" } }, review("second_payment")],
    ["under the same id at another gateway", { ofOrder: { gateway: "walletpay" } }, review("second_payment")],
    ["that was of another amount before", { ofOrder: { amountUsd: usd("9.00") } }, review("payment_changed")],
    ["that was in another currency before", { ofOrder: { currency: "EUR" } }, review("payment_changed")],
    ["that was to another account before", { ofOrder: { account: "account_b" } }, review("payment_changed")],
    ["of another order", { ofTransaction: { orderId: 2n } }, review("transaction_of_another_order")],
    [
      "of another order, and a second one",
      { ofOrder: {}, ofTransaction: { orderId: 2n } },
      review("transaction_of_another_order"),
    ],
  ])("%s", (_, given, judgement) => {
    const known = {
      ofOrder: given.ofOrder === undefined ? null : { ...payment, ...given.ofOrder },
      ofTransaction: given.ofTransaction === undefined ? null : { ...payment, ...given.ofTransaction },
      at: given.at ?? new Date("2026-01-01T12:00:00Z"),
    };
    expect(judgePayment({ ...order, ...given.order }, { ...notice, ...given.notice }, known)).toEqual(judgement);
  });
});
