import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import type { PaidNotice } from "@sluice/control-plane/payments/model.ts";
import type { FaultPoint } from "@sluice/control-plane/payments/port.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { BillingScene, noticeOf } from "../../support/payments/billing-scene.ts";
import { waitForAnyWaiter } from "../../support/postgres/held-lock.ts";

let scene: BillingScene;

beforeAll(async () => {
  scene = await BillingScene.create();
});

afterEach(async () => {
  expect(await scene.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

test("a paid order credits its quota once and sends one email", async () => {
  const buyer = await scene.addBuyer();
  const order = await scene.placeFor(buyer);
  const before = await scene.count("mail_log");
  expect(await settlePaid(scene.deps, noticeOf(order))).toBe("settled");
  expect(await settlePaid(scene.deps, noticeOf(order))).toBe("duplicate");
  expect(await scene.balance(buyer)).toBe(5_000_000n);
  expect(await scene.order(order.orderNo)).toMatchObject({ status: "settled", is_paid_late: false });
  expect(await scene.count("mail_log")).toBe(before + 1);
});

test("an order that does not exist is reported as unknown and raises an alarm", async () => {
  const buyer = await scene.addBuyer();
  const order = await scene.placeFor(buyer);
  const notice = noticeOf(order, { orderNo: "S0" });
  expect(await settlePaid(scene.deps, notice)).toBe("unknown_order");
  expect(scene.lines.join("")).toContain('"reason":"unknown_order","orderNo":"S0"');
});

describe("a notice that differs from its order credits nothing and puts it up for review", () => {
  const changes: [string, Partial<PaidNotice>, string][] = [
    ["a cent less", { amountUsd: "9.99" as Decimal }, "amount_mismatch"],
    ["a cent more", { amountUsd: "10.01" as Decimal }, "amount_mismatch"],
    ["a fraction of a cent more", { amountUsd: "10.001" as Decimal }, "amount_mismatch"],
    ["a hundred times as much", { amountUsd: "1000" as Decimal }, "amount_mismatch"],
    ["another currency", { currency: "CNY" }, "currency_mismatch"],
    ["a currency in small letters", { currency: "usd" }, "currency_mismatch"],
    ["another gateway", { gateway: "walletpay" }, "gateway_mismatch"],
    ["another account", { account: "account_a" }, "account_mismatch"],
  ];
  test.each(changes)("%s", async (_what, change, reason) => {
    const buyer = await scene.addBuyer();
    const order = await scene.placeFor(buyer, "credit", "cardpay");
    const payments = await scene.count("payment");
    expect(await settlePaid(scene.deps, noticeOf(order, change))).toBe("review");
    expect(await scene.order(order.orderNo)).toMatchObject({ status: "review", review_reason: reason });
    expect(await scene.balance(buyer)).toBe(0n);
    expect(await scene.count("payment")).toBe(payments);
    expect(scene.lines.at(-2)).toContain(`"reason":"${reason}"`);
    // A person now has to judge even the right notice.
    expect(await settlePaid(scene.deps, noticeOf(order))).toBe("review");
    expect(await scene.balance(buyer)).toBe(0n);
  });
});

test("the same amount of money in another notation is the same", async () => {
  const buyer = await scene.addBuyer();
  const order = await scene.placeFor(buyer);
  expect(await settlePaid(scene.deps, noticeOf(order, { amountUsd: "10" as Decimal }))).toBe("settled");
  expect(await settlePaid(scene.deps, noticeOf(order, { amountUsd: "10.0" as Decimal }))).toBe("duplicate");
});

test("a second payment of a settled order is kept for review and changes nothing", async () => {
  const buyer = await scene.addBuyer();
  const order = await scene.placeFor(buyer);
  expect(await settlePaid(scene.deps, noticeOf(order))).toBe("settled");
  expect(await settlePaid(scene.deps, noticeOf(order, { transactionId: "another" }))).toBe("review");
  expect(await scene.order(order.orderNo)).toMatchObject({ status: "settled", review_reason: "second_payment" });
  expect(await scene.balance(buyer)).toBe(5_000_000n);
  expect(await settlePaid(scene.deps, noticeOf(order))).toBe("duplicate");
});

test("a transaction pays only one order", async () => {
  const buyer = await scene.addBuyer();
  const [first, second] = [await scene.placeFor(buyer), await scene.placeFor(buyer)];
  expect(await settlePaid(scene.deps, noticeOf(first, { transactionId: "one for both" }))).toBe("settled");
  expect(await settlePaid(scene.deps, noticeOf(second, { transactionId: "one for both" }))).toBe("review");
  expect(await scene.order(second.orderNo)).toMatchObject({ review_reason: "transaction_of_another_order" });
  expect(await scene.balance(buyer)).toBe(5_000_000n);
});

test("of two orders that one transaction names at the same moment one is paid, and the other waits for review", async () => {
  const buyer = await scene.addBuyer();
  const [first, second] = [await scene.placeFor(buyer), await scene.placeFor(buyer)];
  const [written, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const fault = async (point: FaultPoint): Promise<void> => {
    if (point === "after_payment") {
      written.resolve();
      await goOn.promise;
    }
  };
  const one = settlePaid(scene.deps, noticeOf(first, { transactionId: "one at once" }), { fault });
  await written.promise;
  // It sees no such payment, and waits when it writes its own.
  const other = settlePaid(scene.deps, noticeOf(second, { transactionId: "one at once" }));
  await waitForAnyWaiter(scene.db).finally(goOn.resolve);
  expect(await Promise.all([one, other])).toEqual(["settled", "review"]);
  expect(await scene.order(second.orderNo)).toMatchObject({ review_reason: "transaction_of_another_order" });
  expect(await scene.balance(buyer)).toBe(5_000_000n);
});

test.each<Partial<PaidNotice>>([{ amountUsd: "9.99" as Decimal }, { currency: "CNY" }, { account: "account_b" }])(
  "a transaction that is repeated with %j is put up for review, and the order stays settled",
  async (change) => {
    const buyer = await scene.addBuyer();
    const order = await scene.placeFor(buyer, "credit", "cardpay");
    expect(await settlePaid(scene.deps, noticeOf(order))).toBe("settled");
    expect(await settlePaid(scene.deps, noticeOf(order, change))).toBe("review");
    expect(await scene.order(order.orderNo)).toMatchObject({ status: "settled", review_reason: "payment_changed" });
    expect(await scene.balance(buyer)).toBe(5_000_000n);
  },
);
