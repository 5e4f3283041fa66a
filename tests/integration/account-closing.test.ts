import { afterAll, beforeAll, expect, test } from "bun:test";
import { closeDueAccounts } from "@sluice/control-plane/accounts/closing/close-accounts.ts";
import { ClosedMarks } from "@sluice/control-plane/accounts/registration/closed-marks.ts";
import { gatewayUsers } from "@sluice/control-plane/compose/gateway-users.ts";
import { grantQuota, lockUserQuota } from "@sluice/control-plane/gateway/quota/grant-store.ts";
import { MailService } from "@sluice/control-plane/mail/service.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Transaction } from "@sluice/control-plane/platform/db.ts";
import { AccountClient } from "../support/accounts/account-client.ts";
import { type Answer, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { giveToken, loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { masterKeyBytes, type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

const password = "correct horse battery";
let rig: SluiceRig;
let sluice: SluiceProcess;
let client: AccountClient;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.start("one-process", { ROLES: "relay,gateway,backend" });
  client = new AccountClient(sluice);
});

afterAll(() => rig?.close());

type Preview = {
  balance: number;
  is_possible: boolean;
  effects: { subject: string; effect: string; count: number }[];
  closing: { requested_by: string } | null;
};

async function newUser(quota = 0n): Promise<{ email: string; cookie: string; userId: bigint; gatewayUserId: bigint }> {
  const email = `user-${crypto.randomUUID().slice(0, 8)}@example.org`;
  await client.makeUser(email, password);
  const { cookie } = await client.logIn(email, password);
  const [row] = await rig.db.sql<{ id: bigint; gateway_user_id: bigint }>`
    select id, gateway_user_id from user_profile where email = ${email}`;
  const { id: userId = 0n, gateway_user_id: gatewayUserId = 0n } = row ?? {};
  if (quota > 0n) {
    await rig.db.withTransaction((tx) => credit(tx, gatewayUserId, quota));
  }
  return { email, cookie, userId, gatewayUserId };
}

async function credit(tx: Transaction, id: bigint, amount: bigint): Promise<void> {
  const { budgetId } = await lockUserQuota(tx, id as never);
  await grantQuota(tx, { budgetId, amount, changeType: "test", reference: crypto.randomUUID() });
}

const consoleOf = ({ cookie }: { readonly cookie: string }) => consoleClient(sluice.url, cookie);
const previewIn = ({ body }: Answer): Preview => (body as unknown as { preview: Preview }).preview;
const begin = (user: { readonly cookie: string }, agreed = 0n, more = {}) =>
  consoleOf(user).post("/backend/auth/closing/begin/", { agreed_balance: agreed.toString(), password, ...more });

async function makeKey(user: { readonly cookie: string }): Promise<string> {
  const { body } = await consoleOf(user).post("/backend/keys/create/", { name: "a key" });
  return (body as unknown as { secret: string }).secret;
}

/** The status of a call with the key: 401 for one that is refused. */
async function statusOf(secret: string): Promise<number> {
  const answer = await fetch(`${sluice.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
  await answer.text();
  return answer.status;
}

/** The waiting period is over, and the job runs. */
async function closeNow(userId: bigint): Promise<void> {
  await rig.db
    .sql`update account_closing set closes_at = now() - interval '1 second' where user_id = ${userId}::bigint`;
  await runJob();
}

async function runJob(): Promise<void> {
  const masterKey = new MasterKey(masterKeyBytes);
  const mails = new MailService({ masterKey, clock: systemClock });
  await closeDueAccounts(rig.db, { mails, baseUrl: sluice.url, gatewayUsers, marks: new ClosedMarks(masterKey) });
}

const moneyFaults = async () => await rig.db.sql`select * from check_money()`;

test("a preview says what is lost and what ends, and closing it takes the password and the balance that was shown", async () => {
  const user = await newUser(700n);
  await makeKey(user);
  await giveToken(rig, { userId: user.userId as never }, ["usage"]);
  const shown = previewIn(await consoleOf(user).get("/backend/auth/closing/"));
  expect(shown).toMatchObject({ balance: 700, is_possible: true, closing: null });
  expect(shown.effects).toEqual([
    { subject: "keys", effect: "ends", count: 1 },
    { subject: "access_tokens", effect: "ends", count: 1 },
    { subject: "sessions", effect: "ends", count: 1 },
  ]);
  expect(codeOf(await begin(user, 700n, { password: "not the password" }))).toEqual([401, "invalid_credentials"]);
  expect(codeOf(await begin(user, 699n))).toEqual([409, "balance_changed"]);
  expect(codeOf(await begin(user, 700n))[0]).toBe(200);
  expect(codeOf(await begin(user, 700n))).toEqual([409, "conflict"]);
});

test("keys are refused from the beginning, and work again when it is undone; other sessions and tokens stay ended", async () => {
  const user = await newUser(500n);
  const secret = await makeKey(user);
  const { cookie: other } = await client.logIn(user.email, password);
  const token = await giveToken(rig, { userId: user.userId as never }, ["usage"]);
  const asProgram = async () =>
    (await fetch(`${sluice.url}/backend/auth/me/`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect([await statusOf(secret), await asProgram()]).toEqual([200, 200]);
  expect(codeOf(await begin(user, 500n))[0]).toBe(200);
  await waitUntil(async () => (await statusOf(secret)) !== 200);
  expect([await asProgram(), await client.me(other), await client.me(user.cookie)]).toEqual([401, 401, 200]);
  expect(codeOf(await consoleOf(user).post("/backend/auth/closing/undo/", {}))).toEqual([401, "invalid_credentials"]);
  expect(codeOf(await consoleOf(user).post("/backend/auth/closing/undo/", { password }))[0]).toBe(200);
  await waitUntil(async () => (await statusOf(secret)) === 200);
  expect([await asProgram(), await client.me(other)]).toEqual([401, 401]);
  await runJob();
  expect((await client.logIn(user.email, password)).status).toBe(200);
  const mails = await rig.db.sql<{ template: string }>`
    select template from mail_log where to_address = ${user.email} and template like 'account\\_%' order by id`;
  expect(mails.map(({ template }) => template)).toEqual(["account_closing", "account_kept"]);
});

test("when the time is over, everything that opens it is gone, the person is forgotten, and the books are kept", async () => {
  const user = await newUser(900n);
  const secret = await makeKey(user);
  await consoleOf(user).post("/backend/auth/profile/save/", { display_name: "Ada Lovelace" });
  await rig.db.sql`
    insert into user_identity (user_id, issuer, subject, email) values (${user.userId}::bigint, 'https://i.example', 'ada', ${user.email})`;
  await rig.db.sql`
    insert into passkey (user_id, name, credential_id, public_key, counter, transports, is_synced, is_backed_up, aaguid)
    values (${user.userId}::bigint, 'key', ${user.email}, '\\x00', 0, '{}', true, true, '')`;
  await rig.db.sql`
    insert into buyer_data (user_id, name, address, country) values (${user.userId}::bigint, 'Ada Lovelace', 'A street', 'GB')`;
  // Withdrawn, so that nobody else is asked to accept it.
  await rig.db.sql`
    insert into legal_text (page, locale, markdown, effective_on, version, updated_by, updated_by_name, edition)
    values ('terms', 'en', '', '2026-01-01', 1, 1, 'somebody', 1)`;
  await rig.db.sql`
    insert into legal_consent (user_id, page, edition, locale, version, way, ip)
    values (${user.userId}::bigint, 'terms', 1, 'en', 1, 'login', '203.0.113.7')`;
  await rig.db.sql`insert into import_source (instance, program) values ('shop', 'one-api')`;
  await rig.db.sql`
    insert into imported_usage (gateway_user_id, instance, day, model, calls, input_tokens, output_tokens, quota)
    values (${user.gatewayUserId}::bigint, 'shop', '2026-01-01', 'gpt-4o', 1, 2, 3, 4)`;
  await rig.db.sql`
    insert into imported_call (gateway_user_id, instance, source_id, made_at, model, key_name, input_tokens, output_tokens, quota)
    values (${user.gatewayUserId}::bigint, 'shop', '1', '2026-01-01', 'gpt-4o', 'main', 2, 3, 4)`;
  await begin(user, 900n);
  await runJob();
  expect(await client.me(user.cookie)).toBe(200);
  await closeNow(user.userId);
  expect([await client.me(user.cookie), (await client.logIn(user.email, password)).status]).toEqual([401, 401]);
  await waitUntil(async () => (await statusOf(secret)) === 401);
  const [row] = await rig.db.sql<Record<string, unknown>>`
    select email, display_name, password_hash, status,
      (select count(*)::int from user_identity where user_id = p.id) + (select count(*)::int from passkey where user_id = p.id)
        + (select count(*)::int from session where user_id = p.id) + (select count(*)::int from buyer_data where user_id = p.id)
        + (select count(*)::int from imported_usage u where u.gateway_user_id = p.gateway_user_id)
        + (select count(*)::int from imported_call c where c.gateway_user_id = p.gateway_user_id) as left_over,
      (select json_agg(json_build_array(edition, ip)) from legal_consent where user_id = p.id) as consents,
      (select sum(amount)::int from quota_grant g join budget b on b.id = g.budget_id where b.gateway_user_id = p.gateway_user_id) as balance
    from user_profile p where id = ${user.userId}::bigint`;
  expect(row).toEqual({
    // The fact stays, without the address.
    consents: [[1, null]],
    email: `closed-${user.userId}@closed.invalid`,
    display_name: null,
    password_hash: null,
    status: "closed",
    left_over: 0,
    balance: 0,
  });
  // Where the account came from still counts for free credit, but names nobody.
  const [origin] = await rig.db.sql<{ network: string }>`
    select network from user_registration where user_id = ${user.userId}::bigint`;
  expect(origin?.network).toMatch(/^closed:[A-Za-z0-9_-]{43}$/);
  const mailsTo = async () =>
    (await rig.db.sql<{ template: string }>`select template from mail_log where to_address = ${user.email}`).map(
      ({ template }) => template,
    );
  expect(await mailsTo()).toContain("account_closed");
  await rig.db.sql`update mail_log set status = 'sent' where to_address = ${user.email}`;
  await runJob();
  expect(await mailsTo()).toEqual([]);
  expect(await moneyFaults()).toEqual([]);
  // The address is free, and the new account knows nothing of the old one.
  await client.makeUser(user.email, password);
  expect((await client.logIn(user.email, password)).status).toBe(200);
  await runJob();
  const [again] = await rig.db.sql<{ closings: number }>`
    select count(*)::int as closings from audit_log where action = 'user.close' and subject_id = ${user.userId.toString()}`;
  expect(again?.closings).toBe(1);
});

test("what has to be settled first blocks it, also if it comes up while it waits", async () => {
  const user = await newUser();
  const order = (status: string) => rig.db.sql`
    insert into sales_order (order_no, plan_code, plan_name, plan_kind, quota, amount_usd, user_id, status, expires_at)
    values (${`S${crypto.randomUUID().slice(0, 10)}`}, 'p', 'p', 'wallet_balance', 5, 1, ${user.userId}::bigint, ${status}, now() + interval '1 hour')`;
  await order("pending");
  const shown = previewIn(await consoleOf(user).get("/backend/auth/closing/"));
  expect(shown).toMatchObject({ is_possible: false });
  expect(shown.effects).toContainEqual({ subject: "open_orders", effect: "blocks", count: 1 });
  expect(codeOf(await begin(user))).toEqual([409, "closing_blocked"]);
  const cancel = () => rig.db.sql`update sales_order set status = 'cancelled' where user_id = ${user.userId}::bigint`;
  await cancel();
  expect(codeOf(await begin(user))[0]).toBe(200);
  await order("pending");
  await closeNow(user.userId);
  expect(await client.me(user.cookie)).toBe(200);
  await cancel();
  await runJob();
  expect(await client.me(user.cookie)).toBe(401);
});

test("a saved method that is charged automatically has to be switched off first", async () => {
  const user = await newUser();
  await rig.db.sql`
    insert into auto_top_up (top_up_no, user_id, plan_code, plan_name, price_usd, threshold_quota, month_max_usd, account, status)
    values (${`T${user.userId}`}, ${user.userId}::bigint, 'p', 'p', 10, 5, 20, 'default', 'pending')`;
  const shown = previewIn(await consoleOf(user).get("/backend/auth/closing/"));
  expect(shown.effects).toContainEqual({ subject: "top_ups", effect: "blocks", count: 1 });
  expect(codeOf(await begin(user))).toEqual([409, "closing_blocked"]);
});

test("a balance that grew after it was agreed to is not taken", async () => {
  const user = await newUser();
  await begin(user, 0n);
  await rig.db.withTransaction((tx) => credit(tx, user.gatewayUserId, 40n));
  await closeNow(user.userId);
  expect(await client.me(user.cookie)).toBe(200);
});

test("the only owner of an organisation with others can't close the account; one that nobody else is in ends with it", async () => {
  const [owner, member] = [await newUser(), await newUser()];
  const create = async (name: string): Promise<string> => {
    const { body } = await consoleOf(owner).post("/backend/organisations/create/", { name });
    return String((body as unknown as { organisation: { organisation_id: number } }).organisation.organisation_id);
  };
  const [shared, alone] = [await create("Shared"), await create("Alone")];
  await rig.db.sql`
    insert into organisation_member (organisation_id, user_id, role) values (${shared}::bigint, ${member.userId}::bigint, 'member')`;
  const shown = previewIn(await consoleOf(owner).get("/backend/auth/closing/"));
  expect(shown.effects).toContainEqual({ subject: "shared_organisations", effect: "blocks", count: 1 });
  expect(shown.effects).toContainEqual({ subject: "own_organisations", effect: "ends", count: 1 });
  expect(codeOf(await begin(owner))).toEqual([409, "closing_blocked"]);
  await rig.db.sql`update organisation_member set role = 'owner' where user_id = ${member.userId}::bigint`;
  await rig.db.sql`
    insert into buyer_data (organisation_id, name, address, country)
    select id, 'Ada Lovelace', 'A street', 'GB' from organisation where id in (${shared}::bigint, ${alone}::bigint)`;
  await rig.db.sql`
    insert into event_target (gateway_user_id, kind, name, place, events, seal_name, access_sealed)
    select gateway_user_id, 'webhook', 'hook', 'https://ada.example/', '{key.created}', 'seal' || id, '\\x00'
    from organisation where id in (${shared}::bigint, ${alone}::bigint)`;
  expect(codeOf(await begin(owner))[0]).toBe(200);
  await closeNow(owner.userId);
  const rows = await rig.db.sql<Record<string, unknown>>`
    select o.id::text, o.name, o.status, count(m.id) filter (where m.left_at is null)::int as members,
      (select count(*)::int from event_target t where t.gateway_user_id = o.gateway_user_id) as webhooks,
      (select count(*)::int from buyer_data b where b.organisation_id = o.id) as buyers
    from organisation o left join organisation_member m on m.organisation_id = o.id
    where o.id in (${shared}::bigint, ${alone}::bigint) group by o.id order by o.id`;
  expect(rows).toEqual([
    { id: shared, name: "Shared", status: "active", members: 1, webhooks: 1, buyers: 1 },
    { id: alone, name: `closed-${alone}`, status: "suspended", members: 0, webhooks: 0, buyers: 0 },
  ]);
  expect(await moneyFaults()).toEqual([]);
});

test("an organisation of the owner makes calls again if the closing is undone while replicas still hold its balance", async () => {
  const owner = await newUser();
  const { body } = await consoleOf(owner).post("/backend/organisations/create/", { name: "Alone" });
  const { organisation_id: id } = (body as unknown as { organisation: { organisation_id: number } }).organisation;
  const lend = (quota: number) => rig.db.sql`
    update budget b set leased = ${quota} from organisation o
    where o.id = ${id}::bigint and b.gateway_user_id = o.gateway_user_id`;
  const states = async () => {
    const [row] = await rig.db.sql<{ status: string; isEnabled: boolean }>`
      select o.status, u.status = 'enabled' as "isEnabled" from organisation o
      join gateway_user u on u.id = o.gateway_user_id where o.id = ${id}::bigint`;
    return [row?.status, row?.isEnabled];
  };
  await lend(5);
  expect(codeOf(await begin(owner, 5n))[0]).toBe(200);
  await closeNow(owner.userId);
  expect([await client.me(owner.cookie), await states()]).toEqual([200, ["active", false]]);
  expect(codeOf(await consoleOf(owner).post("/backend/auth/closing/undo/", { password }))[0]).toBe(200);
  expect(await states()).toEqual(["active", true]);
  await lend(0);
});

test("an admin closes an account with a reason, its owner can't undo that, and status changes are refused meanwhile", async () => {
  const user = await newUser();
  const admin = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
  const plain = consoleClient(sluice.url, (await loginAdmin(rig, { isSuper: false })).cookie);
  const id = user.userId.toString();
  const wish = { user_id: id, agreed_balance: 0, reason: "asked for by mail" };
  expect(codeOf(await plain.post("/backend/admin/user/closing/begin/", wish))).toEqual([403, "super_admin_required"]);
  expect(codeOf(await admin.post("/backend/admin/user/closing/begin/", { ...wish, reason: "" }))[0]).toBe(400);
  expect(codeOf(await admin.post("/backend/admin/user/closing/begin/", wish))[0]).toBe(200);
  expect(await client.me(user.cookie)).toBe(401);
  const { cookie } = await client.logIn(user.email, password);
  expect(codeOf(await consoleOf({ cookie }).post("/backend/auth/closing/undo/", { password }))).toEqual([
    403,
    "forbidden",
  ]);
  const save = (status: string) => admin.post("/backend/admin/user/save/", { user_id: id, status });
  expect(codeOf(await save("suspended"))).toEqual([409, "conflict"]);
  const kept = await admin.post("/backend/admin/user/closing/undo/", { user_id: id, reason: "a mistake" });
  expect(codeOf(kept)[0]).toBe(200);
  await admin.post("/backend/admin/user/closing/begin/", wish);
  await closeNow(user.userId);
  expect(codeOf(await save("active"))).toEqual([409, "conflict"]);
  const acts = await rig.db.sql<{ action: string; reason: string | null }>`
    select action, reason from audit_log where subject_kind = 'user' and subject_id = ${id} and action like 'user.clos%' order by id`;
  expect(acts).toEqual([
    { action: "user.closing_begin", reason: "asked for by mail" },
    { action: "user.closing_undo", reason: "a mistake" },
    { action: "user.closing_begin", reason: "asked for by mail" },
    { action: "user.close", reason: null },
  ]);
});

test("the loss of a balance by an admin's hand waits for a second one", async () => {
  const user = await newUser(300n);
  await rig.db.sql`
    insert into setting (name, value, updated_by_name) values ('admin.second_person_above_usd', '5'::jsonb, 'test')`;
  const admin = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
  const wish = { user_id: user.userId.toString(), agreed_balance: 300, reason: "fraud" };
  await waitUntil(async () => "approval" in (await admin.post("/backend/admin/user/closing/begin/", wish)).body);
  const [row] = await rig.db.sql<{ closings: number }>`
    select count(*)::int as closings from account_closing where user_id = ${user.userId}::bigint`;
  expect(row?.closings).toBe(0);
});

test("access tokens neither see nor begin it", async () => {
  const { userId } = await loginUser(rig);
  const token = await giveToken(rig, { userId }, ["everything"]);
  const answer = await fetch(`${sluice.url}/backend/auth/closing/`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(403);
});
