import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { SluiceProcess, SluiceRig } from "../service/sluice.ts";
import { consoleClient } from "./console-client.ts";
import { giveToken, loginUser, type UserLogin } from "./logins.ts";

/** A user with one of everything that a user can have. Ids in their wire format. */
export type OwnedThings = {
  readonly login: UserLogin;
  readonly apiKey: string;
  readonly keyId: string;
  readonly keyUpdatedAt: string;
  /** Waits for its payment. */
  readonly orderNo: string;
  /** An anonymous order. */
  readonly openOrder: { readonly orderNo: string; readonly claimCode: string };
  readonly planCode: string;
  readonly otherSessionId: string;
  readonly tokenId: string;
  readonly messageId: string;
  /** For a call that failed at its upstream. */
  readonly requestId: string;
  readonly day: string;
};

/** Plans to order: `credit`, and two for subscriptions. */
export async function addPlans({ db }: SluiceRig): Promise<void> {
  await db.sql`
    insert into plan (plan_code, name, kind, price_usd, quota, features) values
      ('credit', 'Credit', 'wallet_balance', 10.00, 5000000, '[]'),
      ('monthly', 'Monthly', 'monthly', 20.00, 12000000, '[]'), ('small', 'Small', 'monthly', 5.00, 2000000, '[]')`;
}

/**
 * Needs a process with PAYMENT_MOCK, and the plans.
 * @param planCode of the subscription
 */
export async function addOwnedThings(
  rig: SluiceRig,
  sluice: SluiceProcess,
  planCode: "monthly" | "small",
): Promise<OwnedThings> {
  const login = await loginUser(rig, { quota: 50_000_000n });
  const own = consoleClient(sluice.url, login.cookie);
  const order = async (client: typeof own, plan: string) => {
    const { body } = await client.post("/backend/billing/order/create/", { plan_code: plan });
    return body as { order: { order_no: string }; claim_code?: string };
  };
  const paid = await order(own, planCode);
  await own.post("/backend/payment/mock-settle/", { order_no: paid.order.order_no });
  const pending = await order(own, "credit");
  const open = await order(consoleClient(sluice.url, null), "credit");
  const { body } = await own.post("/backend/keys/create/", { name: `of ${login.email}` });
  const { key, secret: apiKey } = body as { key: { key_id: number; updated_at: string }; secret: string };
  return {
    login,
    apiKey,
    keyId: String(key.key_id),
    keyUpdatedAt: key.updated_at,
    orderNo: pending.order.order_no,
    openOrder: { orderNo: open.order.order_no, claimCode: open.claim_code ?? "" },
    planCode,
    otherSessionId: await addSession(rig, login),
    tokenId: await addToken(rig, login),
    messageId: await addMessage(rig, login),
    requestId: await failingCall(sluice, apiKey),
    day: utcDay(Date.now()),
  };
}

async function addToken(rig: SluiceRig, login: UserLogin): Promise<string> {
  await giveToken(rig, login, ["usage"]);
  const [row] = await rig.db.sql<{ id: string }>`
    select max(id)::text as id from management_token where user_id = ${login.userId}::bigint`;
  return row?.id ?? "";
}

async function addSession({ db }: SluiceRig, { userId }: UserLogin): Promise<string> {
  const [row] = await db.sql<{ id: bigint }>`
    insert into session (token_hash, user_id, ip, user_agent, expires_at)
    values (sha256(${crypto.randomUUID()}::bytea), ${userId}::bigint, '127.0.0.1', 'another', now() + interval '1 day')
    returning id`;
  return String(row?.id);
}

async function addMessage({ db }: SluiceRig, { userId, email }: UserLogin): Promise<string> {
  const [row] = await db.sql<{ id: bigint }>`
    with mail as (
      insert into mail_log (dedupe_key, template, locale, user_id, to_address, source, status)
      values (${crypto.randomUUID()}, 'quota_low', 'en', ${userId}::bigint, ${email}, 'test', 'sent') returning id)
    insert into mail_inbox (user_id, mail_id, template, subject)
    select ${userId}::bigint, id, 'quota_low', ${`for ${email}`} from mail returning id`;
  return String(row?.id);
}

async function failingCall({ url }: SluiceProcess, apiKey: string): Promise<string> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }], max_tokens: 5 }),
  });
  await answer.text();
  return answer.headers.get("x-request-id") ?? "";
}
