import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { SluiceProcess, SluiceRig } from "../service/sluice.ts";
import { allowOwnPayloads, untilTraced } from "../trace/own-payload-scene.ts";
import { type ConsoleClient, consoleClient } from "./console-client.ts";
import { giveToken, loginUser, type UserLogin } from "./logins.ts";
import { askAs, makeKey, makeProject } from "./organisation-scene.ts";

/** A user with one of everything that a user can have. Ids in their wire format. */
export type OwnedThings = {
  readonly login: UserLogin;
  readonly apiKey: string;
  readonly keyId: string;
  readonly keyUpdatedAt: string;
  /** Waits for its payment. */
  readonly orderNo: string;
  /** A paid order, which has an invoice if the operator issues them. */
  readonly paidOrderNo: string;
  /** An anonymous order. */
  readonly openOrder: { readonly orderNo: string; readonly claimCode: string };
  readonly planCode: string;
  /** A subscription that was never paid. */
  readonly renewalNo: string;
  readonly otherSessionId: string;
  readonly tokenId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  /** A linked account at another service. */
  readonly signInId: string;
  readonly passkeyId: string;
  readonly messageId: string;
  /** For a call that failed at its upstream. */
  readonly requestId: string;
  readonly day: string;
  readonly organisation: OwnedOrganisation;
};

/** An organisation that the user owns, with a call by one of its keys. */
export type OwnedOrganisation = {
  readonly organisationId: string;
  readonly memberId: string;
  readonly projectId: string;
  readonly invitationId: string;
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
  await allowOwnPayloads(rig, own);
  await own.post("/backend/usage/payload/reading/save/", { is_on: true });
  const requestId = await failingCall(sluice, apiKey);
  await untilTraced(rig, requestId);
  const organisation = await addOrganisation(sluice, login);
  await addTimes(rig);
  return {
    login,
    apiKey,
    keyId: String(key.key_id),
    keyUpdatedAt: key.updated_at,
    orderNo: pending.order.order_no,
    paidOrderNo: paid.order.order_no,
    openOrder: { orderNo: open.order.order_no, claimCode: open.claim_code ?? "" },
    planCode,
    renewalNo: await addRenewal(rig, login, planCode),
    otherSessionId: await addSession(rig, login),
    tokenId: await addToken(rig, login),
    ...(await addWebhook(own)),
    signInId: await addSignIn(rig, login),
    passkeyId: await addPasskey(rig, login),
    messageId: await addMessage(rig, login),
    requestId,
    day: utcDay(Date.now()),
    organisation,
  };
}

/** How long a call of each key took, as the sums have it. */
async function addTimes(rig: SluiceRig): Promise<void> {
  await rig.db.sql`
    insert into usage_key_performance (api_key_id, starts_at, model, kind, bucket, calls, output_tokens, output_ms)
    select id, date_trunc('day', now(), 'UTC'), 'gpt-4o-mini', 'total', 40, 1, 0, 0 from api_key
    on conflict do nothing`;
}

async function addOrganisation(sluice: SluiceProcess, login: UserLogin): Promise<OwnedOrganisation> {
  const { url } = sluice;
  const made = await askAs(url, login, "/backend/organisations/create/", { body: { name: `of ${login.email}` } });
  const { organisation_id: id, member_id } = made.body["organisation"] as Record<string, number>;
  const organisation = BigInt(id ?? 0);
  const projectId = await makeProject(url, { id: organisation, owner: login }, "A project", null);
  const guest = { email: `guest-of-${login.email}`, role: "member" };
  const invited = await askAs(url, login, "/backend/organisations/invite/", { body: guest, organisation });
  const { invitation_id } = invited.body["invitation"] as Record<string, number>;
  const key = await makeKey(url, login, organisation, { project_id: Number(projectId) });
  await failingCall(sluice, key.secret);
  return {
    organisationId: String(id),
    memberId: String(member_id),
    projectId: String(projectId),
    invitationId: String(invitation_id),
  };
}

async function addToken(rig: SluiceRig, login: UserLogin): Promise<string> {
  await giveToken(rig, login, ["usage"]);
  const [row] = await rig.db.sql<{ id: string }>`
    select max(id)::text as id from management_token where user_id = ${login.userId}::bigint`;
  return row?.id ?? "";
}

/** Nobody listens at its address. */
export const webhookUrl = "https://127.0.0.1:9/";

async function addWebhook(own: ConsoleClient): Promise<{ webhookId: string; deliveryId: string }> {
  const wish = { name: "deploy", url: webhookUrl, events: ["key.created"] };
  const { body } = await own.post("/backend/webhooks/create/", wish);
  const { target_id } = (body as { target: { target_id: number } }).target;
  const sent = await own.post("/backend/webhooks/test/", { target_id });
  return { webhookId: String(target_id), deliveryId: String(sent.body["delivery_id"]) };
}

async function addSignIn({ db }: SluiceRig, { userId }: UserLogin): Promise<string> {
  const [row] = await db.sql<{ id: string }>`
    insert into user_identity (user_id, issuer, subject, email)
    values (${userId}::bigint, 'https://issuer.example', ${crypto.randomUUID()}, 'elsewhere@example.org')
    returning id::text as id`;
  return row?.id ?? "";
}

async function addPasskey({ db }: SluiceRig, { userId }: UserLogin): Promise<string> {
  const [row] = await db.sql<{ id: string }>`
    insert into passkey (user_id, name, credential_id, public_key, counter, transports, is_synced, is_backed_up, aaguid)
    values (${userId}::bigint, 'Laptop', ${crypto.randomUUID()}, sha256('a key'::bytea), 0, '{}', true, true, '')
    returning id::text as id`;
  return row?.id ?? "";
}

async function addRenewal({ db }: SluiceRig, { userId }: UserLogin, planCode: string): Promise<string> {
  const [row] = await db.sql<{ renewal_no: string }>`
    insert into renewal (renewal_no, user_id, plan_code, plan_name, price_usd, quota, account, status)
    values (${`P${crypto.randomUUID().replaceAll("-", "").slice(0, 26).toUpperCase()}`}, ${userId}::bigint,
      ${planCode}, ${planCode}, 5, 2000000, 'default', 'abandoned')
    returning renewal_no`;
  return row?.renewal_no ?? "";
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
    headers: { authorization: `Bearer ${apiKey}`, "x-sluice-tags": "team=search", "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }], max_tokens: 5 }),
  });
  await answer.text();
  return answer.headers.get("x-request-id") ?? "";
}
