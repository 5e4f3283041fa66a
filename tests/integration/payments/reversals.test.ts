import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import type { RefundAnswer } from "@sluice/control-plane/payments/gateways/port.ts";
import type { Order, PayChannel } from "@sluice/control-plane/payments/model.ts";
import { openRefund, payRefund } from "@sluice/control-plane/payments/refunds/refunds.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { noticeOf } from "../../support/payments/billing-scene.ts";
import { cardEventBody, signLikeCard } from "../../support/payments/card-gateway.ts";
import { cardSecrets, PaymentScene } from "../../support/payments/payment-scene.ts";
import { ScriptedRefunds } from "../../support/payments/scripted-refunds.ts";
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

type Ours = readonly [amountUsd: string, status: "pending" | "done" | "failed"];

const answers: Readonly<Record<Ours[1], RefundAnswer>> = {
  pending: { kind: "pending" },
  done: { kind: "done", gatewayRefundId: "g" },
  failed: { kind: "failed", error: "no" },
};

type Paid = { readonly order: Order; readonly paymentId: string; readonly refundNos: readonly string[] };

/** A paid order of 10.00 with refunds that we gave, or tried to. */
async function paidOrder(channel: PayChannel, refunds: readonly Ours[]): Promise<Paid> {
  const order = await scene.billing.placeFor(await scene.billing.addBuyer(), "credit", channel);
  const notice = noticeOf(order, { transactionId: `pi_${order.orderNo}` });
  await settlePaid(scene.billing.deps, notice);
  const refundNos: string[] = [];
  const gateway = new ScriptedRefunds();
  const parts = { ...scene.billing.deps, gateways: { walletpay: gateway, cardpay: gateway } };
  for (const [amountUsd, status] of refunds) {
    const request = { orderNo: order.orderNo, amountUsd: amountUsd as Decimal, reason: "test", mayGoNegative: false };
    const { refund } = await scene.billing.db.withTransaction((tx) =>
      openRefund(tx, { ...request, idempotencyKey: crypto.randomUUID() }),
    );
    gateway.answers = [answers[status]];
    expect(await payRefund(parts, refund.refundNo)).toMatchObject({ status });
    refundNos.push(refund.refundNo);
  }
  return { order, paymentId: notice.transactionId, refundNos };
}

/** The effect of a card gateway event about a payment. */
async function told({ order, paymentId }: Paid, type: string, object: Record<string, unknown>): Promise<unknown> {
  const intent = { id: `x_${crypto.randomUUID()}`, payment_intent: paymentId, metadata: {}, ...object };
  const body = cardEventBody({ orderNo: "", type, intent });
  const answer = await scene.postEvent(body, signLikeCard(body, cardSecrets.default));
  const { result } = (await answer.json()) as { result: unknown };
  const { review_reason: reason } = await scene.billing.order(order.orderNo);
  expect(reason).toBe(result === "flagged" ? `gateway_reversal: ${type}` : null);
  return result;
}

describe("a card payment whose money was returned", () => {
  test.each<[string, Ours[], number | undefined, string]>([
    ["without any refund of ours", [], 1_000, "flagged"],
    ["beside one that failed", [["10.00", "failed"]], 1_000, "flagged"],
    ["beside one that failed, in part", [["10.00", "failed"]], 1, "flagged"],
    ["beyond our part", [["3.00", "done"]], 301, "flagged"],
    ["wholly, after we sent a part", [["3.00", "done"]], undefined, "flagged"],
    ["as we sent it, in part", [["3.00", "done"]], 300, "ignored"],
    [
      "as we sent it and are sending it",
      [
        ["3.00", "done"],
        ["2.00", "pending"],
      ],
      500,
      "ignored",
    ],
    [
      "less than we are sending",
      [
        ["3.00", "done"],
        ["2.00", "pending"],
      ],
      300,
      "ignored",
    ],
    [
      "beside a failed and a done one",
      [
        ["3.00", "failed"],
        ["2.00", "done"],
      ],
      300,
      "flagged",
    ],
    ["wholly, as we sent it", [["10.00", "done"]], 1_000, "ignored"],
    ["to an unknown amount, as we sent all of it", [["10.00", "done"]], undefined, "ignored"],
  ])("%s", async (_, ours, amount, result) => {
    const paid = await paidOrder("cardpay", ours);
    expect(await told(paid, "charge.refunded", { object: "charge", amount_refunded: amount })).toBe(result);
  });

  test.each<[string, Ours[1], string, string]>([
    ["refund.created", "pending", "pending", "ignored"],
    ["refund.updated", "done", "succeeded", "ignored"],
    ["charge.refund.updated", "done", "succeeded", "ignored"],
    ["refund.updated", "failed", "succeeded", "flagged"],
    ["refund.failed", "done", "failed", "flagged"],
    ["charge.refund.updated", "done", "canceled", "flagged"],
    ["refund.failed", "failed", "failed", "ignored"],
    ["refund.failed", "pending", "failed", "ignored"],
  ])("%s of our refund that is %s with us and %s there is %s", async (type, ours, theirs, result) => {
    const paid = await paidOrder("cardpay", [["3.00", ours]]);
    const metadata = { refund_no: paid.refundNos[0] };
    expect(await told(paid, type, { object: "refund", status: theirs, metadata })).toBe(result);
  });

  test("through a refund that is not ours is flagged, whatever we refunded ourselves", async () => {
    for (const metadata of [{}, { refund_no: "R-of-nobody" }]) {
      const paid = await paidOrder("cardpay", [["10.00", "done"]]);
      expect(await told(paid, "refund.created", { object: "refund", status: "succeeded", metadata })).toBe("flagged");
    }
    const [one, other] = [
      await paidOrder("cardpay", [["3.00", "done"]]),
      await paidOrder("cardpay", [["3.00", "done"]]),
    ];
    const metadata = { refund_no: other.refundNos[0] };
    expect(await told(one, "refund.created", { object: "refund", status: "succeeded", metadata })).toBe("flagged");
  });

  test("and is disputed is flagged, even if we refunded all of it", async () => {
    const paid = await paidOrder("cardpay", [["10.00", "done"]]);
    expect(await told(paid, "charge.dispute.created", { object: "dispute" })).toBe("flagged");
  });
});

test.each<[Ours[], string | null]>([
  [[], "gateway_reversal: reversed"],
  [[["10.00", "failed"]], "gateway_reversal: reversed"],
  [[["3.00", "done"]], "gateway_reversal: reversed"],
  [[["10.00", "done"]], null],
  [
    [
      ["3.00", "done"],
      ["7.00", "pending"],
    ],
    null,
  ],
])("a wallet payment that is reversed after we refunded %j is marked as %p", async (ours, reason) => {
  const { order, paymentId: transactionNo } = await paidOrder("walletpay", ours);
  const said = { transactionNo, status: "reversed", amount: "10.00", currency: "USD" };
  expect(await (await scene.postSigned(notificationOf(order.orderNo, said))).text()).toBe("success");
  expect((await scene.billing.order(order.orderNo)).review_reason).toBe(reason);
});
