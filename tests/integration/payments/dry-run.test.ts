import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PaymentScene } from "../../support/payments/payment-scene.ts";
import { signLikeWallet } from "../../support/payments/wallet-gateway.ts";

let scene: PaymentScene;

beforeAll(async () => {
  scene = await PaymentScene.create({}, false);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

describe("a dry run where real money is taken", () => {
  const order = { plan_code: "credit", vendor: "alipay", dry_run: true };

  test("shows a stranger nothing that the wallet's secret signs, and places no order", async () => {
    const answer = await scene.postJson("/backend/payment/walletpay/create/", order);
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toMatchObject([401, { error: { code: "unauthenticated" } }]);
    expect(text).not.toContain("200043");
    expect(await scene.billing.db.sql`select 1 from sales_order`).toHaveLength(0);
  });

  test("shows the owner of the order the exact request, and sends nothing", async () => {
    const { userId } = await scene.billing.addBuyer();
    const login = { "x-test-user": userId.toString() };
    const answer = await scene.postJson("/backend/payment/walletpay/create/", order, login);
    expect(answer.status).toBe(200);
    const { request } = (await answer.json()) as { request: { fields: Record<string, string> } };
    expect(signLikeWallet(request.fields)).toEqual(request.fields);
    expect(scene.wallet.requests).toHaveLength(0);
  });

  test("of the card gateway, which signs nothing, is shown to everybody", async () => {
    const card = { ...order, vendor: "cardpay_card" };
    expect((await scene.postJson("/backend/payment/cardpay/create/", card)).status).toBe(200);
  });

  test("a stranger can still buy", async () => {
    const answer = await scene.postJson("/backend/payment/walletpay/create/", { ...order, dry_run: false });
    expect(answer.status).toBe(200);
    expect(scene.wallet.requests).toHaveLength(1);
  });
});
