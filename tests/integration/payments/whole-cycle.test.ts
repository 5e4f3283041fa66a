import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { loginAdmin, loginUser, type UserLogin } from "../../support/accounts/logins.ts";
import { cardEventBody, LocalCardGateway, signLikeCard } from "../../support/payments/card-gateway.ts";
import { LocalWalletGateway, signLikeWallet, walletToken } from "../../support/payments/wallet-gateway.ts";
import { type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";

const webhookSecret = "whsec_of_the_whole_cycle_0123456789";
const wallet = new LocalWalletGateway();
const card = new LocalCardGateway();

let rig: SluiceRig;
let sluice: SluiceProcess;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  await rig.db.sql`
    insert into plan (plan_code, name, kind, price_usd, quota, features)
    values ('credit', 'Credit', 'wallet_balance', 10.00, 5000000, '[]')`;
  sluice = await rig.startProcess({
    PUBLIC_BASE_URL: "https://sluice.example",
    WALLETPAY_BASE_URL: wallet.url,
    WALLETPAY_MERCHANT_NO: "200043",
    WALLETPAY_STORE_NO: "300014",
    // The store is asked first: what an admin saves below counts, and this never does.
    WALLETPAY_TOKEN: "a token of the environment",
    CARDPAY_API_URL: card.url,
  });
});

afterAll(async () => {
  await rig.close();
  await wallet.stop();
  await card.stop();
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${sluice.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: sluice.url, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

async function open(path: string, body: object, user: UserLogin): Promise<{ orderNo: string; url: string }> {
  const answer = await post(path, body, { cookie: user.cookie });
  expect(answer.status).toBe(200);
  const { order, checkout_url: url } = (await answer.json()) as { order: { order_no: string }; checkout_url: string };
  return { orderNo: order.order_no, url };
}

async function balance({ gatewayUserId }: UserLogin): Promise<bigint> {
  const [row] = await rig.db.sql<{ granted: bigint }>`
    select granted from budget where gateway_user_id = ${gatewayUserId}::bigint`;
  return row?.granted ?? -1n;
}

test("an admin saves the credentials, users pay at both gateways, and their quota is there", async () => {
  const admin = await loginAdmin(rig);
  const secrets = {
    "walletpay.token": walletToken,
    "cardpay.default.secret_key": "sk_test_0123456789abcdef",
    "cardpay.default.webhook_secret": webhookSecret,
  };
  for (const [name, value] of Object.entries(secrets)) {
    const saved = await post("/backend/admin/secret/save/", { name, value }, { cookie: admin.cookie });
    expect(saved.status).toBe(200);
  }

  const walletUser = await loginUser(rig);
  const shown = await post("/backend/payment/walletpay/create", {
    plan_code: "credit",
    vendor: "alipay",
    dry_run: true,
  });
  const { request } = (await shown.json()) as { request: { fields: Record<string, string> } };
  expect(signLikeWallet(request.fields)).toEqual(request.fields);
  const first = await open("/backend/payment/walletpay/create/", { plan_code: "credit", vendor: "alipay" }, walletUser);
  expect(first.url).toStartWith(wallet.url);
  const notice = new URLSearchParams(wallet.pay(first.orderNo));
  for (let delivery = 0; delivery < 2; delivery += 1) {
    const taken = await fetch(`${sluice.url}/backend/payment/walletpay/ipn/`, { method: "POST", body: notice });
    expect([taken.status, await taken.text()]).toEqual([200, "success"]);
  }
  expect(await balance(walletUser)).toBe(5_000_000n);

  const cardUser = await loginUser(rig);
  const second = await open(
    "/backend/payment/cardpay/create/",
    { plan_code: "credit", vendor: "cardpay_card" },
    cardUser,
  );
  expect(second.url).toStartWith(card.url);
  const event = cardEventBody({ orderNo: second.orderNo });
  const signature = { "stripe-signature": signLikeCard(event, webhookSecret) };
  const taken = await post("/backend/payment/cardpay/webhook/", event, signature);
  expect(await taken.json()).toMatchObject({ ok: true, received: true, result: "settled" });
  expect(await balance(cardUser)).toBe(5_000_000n);

  const forged = await post("/backend/payment/cardpay/account_a/webhook/", event, signature);
  expect(forged.status).toBe(503);
  expect(await rig.checkMoney()).toEqual([]);
  const log = sluice.log();
  expect(Object.values(secrets).filter((value) => log.includes(value))).toEqual([]);
  const [mails] = await rig.db.sql<{ count: bigint }>`select count(*) from mail_log where template = 'payment_success'`;
  expect(mails?.count).toBe(2n);
});

test("an admin refunds both payments, and what the gateway reports about that afterwards changes nothing", async () => {
  const admin = await loginAdmin(rig);
  const orders = await rig.db.sql<{ order_no: string; gateway: string; transaction_id: string }>`
    select o.order_no, p.gateway, p.transaction_id from payment p join sales_order o on o.id = p.order_id`;
  expect(orders.map(({ gateway }) => gateway).toSorted()).toEqual(["cardpay", "walletpay"]);
  for (const { order_no: orderNo } of orders) {
    const asked = { order_no: orderNo, reason: "not wanted", idempotency_key: `refund-${orderNo}` };
    for (let time = 0; time < 2; time += 1) {
      const answer = await post("/backend/admin/refund/create/", asked, { cookie: admin.cookie });
      expect(await answer.json()).toMatchObject({ ok: true, refund: { status: "done", amount_usd: "10.00" } });
    }
  }
  const paid = orders.find(({ gateway }) => gateway === "cardpay");
  expect(card.refunds.get(paid?.transaction_id ?? "")).toHaveLength(1);
  expect(wallet.refunds.size).toBe(1);
  const intent = { object: "charge", payment_intent: paid?.transaction_id };
  const event = cardEventBody({ orderNo: paid?.order_no ?? "", type: "charge.refunded", intent });
  const told = await post("/backend/payment/cardpay/webhook/", event, {
    "stripe-signature": signLikeCard(event, webhookSecret),
  });
  expect(await told.json()).toMatchObject({ received: true, result: "ignored" });
  const states = await rig.db.sql<{ status: string; review_reason: string | null }>`
    select distinct status, review_reason from sales_order where status <> 'pending'`;
  expect([...states]).toEqual([{ status: "refunded", review_reason: null }]);
  const [left] = await rig.db.sql<{ granted: string }>`select sum(granted)::text as granted from budget`;
  expect(left?.granted).toBe("0");
  expect(await rig.checkMoney()).toEqual([]);
});

describe("a gateway message that was not processed", () => {
  type Event = { readonly gateway_event_id: number; readonly result: string } & Record<string, unknown>;

  const listed = async (cookie: string, orderNo: string): Promise<Event> => {
    const answer = await fetch(`${sluice.url}/backend/admin/gateway-event/list/?order_no=${orderNo}`, {
      headers: { cookie },
    });
    const { rows } = (await answer.json()) as { rows: Event[] };
    expect(rows).toHaveLength(1);
    return rows[0] as Event;
  };
  /** The time passes in which a message is not processed again. */
  const waited = (id: number) =>
    rig.db.sql`update gateway_event set tried_at = now() - interval '11 seconds' where id = ${id}::bigint`;
  const replay = (cookie: string, id: number) =>
    post("/backend/admin/gateway-event/replay/", { gateway_event_id: id }, { cookie });

  test("is processed again by an admin like its first delivery, and credits once", async () => {
    const [{ cookie }, user] = [await loginAdmin(rig), await loginUser(rig)];
    const { orderNo } = await open(
      "/backend/payment/walletpay/create/",
      { plan_code: "credit", vendor: "alipay" },
      user,
    );
    const notice = wallet.pay(orderNo);
    wallet.override = () => new Response("busy", { status: 500 });
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const delivered = await post("/backend/payment/walletpay/ipn/", new URLSearchParams(notice).toString(), form);
    expect(delivered.status).toBe(503);
    const open_ = await listed(cookie, orderNo);
    const paid = { meaning: "paid", amount_usd: "10.00", currency: "USD", transaction_id: notice["transactionNo"] };
    const failed = { result: "received", last_error: "temporarily_unavailable", tries: 1, is_open: true };
    expect(open_).toMatchObject({ gateway: "walletpay", order_status: "pending", ...paid, ...failed });
    const kept = await rig.db.sql<{ text: string }>`select to_jsonb(e)::text as text from gateway_event e`;
    expect(kept.filter(({ text }) => text.includes(notice["verifySign"] ?? "none"))).toEqual([]);

    const id = open_.gateway_event_id;
    expect((await replay(cookie, id)).status).toBe(429);
    await waited(id);
    expect((await replay(cookie, id)).status).toBe(503);
    expect(await listed(cookie, orderNo)).toMatchObject({ ...failed, tries: 2 });

    wallet.override = null;
    await waited(id);
    const answers = await Promise.all(Array.from({ length: 6 }, () => replay(cookie, id)));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(await balance(user)).toBe(5_000_000n);
    const settled = { result: "settled", order_status: "settled", last_error: null, is_open: false, tries: 3 };
    expect(await listed(cookie, orderNo)).toMatchObject(settled);

    await waited(id);
    expect(await (await replay(cookie, id)).json()).toMatchObject({ result: "settled", is_new: false });
    expect([await balance(user), await rig.checkMoney()]).toEqual([5_000_000n, []]);
    const audits = await rig.db.sql<{ before: unknown; after: Record<string, unknown> }>`
      select before, after from audit_log where action = 'gateway_event.replay' and subject_id = ${String(id)}`;
    expect(audits).toHaveLength(2);
    expect(audits[0]).toMatchObject({ before: { result: "received" }, after: { orderNo, gateway: "walletpay" } });
  });

  test("as it came before its payment marks that order, and is known as done when it is processed again", async () => {
    const [{ cookie }, user] = [await loginAdmin(rig), await loginUser(rig)];
    const { orderNo } = await open(
      "/backend/payment/cardpay/create/",
      { plan_code: "credit", vendor: "cardpay_card" },
      user,
    );
    const tell = async (type: string, metadata: object): Promise<unknown> => {
      const paymentId = `pi_${orderNo}`;
      const body = cardEventBody({ orderNo, paymentId, type, intent: { payment_intent: paymentId, metadata } });
      const signature = { "stripe-signature": signLikeCard(body, webhookSecret) };
      return ((await (await post("/backend/payment/cardpay/webhook/", body, signature)).json()) as { result: unknown })
        .result;
    };
    expect(await tell("charge.dispute.created", {})).toBe("unknown_order");
    expect(await tell("payment_intent.succeeded", { trade_no: orderNo })).toBe("review");
    const [event] = await rig.db.sql<{ id: bigint; result: string }>`
      select id, result from gateway_event where kind = 'charge.dispute.created' order by id desc limit 1`;
    expect(event?.result).toBe("flagged");
    expect(await (await replay(cookie, Number(event?.id))).json()).toMatchObject({ result: "flagged", is_new: false });
    const [order] = await rig.db.sql<{ reason: string }>`
      select review_reason as reason from sales_order where order_no = ${orderNo}`;
    expect(order?.reason).toBe("gateway_reversal: charge.dispute.created");
  });

  test("does not count as real money if its account was a test account then", async () => {
    const admin = await loginAdmin(rig);
    const orderNo = "S-tried-out";
    const said = cardEventBody({ orderNo });
    const headers = { "stripe-signature": signLikeCard(said, webhookSecret) };
    expect(await (await post("/backend/payment/cardpay/webhook/", said, headers)).json()).toMatchObject({
      result: "unknown_order",
    });
    await rig.db.sql`
      insert into sales_order (order_no, plan_code, plan_name, plan_kind, quota, amount_usd, currency, email, pay_channel,
        sender, status, expires_at)
      select ${orderNo}, plan_code, name, kind, quota, price_usd, 'USD', 'new@example.org', 'cardpay', 'default', 'pending',
        now() + interval '1 hour' from plan where plan_code = 'credit'`;
    const { gateway_event_id: id } = await listed(admin.cookie, orderNo);
    const secret = { name: "cardpay.default.secret_key", value: "sk_live_0123456789abcdef" };
    expect((await post("/backend/admin/secret/save/", secret, { cookie: admin.cookie })).status).toBe(200);
    await waited(id);
    expect(await (await replay(admin.cookie, id)).json()).toMatchObject({ result: "wrong_mode" });
    expect(await listed(admin.cookie, orderNo)).toMatchObject({ order_status: "pending", is_open: false });
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("is refused without stored content, and so is one that does not exist", async () => {
    const { cookie } = await loginAdmin(rig);
    const [old] = await rig.db.sql<{ id: bigint }>`
      insert into gateway_event (gateway, account, event_id, kind, body_hash, result)
      values ('cardpay', 'default', 'evt_old', 'payment_intent.succeeded', '\\x00', 'received') returning id`;
    expect((await replay(cookie, Number(old?.id))).status).toBe(409);
    expect((await replay(cookie, 99_999_999)).status).toBe(404);
  });
});
