import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { PaymentScene } from "../../support/payments/payment-scene.ts";
import { signLikeWallet } from "../../support/payments/wallet-gateway.ts";

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

type Created = {
  readonly ok: boolean;
  readonly order: Record<string, unknown> & { readonly order_no: string; readonly status: string };
  readonly claim_code: string | null;
  readonly dry_run: boolean;
  readonly request: { readonly path: string; readonly fields: Record<string, unknown>; readonly body: string } | null;
  readonly checkout_url: string | null;
};

const walletPath = "/backend/payment/walletpay/create/";
const cardPath = "/backend/payment/cardpay/create/";
const created = async (answer: Response): Promise<Created> => {
  expect(answer.status).toBe(200);
  return (await answer.json()) as Created;
};
const orders = async (): Promise<bigint> => {
  const [row] = await scene.billing.db.sql<{ count: bigint }>`select count(*) from sales_order`;
  return row?.count ?? -1n;
};

describe("at the wallet gateway", () => {
  test("a dry run places a pending order and shows the signed request without sending it", async () => {
    const sent = scene.wallet.requests.length;
    const order = { plan_code: "credit", vendor: "alipay", dry_run: true };
    const shown = await created(await scene.postJson(walletPath, order));
    expect(shown).toMatchObject({
      ok: true,
      dry_run: true,
      checkout_url: null,
      order: { status: "pending", pay_channel: "walletpay", vendor: "alipay", amount_usd: "10.00", currency: "USD" },
    });
    const fields = {
      merchantNo: "200043",
      storeNo: "300014",
      amount: "10.00",
      currency: "USD",
      settleCurrency: "USD",
      vendor: "alipay",
      terminal: "ONLINE",
      reference: shown.order.order_no,
      ipnUrl: "https://sluice.example/backend/payment/walletpay/ipn/",
      callbackUrl: `https://sluice.example/console/billing/?order_no=${shown.order.order_no}`,
      timeout: "120",
      description: "Credit",
    };
    expect(shown.request?.fields).toEqual(signLikeWallet(fields));
    expect(Object.fromEntries(new URLSearchParams(shown.request?.body))).toEqual(signLikeWallet(fields));
    expect(scene.wallet.requests).toHaveLength(sent);
  });

  test("a gateway that is switched off takes no new order, and an order that is open there is still settled", async () => {
    const buyer = await scene.billing.addBuyer();
    const order = await scene.billing.placeFor(buyer);
    const before = await orders();
    scene.switchedOff.add("walletpay").add("cardpay");
    const refused = [
      await scene.postJson(walletPath, { plan_code: "credit", vendor: "alipay" }),
      await scene.postJson(walletPath, { plan_code: "credit", vendor: "alipay", dry_run: true }),
      await scene.postJson(cardPath, { plan_code: "credit", vendor: "cardpay_card" }),
    ];
    const taken = await scene.postNotice(scene.wallet.pay(order.orderNo));
    scene.switchedOff.clear();
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(await orders()).toBe(before);
    expect([taken.status, await taken.text()]).toEqual([200, "success"]);
    expect(await scene.billing.order(order.orderNo)).toMatchObject({ status: "settled" });
  });

  test("is asked for the amount that the buyer chose, and for no other", async () => {
    const chosen = { plan_code: "any", amount_usd: "37.5", vendor: "alipay" };
    const { order } = await created(await scene.postJson(walletPath, chosen));
    expect(order).toMatchObject({ amount_usd: "37.50", quota: 20_625_000 });
    expect(scene.wallet.requests.at(-1)?.fields).toMatchObject({ reference: order.order_no, amount: "37.50" });
    const before = await orders();
    expect((await scene.postJson(walletPath, { ...chosen, amount_usd: "37.51" })).status).toBe(400);
    expect((await scene.postJson(cardPath, { plan_code: "any", vendor: "cardpay_card" })).status).toBe(400);
    expect(await orders()).toBe(before);
  });

  test("an order is opened there, and the payer is sent to its page", async () => {
    const opened = await created(await scene.postJson(walletPath, { plan_code: "credit", vendor: "wechatpay" }));
    expect(opened.checkout_url).toBe(`${scene.wallet.url}/cashier/${opened.order.order_no}`);
    expect(scene.wallet.requests.at(-1)).toMatchObject({
      path: "/online/v3/secure-pay",
      fields: { reference: opened.order.order_no, vendor: "wechatpay" },
    });
  });

  test("the same idempotency key gives the same order", async () => {
    const order = { plan_code: "credit", vendor: "alipay", dry_run: true };
    const headers = { "idempotency-key": "checkout-key-1" };
    const first = await created(await scene.postJson(walletPath, order, headers));
    const again = await created(await scene.postJson(walletPath, order, headers));
    expect(again.order.order_no).toBe(first.order.order_no);
    expect(again.claim_code).toBeNull();
    const inBody = await created(await scene.postJson(walletPath, { ...order, idempotency_key: "checkout-key-1" }));
    expect(inBody.order.order_no).toBe(first.order.order_no);
    const two = await scene.postJson(walletPath, { ...order, idempotency_key: "checkout-key-2" }, headers);
    expect(two.status).toBe(400);
    const other = await scene.postJson(walletPath, { ...order, vendor: "paypal" }, headers);
    expect(other.status).toBe(422);
  });

  test("one idempotency key opens one checkout: a repetition is refused while it opens and gets the same one afterwards", async () => {
    const order = { plan_code: "credit", vendor: "alipay", idempotency_key: "checkout-key-live" };
    const [isAsked, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    scene.wallet.override = async () => {
      isAsked.resolve();
      await mayAnswer.promise;
      return Response.json({ ret_code: "000100", result: { cashierUrl: "https://cashier.example.org/one" } });
    };
    const first = scene.postJson(walletPath, order);
    await isAsked.promise;
    const meanwhile = await scene.postJson(walletPath, order);
    expect([meanwhile.status, await meanwhile.json()]).toMatchObject([409, { error: { code: "in_progress" } }]);
    mayAnswer.resolve();
    const opened = await created(await first);
    scene.wallet.override = () => new Response("nobody asks again", { status: 500 });
    expect(await created(await scene.postJson(walletPath, order))).toEqual({ ...opened, claim_code: null });
  });

  test.each([
    ["refuses", (): Response => Response.json({ ret_code: "000022", ret_msg: "no" })],
    ["responds without an address", (): Response => Response.json({ ret_code: "000100", result: {} })],
    [
      "responds with a script as the address",
      (): Response => Response.json({ ret_code: "000100", result: { cashierUrl: "javascript:alert(1)" } }),
    ],
    ["fails", (): Response => new Response("oops", { status: 500 })],
    ["redirects", (): Response => new Response(null, { status: 302, headers: { location: "http://127.0.0.1:9/" } })],
    ["responds with a page", (): Response => new Response("<html></html>")],
    ["is silent", (): Promise<Response> => new Promise(() => undefined)],
  ])("a gateway that %s is reported, and the order stays pending", async (_what, override) => {
    scene.wallet.override = override;
    const failed = await scene.postJson(walletPath, { plan_code: "credit", vendor: "alipay" });
    expect(failed.status).toBe(502);
    expect(await failed.json()).toMatchObject({ ok: false, error: { code: "payment_gateway_failed" } });
    const reference = scene.wallet.requests.at(-1)?.fields["reference"] ?? "";
    expect(await scene.billing.order(reference)).toMatchObject({ status: "pending" });
  });

  test.each([
    ["a vendor that is not offered", { plan_code: "credit", vendor: "applepay" }, 400, "invalid_value"],
    ["an unknown plan", { plan_code: "nothing", vendor: "alipay" }, 404, "not_found"],
    ["no plan", { vendor: "alipay" }, 400, "invalid_value"],
    ["an unknown field", { plan_code: "credit", vendor: "alipay", amount: "0.01" }, 400, "unknown_field"],
    ["a dry run that is a text", { plan_code: "credit", vendor: "alipay", dry_run: "no" }, 400, "invalid_value"],
    ["an invalid address", { plan_code: "credit", vendor: "alipay", email: "a@b\r\nBcc: c" }, 400, "invalid_email"],
  ])("%s places no order", async (_what, body, status, code) => {
    const before = await orders();
    const refused = await scene.postJson(walletPath, body);
    expect(refused.status).toBe(status);
    expect(await refused.json()).toMatchObject({ ok: false, error: { code } });
    expect(await orders()).toBe(before);
  });

  test("without a token nothing is placed, not even as a dry run", async () => {
    const before = await orders();
    const order = { plan_code: "credit", vendor: "alipay", dry_run: true };
    const refused = await scene.withSecrets({ "walletpay.token": undefined }, () => scene.postJson(walletPath, order));
    expect(refused.status).toBe(503);
    expect(await orders()).toBe(before);
  });
});

describe("at the card gateway", () => {
  test("a dry run needs no credentials and is what the gateway gets when it is called", async () => {
    const sent = scene.card.requests.length;
    const body = { plan_code: "monthly", vendor: "cardpay_wechat_pay", sender: "account_a" };
    const secrets = { "cardpay.account_a.secret_key": undefined };
    const shown = await created(
      await scene.withSecrets(secrets, () => scene.postJson(cardPath, { ...body, dry_run: true })),
    );
    expect(scene.card.requests).toHaveLength(sent);
    expect(shown.order).toMatchObject({ status: "pending", pay_channel: "cardpay", vendor: "cardpay_wechat_pay" });
    expect(shown.request?.path).toBe("/v1/checkout/sessions");
    const opened = await created(await scene.postJson(cardPath, body));
    const request = scene.card.requests.at(-1);
    const comparable = (fields: Record<string, string>, orderNo: string): Record<string, string> =>
      Object.fromEntries(
        Object.entries(fields)
          .filter(([name]) => name !== "expires_at")
          .map(([name, value]) => [name, value.replaceAll(orderNo, "order")]),
      );
    const form = Object.fromEntries(new URLSearchParams(shown.request?.body));
    expect(comparable(form, shown.order.order_no)).toEqual(comparable(request?.fields ?? {}, opened.order.order_no));
    expect(request).toMatchObject({
      path: "/v1/checkout/sessions",
      authorization: "Bearer sk_test_accounta0123456789",
      idempotencyKey: `checkout:${opened.order.order_no}:1`,
      fields: {
        "line_items[0][price_data][unit_amount]": "2000",
        "allowed_payment_method_types[0]": "wechat_pay",
        "payment_method_options[wechat_pay][client]": "web",
        "metadata[trade_no]": opened.order.order_no,
        "payment_intent_data[metadata][trade_no]": opened.order.order_no,
        "payment_intent_data[metadata][svc_sender]": "account_a",
        "payment_intent_data[metadata][svc_vendor]": "cardpay_wechat_pay",
        "payment_intent_data[metadata][product_id]": "monthly",
        "payment_intent_data[metadata][svc_product_id]": "monthly",
      },
    });
    expect(opened.checkout_url).toBe(`${scene.card.url}/pay/cs_test_${opened.order.order_no}`);
  });

  test("the sender is the default account unless it is named", async () => {
    const shown = await created(
      await scene.postJson(cardPath, { plan_code: "credit", vendor: "cardpay_card", dry_run: true }),
    );
    expect(shown.request?.fields["metadata"]).toMatchObject({ svc_sender: "default", svc_vendor: "cardpay_card" });
  });

  test.each([
    ["refuses the key", 401, { error: { type: "invalid_request_error", message: "Invalid API Key: sk_test_defa" } }],
    ["refuses the request", 400, { error: { type: "invalid_request_error", param: "line_items", message: "bad" } }],
    ["is overloaded", 429, { error: { type: "rate_limit_error", message: "slow down" } }],
    ["fails", 500, { error: { type: "api_error", message: "oops" } }],
    ["responds without an address", 200, { id: "cs_1", object: "checkout.session", url: null }],
  ])("a gateway that %s is reported without quoting it", async (_what, status, body) => {
    scene.card.override = () => Response.json(body, { status });
    const failed = await scene.postJson(cardPath, { plan_code: "credit", vendor: "cardpay_card" });
    expect(failed.status).toBe(502);
    const text = await failed.text();
    expect(JSON.parse(text)).toMatchObject({ error: { code: "payment_gateway_failed" } });
    expect(text).not.toContain("sk_test");
    const orderNo = scene.card.requests.at(-1)?.fields["client_reference_id"] ?? "";
    expect(await scene.billing.order(orderNo)).toMatchObject({ status: "pending" });
  });

  test("an account without a key takes no orders", async () => {
    const before = await orders();
    for (const key of [undefined, "", "pk_test_0123456789", "sk_test_"]) {
      const refused = await scene.withSecrets({ "cardpay.default.secret_key": key }, () =>
        scene.postJson(cardPath, { plan_code: "credit", vendor: "cardpay_card" }),
      );
      expect(refused.status).toBe(503);
    }
    expect(await orders()).toBe(before);
  });

  test.each([
    ["an unknown vendor", { plan_code: "credit", vendor: "cardpay_gold" }],
    ["an unknown sender", { plan_code: "credit", vendor: "cardpay_card", sender: "account_c" }],
    ["no vendor", { plan_code: "credit" }],
  ])("%s places no order", async (_what, body) => {
    const before = await orders();
    expect((await scene.postJson(cardPath, body)).status).toBe(400);
    expect(await orders()).toBe(before);
  });
});

describe("while a gateway is asked", () => {
  /** How many connections to the database are inside a transaction at this moment, besides the server's own cleaning. */
  const openTransactions = async (): Promise<number> => {
    const [row] = await scene.billing.db.sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and xact_start is not null
        and pid <> pg_backend_pid()`;
    return row?.count ?? -1;
  };

  test("no transaction is open", async () => {
    const seen: number[] = [];
    const watch = async (): Promise<Response> => {
      seen.push(await openTransactions());
      return new Response("oops", { status: 500 });
    };
    const order = await scene.billing.placeFor(await scene.billing.addBuyer());
    const notice = scene.wallet.pay(order.orderNo);
    scene.wallet.override = watch;
    scene.card.override = watch;
    await scene.postJson(walletPath, { plan_code: "credit", vendor: "alipay" });
    await scene.postJson(cardPath, { plan_code: "credit", vendor: "cardpay_card" });
    await scene.postNotice(notice);
    expect(seen).toEqual([0, 0, 0]);
  });
});
