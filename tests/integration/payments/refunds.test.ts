import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { parseDecimal } from "@sluice/contracts/money";
import { PaymentScene } from "../../support/payments/payment-scene.ts";

let scene: PaymentScene;

beforeAll(async () => {
  scene = await PaymentScene.create();
});

afterEach(() => {
  scene.wallet.override = null;
  scene.card.override = null;
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

describe("a refund", () => {
  const request = {
    refundNo: "R1",
    orderNo: "S1",
    account: "default",
    transactionId: "pi_1",
    amountUsd: parseDecimal("4.50"),
    currency: "USD",
  };

  test("at the card gateway is asked for once under its number, whatever was lost on the way", async () => {
    expect(await scene.payments.card.refund(request)).toEqual({ kind: "done", gatewayRefundId: "re_pi_1_1" });
    expect(scene.card.requests.at(-1)).toMatchObject({ idempotencyKey: "refund:R1", fields: { amount: "450" } });
    expect(await scene.payments.card.refund(request)).toEqual({ kind: "done", gatewayRefundId: "re_pi_1_1" });
    expect(await scene.payments.card.refund({ ...request, refundNo: "R2" })).toEqual({
      kind: "done",
      gatewayRefundId: "re_pi_1_2",
    });
    expect(scene.card.refunds.get("pi_1")).toHaveLength(2);
  });

  test("at the card gateway can be pending, refused, or of unknown end", async () => {
    scene.card.refundStatus = "pending";
    expect(await scene.payments.card.refund({ ...request, transactionId: "pi_2" })).toEqual({ kind: "pending" });
    scene.card.refundStatus = "succeeded";
    scene.card.override = ({ method }) =>
      method === "GET"
        ? Response.json({ object: "list", data: [], has_more: false, url: "/v1/refunds" })
        : Response.json(
            { error: { type: "invalid_request_error", code: "charge_already_refunded", message: "no" } },
            { status: 400 },
          );
    expect(await scene.payments.card.refund({ ...request, transactionId: "pi_3" })).toEqual({
      kind: "failed",
      error: "charge_already_refunded",
    });
    scene.card.override = () => new Response("oops", { status: 500 });
    const unknown = scene.payments.card.refund({ ...request, transactionId: "pi_4" });
    await expect(unknown).rejects.toMatchObject({ code: "payment_gateway_failed" });
  });

  test("at the wallet gateway carries our number and is signed", async () => {
    const { transactionNo = "" } = scene.wallet.pay("S-refunded");
    const asked = { ...request, transactionId: transactionNo };
    expect(await scene.payments.wallet.refund(asked)).toEqual({ kind: "done", gatewayRefundId: "refund-of-R1" });
    expect(scene.wallet.refunds.get("R1")).toMatchObject({ refundAmount: "4.50", transactionNo });
    expect(await scene.payments.wallet.refund({ ...request, transactionId: "0" })).toMatchObject({ kind: "failed" });
    scene.wallet.override = () => new Promise(() => undefined);
    const unknown = scene.payments.wallet.refund(asked);
    await expect(unknown).rejects.toMatchObject({ code: "payment_gateway_failed" });
  });
});
