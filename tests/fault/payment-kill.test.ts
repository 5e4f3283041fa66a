import { afterAll, beforeAll, expect, test } from "bun:test";
import { loginUser, type UserLogin } from "../support/accounts/logins.ts";
import { cardEventBody, LocalCardGateway, signLikeCard } from "../support/payments/card-gateway.ts";
import { LocalWalletGateway, walletToken } from "../support/payments/wallet-gateway.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { patienceMs } from "../support/values/patience.ts";

const rounds = process.env["TEST_FULL"] === "1" ? 50 : 3;
const sendersPerGateway = 4;
const webhookSecret = "whsec_of_the_killed_0123456789abcdef";
const wallet = new LocalWalletGateway();
const card = new LocalCardGateway();

let rig: SluiceRig;
let sluice: SluiceProcess;

const start = (): Promise<SluiceProcess> =>
  rig.startProcess({
    WALLETPAY_BASE_URL: wallet.url,
    WALLETPAY_MERCHANT_NO: "200043",
    WALLETPAY_STORE_NO: "300014",
    WALLETPAY_TOKEN: walletToken,
    CARDPAY_API_URL: card.url,
    CARDPAY_SECRET_KEY: "sk_test_0123456789abcdef",
    CARDPAY_WEBHOOK_SECRET: webhookSecret,
  });

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  await rig.db.sql`
    insert into plan (plan_code, name, kind, price_usd, quota, features)
    values ('credit', 'Credit', 'wallet_balance', 10.00, 5000000, '[]')`;
  sluice = await start();
});

afterAll(async () => {
  await rig.close();
  await wallet.stop();
  await card.stop();
});

async function place(gateway: "walletpay" | "cardpay", vendor: string, user: UserLogin): Promise<string> {
  const answer = await fetch(`${sluice.url}/backend/payment/${gateway}/create/`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: sluice.url, cookie: user.cookie },
    body: JSON.stringify({ plan_code: "credit", vendor, dry_run: true }),
  });
  const { order } = (await answer.json()) as { order: { order_no: string } };
  return order.order_no;
}

/** Sends like a gateway: until the message is acknowledged. Returns how often it was sent. */
async function sendUntilTaken(send: (url: string) => Promise<Response>): Promise<number> {
  const deadline = performance.now() + patienceMs;
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await send(sluice.url);
      await answer.text();
      if (answer.status === 200) {
        return tries;
      }
    } catch {
      // No response: the process is dead, or was killed while it responded.
    }
    if (performance.now() > deadline) {
      throw new Error(`not taken after ${tries} tries`);
    }
    await Bun.sleep(25);
  }
}

async function granted({ gatewayUserId }: UserLogin): Promise<bigint> {
  const [row] = await rig.db.sql<{ granted: bigint }>`
    select granted from budget where gateway_user_id = ${gatewayUserId}::bigint`;
  return row?.granted ?? -1n;
}

test(`a process that is killed while it takes payments credits each of them once (${rounds} rounds)`, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const users = [await loginUser(rig), await loginUser(rig)] as const;
    const notice = new URLSearchParams(wallet.pay(await place("walletpay", "alipay", users[0])));
    const event = cardEventBody({ orderNo: await place("cardpay", "cardpay_card", users[1]) });
    const sendNotice = (url: string): Promise<Response> =>
      fetch(`${url}/backend/payment/walletpay/ipn/`, { method: "POST", body: notice });
    const sendEvent = (url: string): Promise<Response> =>
      fetch(`${url}/backend/payment/cardpay/webhook/`, {
        method: "POST",
        headers: { "stripe-signature": signLikeCard(event, webhookSecret) },
        body: event,
      });
    const sending = Array.from({ length: sendersPerGateway }, () => [
      sendUntilTaken(sendNotice),
      sendUntilTaken(sendEvent),
    ]).flat();
    // From before the first statement to after the last response, a little later in every round.
    await Bun.sleep((round % 25) * 3);
    await sluice.kill();
    sluice = await start();
    await Promise.all(sending);
    expect([await granted(users[0]), await granted(users[1])]).toEqual([5_000_000n, 5_000_000n]);
    expect(await rig.checkMoney()).toEqual([]);
  }
  const [counted] = await rig.db.sql<{ payments: bigint; mails: bigint; open: bigint }>`
    select (select count(*) from payment) as payments,
      (select count(*) from mail_log where template = 'payment_success') as mails,
      (select count(*) from gateway_event where result = 'received') as open`;
  expect(counted).toEqual({ payments: BigInt(rounds * 2), mails: BigInt(rounds * 2), open: 0n });
});
