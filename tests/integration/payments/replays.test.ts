import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Order } from "@sluice/control-plane/payments/model.ts";
import type { Buyer } from "../../support/payments/billing-scene.ts";
import { cardEventBody, type PaidEvent, signLikeCard } from "../../support/payments/card-gateway.ts";
import { cardSecrets, PaymentScene } from "../../support/payments/payment-scene.ts";
import type { WalletFields } from "../../support/payments/wallet-gateway.ts";

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

const event = async (change: PaidEvent, at?: number): Promise<Response> => {
  const body = cardEventBody(change);
  return await scene.postEvent(body, signLikeCard(body, cardSecrets.default, at));
};

type Paid = { readonly buyer: Buyer; readonly order: Order };

/** An order that the card gateway was paid for, and credited. */
async function paidByCard(): Promise<Paid & { readonly sent: PaidEvent }> {
  const buyer = await scene.billing.addBuyer();
  const order = await scene.billing.placeFor(buyer, "credit", "cardpay");
  const sent = { orderNo: order.orderNo, eventId: `evt_${order.orderNo}`, paymentId: `pi_${order.orderNo}` };
  expect(await (await event(sent)).json()).toMatchObject({ result: "settled" });
  return { buyer, order, sent };
}

async function paidByWallet(): Promise<Paid & { readonly notice: WalletFields }> {
  const buyer = await scene.billing.addBuyer();
  const order = await scene.billing.placeFor(buyer);
  const notice = scene.wallet.pay(order.orderNo);
  expect(await (await scene.postNotice(notice)).text()).toBe("success");
  return { buyer, order, notice };
}

/** Runs what must not change anything about a paid order. */
async function unchanged({ buyer, order }: Paid, work: () => Promise<void>): Promise<void> {
  const postings = await scene.billing.count("ledger_posting");
  const payments = await scene.billing.count("payment");
  await work();
  expect(await scene.billing.count("ledger_posting")).toBe(postings);
  expect(await scene.billing.count("payment")).toBe(payments);
  expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
  expect(await scene.billing.order(order.orderNo)).toMatchObject({ status: "settled" });
}

describe("after a card payment was credited", () => {
  test("the same event changes nothing, even with a different count of open deliveries", async () => {
    const paid = await paidByCard();
    await unchanged(paid, async () => {
      expect(await (await event(paid.sent)).json()).toMatchObject({ result: "settled" });
      const again = await event({ ...paid.sent, more: { pending_webhooks: 3 } });
      expect(await again.json()).toMatchObject({ result: "settled" });
    });
  });

  test("the same event from yesterday is refused", async () => {
    const paid = await paidByCard();
    await unchanged(paid, async () => {
      const old = await event(paid.sent, Math.floor(Date.now() / 1_000) - 86_400);
      expect(old.status).toBe(400);
    });
  });

  test("the same payment under another event is a duplicate", async () => {
    const paid = await paidByCard();
    await unchanged(paid, async () => {
      const other = await event({ ...paid.sent, eventId: `evt_other_${paid.order.orderNo}` });
      expect(await other.json()).toMatchObject({ result: "duplicate" });
    });
  });

  test("the same event with another amount is a conflict and an alarm", async () => {
    const paid = await paidByCard();
    await unchanged(paid, async () => {
      expect((await event({ ...paid.sent, amount: 1 })).status).toBe(409);
      expect(scene.billing.lines.at(-1)).toContain('"event":"payments.alarm","reason":"event_conflict"');
    });
  });

  test("a second payment of it is put up for review and credits nothing", async () => {
    const paid = await paidByCard();
    await unchanged(paid, async () => {
      const second = await event({ orderNo: paid.order.orderNo });
      expect(await second.json()).toMatchObject({ result: "review" });
    });
  });

  test("its payment completes no other order", async () => {
    const paid = await paidByCard();
    const buyer = await scene.billing.addBuyer();
    const other = await scene.billing.placeFor(buyer, "credit", "cardpay");
    await unchanged(paid, async () => {
      const moved = await event({ orderNo: other.orderNo, paymentId: paid.sent.paymentId ?? "" });
      expect(await moved.json()).toMatchObject({ result: "review" });
    });
    expect(await scene.billing.balance(buyer)).toBe(0n);
  });
});

describe("after a wallet payment was credited", () => {
  test("its notification is accepted and changes nothing, without the gateway being asked again", async () => {
    const paid = await paidByWallet();
    const asked = scene.wallet.requests.length;
    await unchanged(paid, async () => {
      expect(await (await scene.postNotice(paid.notice)).text()).toBe("success");
    });
    expect(scene.wallet.requests).toHaveLength(asked);
  });

  test("a second payment of it, which the gateway confirms, credits nothing", async () => {
    const paid = await paidByWallet();
    await unchanged(paid, async () => {
      expect(await (await scene.postNotice(scene.wallet.pay(paid.order.orderNo))).text()).toBe("success");
    });
  });

  test("a reversal of it is flagged and takes nothing on its own", async () => {
    const paid = await paidByWallet();
    const transactionNo = paid.notice["transactionNo"] ?? "";
    await unchanged(paid, async () => {
      const reversed = await scene.postSigned({ ...paid.notice, status: "reversed", transactionNo });
      expect(await reversed.text()).toBe("success");
      expect((await scene.billing.order(paid.order.orderNo)).review_reason).toBe("gateway_reversal: reversed");
    });
  });

  test("a late failure of it takes nothing", async () => {
    const paid = await paidByWallet();
    await unchanged(paid, async () => {
      expect(await (await scene.postSigned({ ...paid.notice, status: "fail" })).text()).toBe("success");
    });
  });
});

test("both gateways at once credit an order once, by the one it was placed for", async () => {
  const buyer = await scene.billing.addBuyer();
  const order = await scene.billing.placeFor(buyer);
  const notice = scene.wallet.pay(order.orderNo);
  const [wallet, card] = await Promise.all([scene.postNotice(notice), event({ orderNo: order.orderNo })]);
  expect(await card.json()).toMatchObject({ result: "review" });
  // The second one does not fit; a person decides, and nothing is credited twice.
  expect(wallet.status).toBe(200);
  const { status } = await scene.billing.order(order.orderNo);
  expect(["settled", "review"]).toContain(status);
  expect(await scene.billing.balance(buyer)).toBe(status === "settled" ? 5_000_000n : 0n);
});

test("of two concurrent events with one id at most one is accepted", async () => {
  const buyers = [await scene.billing.addBuyer(), await scene.billing.addBuyer()];
  const placed = await Promise.all(buyers.map((buyer) => scene.billing.placeFor(buyer, "credit", "cardpay")));
  const eventId = `evt_${crypto.randomUUID()}`;
  const answers = await Promise.all(placed.map(({ orderNo }) => event({ orderNo, eventId })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  const balances = await Promise.all(buyers.map((buyer) => scene.billing.balance(buyer)));
  expect(balances.toSorted()).toEqual([0n, 5_000_000n]);
});
