import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { cardEventBody, signLikeCard } from "../../support/payments/card-gateway.ts";
import { cardSecrets, PaymentScene } from "../../support/payments/payment-scene.ts";

let scene: PaymentScene;

beforeAll(async () => {
  scene = await PaymentScene.create();
});

afterEach(async () => {
  scene.wallet.override = null;
  scene.card.override = null;
  expect(await scene.billing.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

describe("a payment", () => {
  test("at the wallet gateway is credited once, however often the gateway reports it", async () => {
    const buyer = await scene.billing.addBuyer();
    const order = await scene.billing.placeFor(buyer);
    const notice = scene.wallet.pay(order.orderNo);
    for (let delivery = 0; delivery < 3; delivery += 1) {
      const answer = await scene.postNotice(notice);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toStartWith("text/plain");
      expect(await answer.text()).toBe("success");
    }
    const asJson = await scene.post("/backend/payment/walletpay/ipn/", JSON.stringify(notice), {
      "content-type": "application/json",
    });
    expect(await asJson.text()).toBe("success");
    expect(await scene.billing.order(order.orderNo)).toMatchObject({ status: "settled" });
    expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
    const events = await scene.billing.db.sql`
      select kind, result from gateway_event where order_no = ${order.orderNo}`;
    expect([...events]).toEqual([{ kind: "success", result: "settled" }]);
  });

  test("at the card gateway is credited once, through the account that took it", async () => {
    for (const account of ["default", "account_a"] as const) {
      const buyer = await scene.billing.addBuyer();
      const { order } = await scene.billing.place({ userId: buyer.userId, payChannel: "cardpay", sender: account });
      const body = cardEventBody({ orderNo: order.orderNo });
      for (const result of ["settled", "settled", "settled"]) {
        const signature = signLikeCard(body, cardSecrets[account]);
        const answer = await scene.postEvent(body, signature, account === "default" ? "" : account);
        expect(answer.status).toBe(200);
        expect(await answer.json()).toMatchObject({ ok: true, received: true, result });
      }
      expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
    }
  });

  test("is settled with any signature that is valid while the secret changes, and at both ends of the time limit", async () => {
    const nowSeconds = Math.floor(Date.now() / 1000);
    for (const [at, more] of [
      [nowSeconds - 295, ""],
      [nowSeconds + 295, `,v1=${"0".repeat(64)},v0=abc`],
    ] as const) {
      const buyer = await scene.billing.addBuyer();
      const order = await scene.billing.placeFor(buyer, "credit", "cardpay");
      const body = cardEventBody({ orderNo: order.orderNo });
      const [time, good] = signLikeCard(body, cardSecrets.default, at).split(",");
      const answer = await scene.postEvent(body, `${time}${more},${good}`);
      expect(answer.status).toBe(200);
      expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
    }
  });

  test("that is reported 24 times at once is credited once", async () => {
    const buyers = [await scene.billing.addBuyer(), await scene.billing.addBuyer()] as const;
    const wallet = await scene.billing.placeFor(buyers[0]);
    const card = await scene.billing.placeFor(buyers[1], "credit", "cardpay");
    const notice = scene.wallet.pay(wallet.orderNo);
    const body = cardEventBody({ orderNo: card.orderNo });
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        index % 2 === 0 ? scene.postNotice(notice) : scene.postEvent(body, signLikeCard(body, cardSecrets.default)),
      ),
    );
    // One that waited too long for the lock is asked to come again; none gets a false response.
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(await scene.billing.balance(buyers[0])).toBe(5_000_000n);
    expect(await scene.billing.balance(buyers[1])).toBe(5_000_000n);
  });

  test("is settled by a later delivery when the gateway could not confirm the first", async () => {
    const buyer = await scene.billing.addBuyer();
    const order = await scene.billing.placeFor(buyer);
    const notice = scene.wallet.pay(order.orderNo);
    const known = scene.wallet.transactions.get(order.orderNo);
    scene.wallet.transactions.delete(order.orderNo);
    expect((await scene.postNotice(notice)).status).toBe(400);
    scene.wallet.override = () => new Response("busy", { status: 500 });
    expect((await scene.postNotice(notice)).status).toBe(503);
    scene.wallet.override = null;
    if (known !== undefined) {
      scene.wallet.transactions.set(order.orderNo, known);
    }
    expect(await (await scene.postNotice(notice)).text()).toBe("success");
    expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
    const events = await scene.billing.db.sql`
      select result from gateway_event where order_no = ${order.orderNo}`;
    expect([...events]).toEqual([{ result: "settled" }]);
  });

  test("that the gateway reports as returned is flagged and changes no balance", async () => {
    const buyer = await scene.billing.addBuyer();
    const order = await scene.billing.placeFor(buyer, "credit", "cardpay");
    const paid = cardEventBody({ orderNo: order.orderNo, paymentId: `pi_${order.orderNo}` });
    await scene.postEvent(paid, signLikeCard(paid, cardSecrets.default));
    const dispute = cardEventBody({
      orderNo: "",
      type: "charge.dispute.created",
      intent: { object: "dispute", payment_intent: `pi_${order.orderNo}`, metadata: {} },
    });
    const answer = await scene.postEvent(dispute, signLikeCard(dispute, cardSecrets.default));
    expect(await answer.json()).toMatchObject({ received: true, result: "flagged" });
    expect(await scene.billing.order(order.orderNo)).toMatchObject({
      status: "settled",
      review_reason: "gateway_reversal: charge.dispute.created",
    });
    expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
    expect(scene.billing.lines.filter((line) => line.includes('"reason":"reversal"'))).toHaveLength(1);
  });
});

test("a message that the database can't store has to be sent again, and is credited then", async () => {
  const buyer = await scene.billing.addBuyer();
  const order = await scene.billing.placeFor(buyer, "credit", "cardpay");
  const body = cardEventBody({ orderNo: order.orderNo });
  const send = (): Promise<Response> => scene.postEvent(body, signLikeCard(body, cardSecrets.default));
  await scene.billing.db.withTransaction(async (tx) => {
    await tx.sql`select 1 from sales_order where id = ${order.id}::bigint for update`;
    const refused = await send();
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ ok: false, error: { code: "temporarily_unavailable" } });
  });
  expect(await scene.billing.balance(buyer)).toBe(0n);
  expect(await (await send()).json()).toMatchObject({ result: "settled" });
  expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
});
