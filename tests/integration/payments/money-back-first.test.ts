import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Order, PayChannel } from "@sluice/control-plane/payments/model.ts";
import { claimOrder } from "@sluice/control-plane/payments/orders/orders.ts";
import { resolveOrder } from "@sluice/control-plane/payments/reviews/reviews.ts";
import { creditPaidOrders, creditWaitingOwners } from "@sluice/control-plane/payments/settle/credit-waiting.ts";
import type { Buyer } from "../../support/payments/billing-scene.ts";
import { cardEventBody, signLikeCard } from "../../support/payments/card-gateway.ts";
import { cardSecrets, PaymentScene } from "../../support/payments/payment-scene.ts";
import { notificationOf } from "../../support/payments/wallet-gateway.ts";

let scene: PaymentScene;

beforeAll(async () => {
  scene = await PaymentScene.create();
});

afterEach(async () => {
  expect(await scene.billing.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const paymentOf = ({ orderNo }: Order): string => `pi_${orderNo}`;

async function tellCard(order: Order, type: string, object: Record<string, unknown> = {}): Promise<string> {
  const intent = { payment_intent: paymentOf(order), ...object };
  const body = cardEventBody({ orderNo: order.orderNo, paymentId: paymentOf(order), type, intent });
  const answer = await scene.postEvent(body, signLikeCard(body, cardSecrets.default));
  return ((await answer.json()) as { result: string }).result;
}

const pay = (order: Order): Promise<string> => tellCard(order, "payment_intent.succeeded");
const dispute = (order: Order): Promise<string> => tellCard(order, "charge.dispute.created");
const refunded = (order: Order): Promise<string> => tellCard(order, "charge.refunded", { amount_refunded: 1_000 });

/** The same for the wallet gateway, which repeats its first report about the payment. */
async function tellWallet(order: Order, kind: "success" | "reversed"): Promise<string> {
  const known = scene.wallet.transactions.get(order.orderNo);
  const { transactionNo } = known ?? { transactionNo: scene.wallet.pay(order.orderNo)["transactionNo"] ?? "" };
  const said = notificationOf(order.orderNo, { transactionNo, status: kind, amount: "10.00", currency: "USD" });
  return await (await scene.postSigned(said)).text();
}

const decide = (order: Order, action: "settle" | "dismiss" | "cancel"): Promise<unknown> =>
  scene.billing.db.withTransaction((tx) =>
    resolveOrder(tx, scene.billing.deps, { orderNo: order.orderNo, action, transactionId: null, reason: "looked" }),
  );

describe("a payment that the gateway first reported as refunded", () => {
  const first: readonly [string, PayChannel, (order: Order) => Promise<string>, (order: Order) => Promise<string>][] = [
    ["charge.refunded", "cardpay", refunded, pay],
    ["charge.dispute.created", "cardpay", dispute, pay],
    ["reversed", "walletpay", (order) => tellWallet(order, "reversed"), (order) => tellWallet(order, "success")],
  ];

  test.each(first)("(%s) credits nothing, and waits for a person", async (kind, channel, goBack, arrive) => {
    for (const status of ["pending", "cancelled", "expired"]) {
      const buyer = await scene.billing.addBuyer();
      const order = await scene.billing.placeFor(buyer, "credit", channel);
      await goBack(order);
      await scene.billing.db.sql`update sales_order set status = ${status} where order_no = ${order.orderNo}`;
      await arrive(order);
      expect(await scene.billing.balance(buyer)).toBe(0n);
      const marked = { status: "review", review_reason: `gateway_reversal: ${kind}` };
      expect(await scene.billing.order(order.orderNo)).toMatchObject(marked);
      await decide(order, "settle");
      expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
    }
  });

  test.each(first)(
    "(%s) stays cancelled once an admin has cancelled it, however often it is reported",
    async (_, channel, goBack, arrive) => {
      const buyer = await scene.billing.addBuyer();
      const order = await scene.billing.placeFor(buyer, "credit", channel);
      await goBack(order);
      await arrive(order);
      await decide(order, "cancel");
      await arrive(order);
      expect(await scene.billing.order(order.orderNo)).toMatchObject({ status: "cancelled", review_reason: null });
      expect(await scene.billing.balance(buyer)).toBe(0n);
    },
  );

  test("is credited if an admin dismissed the dispute before it arrived", async () => {
    const buyer = await scene.billing.addBuyer();
    const order = await scene.billing.placeFor(buyer, "credit", "cardpay");
    expect(await dispute(order)).toBe("flagged");
    await decide(order, "dismiss");
    expect(await pay(order)).toBe("settled");
    expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
  });
});

describe("an order without an owner, whose payment was returned", () => {
  const email = (): string => `${crypto.randomUUID()}@example.com`;

  async function placed(address: string | null): Promise<{ order: Order; claimCode: string }> {
    const guest = { email: address, payChannel: "cardpay", sender: "default" } as const;
    const { order, claimCode } = await scene.billing.place(guest);
    expect(await pay(order)).toBe("settled");
    expect(await dispute(order)).toBe("flagged");
    return { order, claimCode: claimCode ?? "" };
  }

  const claim = (order: Order, claimCode: string, { userId }: Buyer): Promise<Order> =>
    scene.billing.db.withTransaction((tx) => claimOrder(tx, { orderNo: order.orderNo, claimCode, userId }));

  test("can't be claimed until a person has looked at it, whatever else comes", async () => {
    const { order, claimCode } = await placed(null);
    const buyer = await scene.billing.addBuyer();
    await expect(claim(order, claimCode, buyer)).rejects.toMatchObject({ code: "conflict" });
    const second = cardEventBody({ orderNo: order.orderNo });
    await scene.postEvent(second, signLikeCard(second, cardSecrets.default));
    await expect(claim(order, claimCode, buyer)).rejects.toMatchObject({ code: "conflict" });
    expect(await scene.billing.balance(buyer)).toBe(0n);
    await decide(order, "dismiss");
    await claim(order, claimCode, buyer);
    expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
  });

  test("goes to the user whose verified address it names only after that", async () => {
    const address = email();
    const { order } = await placed(address);
    const buyer = await scene.billing.addBuyer(address);
    const credit = () => scene.billing.db.withTransaction((tx) => creditPaidOrders(tx, buyer.userId));
    expect([await credit(), await creditWaitingOwners(scene.billing.db)]).toEqual([0, 0]);
    await decide(order, "dismiss");
    expect([await creditWaitingOwners(scene.billing.db), await credit()]).toEqual([1, 0]);
    expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
  });
});

describe("a return that names no order", () => {
  const unnamed = { metadata: {} };
  const stateOf = async ({ orderNo }: Order): Promise<unknown> => {
    const { status, review_reason: reason } = await scene.billing.order(orderNo);
    return `${status} ${reason}`;
  };

  test.each([
    ["charge.dispute.created", "unknown_order", {}],
    ["charge.refunded", "ignored", { amount_refunded: 1_000 }],
  ])("(%s) is remembered until its payment comes, which then waits for a person", async (type, result, object) => {
    const buyer = await scene.billing.addBuyer();
    const order = await scene.billing.placeFor(buyer, "credit", "cardpay");
    expect(await tellCard(order, type, { ...unnamed, ...object })).toBe(result);
    expect(await pay(order)).toBe("review");
    expect([await stateOf(order), await scene.billing.balance(buyer)]).toEqual([
      `review gateway_reversal: ${type}`,
      0n,
    ]);
    await decide(order, "settle");
    expect(await pay(order)).toBe("duplicate");
    expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
  });

  test("of another payment changes nothing", async () => {
    const buyer = await scene.billing.addBuyer();
    const order = await scene.billing.placeFor(buyer, "credit", "cardpay");
    await tellCard(order, "charge.dispute.created", { ...unnamed, payment_intent: "pi_other" });
    expect(await pay(order)).toBe("settled");
    expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
  });

  test("and its payment in the same moment leave a mark in any order", async () => {
    const orders: Order[] = [];
    for (let count = 0; count < 12; count += 1) {
      orders.push(await scene.billing.placeFor(await scene.billing.addBuyer(), "credit", "cardpay"));
    }
    const back = (order: Order): Promise<string> =>
      tellCard(order, "charge.refunded", { ...unnamed, amount_refunded: 1_000 });
    await Promise.all(orders.flatMap((order) => [pay(order), back(order)]));
    for (const order of orders) {
      expect(await stateOf(order)).toEndWith(" gateway_reversal: charge.refunded");
    }
  });
});
