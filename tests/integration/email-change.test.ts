import { afterAll, beforeAll, expect, test } from "bun:test";
import { AccountClient } from "../support/accounts/account-client.ts";
import { codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { giveToken } from "../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

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

const freshEmail = (): string => `user-${crypto.randomUUID().slice(0, 8)}@example.org`;

async function newUser(): Promise<{ email: string; cookie: string; userId: bigint }> {
  const email = freshEmail();
  await client.makeUser(email, password);
  const { cookie } = await client.logIn(email, password);
  const [row] = await rig.db.sql<{ id: bigint }>`select id from user_profile where email = ${email}`;
  return { email, cookie, userId: row?.id ?? 0n };
}

const change = (cookie: string, email: string, proof: object = { password }) =>
  consoleClient(sluice.url, cookie).post("/backend/auth/email/change/", { email, ...proof });

/** The token of the newest link of this kind, which only the mail has: its digest is replaced by that of a known one. */
async function tokenOf(userId: bigint, purpose: string): Promise<string> {
  const token = `token-${crypto.randomUUID()}`;
  const rows = await rig.db.sql`
    update account_token set token_hash = sha256(${token}::bytea)
    where id = (select max(id) from account_token where user_id = ${userId}::bigint and purpose = ${purpose} and used_at is null)
    returning id`;
  expect(rows.length).toBe(1);
  return token;
}

const press = (token: string) => client.postForm("/verify-email/", { token });
const statusOf = async (email: string, typed = password) => (await client.logIn(email, typed)).status;

async function mailsTo(address: string): Promise<string[]> {
  const rows = await rig.db.sql<{ template: string }>`
    select template from mail_log where to_address = ${address} and template like 'email_change%' order by id`;
  return rows.map(({ template }) => template);
}

test("the address changes when the link to the new one is used, and the old one gets an e-mail", async () => {
  const { email, cookie, userId } = await newUser();
  const next = freshEmail();
  expect(codeOf(await change(cookie, next, {}))).toEqual([401, "invalid_credentials"]);
  expect(codeOf(await change(cookie, "no address"))).toEqual([400, "invalid_email"]);
  expect(codeOf(await change(cookie, next))[0]).toBe(202);
  expect([await statusOf(email), await statusOf(next)]).toEqual([200, 401]);
  const token = await tokenOf(userId, "email_change");
  const page = await client.get(`/verify-email/?token=${token}`);
  expect(page.text).toContain("use this address for your account");
  expect((await press(token)).headers.get("location")).toBe("/login/?notice=changed");
  expect([await statusOf(email), await statusOf(next)]).toEqual([401, 200]);
  expect((await press(token)).status).toBe(400);
  expect([await mailsTo(next), await mailsTo(email)]).toEqual([["email_change"], ["email_changed"]]);
  const [act] = await rig.db.sql<{ before: object; after: object }>`
    select before, after from audit_log where action = 'user.email_change' order by id desc limit 1`;
  expect(act).toEqual({ before: { email }, after: { email: next } });
});

test("an address that somebody has is answered alike, gets no mail, and is refused if it was taken meanwhile", async () => {
  const [owner, user] = [await newUser(), await newUser()];
  expect(codeOf(await change(user.cookie, owner.email.toUpperCase().replace("@EXAMPLE.ORG", "@example.org")))[0]).toBe(
    202,
  );
  expect(await mailsTo(owner.email)).toEqual([]);
  const next = freshEmail();
  await change(user.cookie, next);
  const token = await tokenOf(user.userId, "email_change");
  await client.makeUser(next, password);
  expect((await press(token)).status).toBe(400);
  expect(await statusOf(user.email)).toBe(200);
});

test("a newer link voids an older one, and a link that is too old does nothing", async () => {
  const { cookie, userId } = await newUser();
  await change(cookie, freshEmail());
  const older = await tokenOf(userId, "email_change");
  await change(cookie, freshEmail());
  expect((await press(older)).status).toBe(400);
  const token = await tokenOf(userId, "email_change");
  await rig.db.sql`update account_token set expires_at = now() where user_id = ${userId}::bigint`;
  expect((await press(token)).status).toBe(400);
});

test("the link to the old address brings it back and ends every way in, even if a stranger has registered it", async () => {
  const { email, cookie, userId } = await newUser();
  const next = freshEmail();
  await change(cookie, next);
  await press(await tokenOf(userId, "email_change"));
  await rig.db.sql`
    insert into user_identity (user_id, issuer, subject, email) values (${userId}::bigint, 'https://i.example', ${email}, null)`;
  await client.post("/backend/auth/register/", { email, password: "a stranger's password" });
  const undo = await tokenOf(userId, "email_undo");
  expect((await client.get(`/verify-email/?token=${undo}`)).text).toContain("give your account this address back");
  expect((await press(undo)).headers.get("location")).toBe("/login/?notice=undone");
  expect([await client.me(cookie), await statusOf(email), await statusOf(next)]).toEqual([401, 401, 401]);
  const [row] = await rig.db.sql<{ email: string; links: number }>`
    select email, (select count(*)::int from user_identity where user_id = p.id) as links from user_profile p where id = ${userId}::bigint`;
  expect(row).toEqual({ email, links: 0 });
  await client.post("/backend/auth/password-reset/request/", { email });
  const reset = await tokenOf(userId, "password_reset");
  await client.post("/backend/auth/password-reset/confirm/", { token: reset, password: "another battery horse" });
  expect(await statusOf(email, "another battery horse")).toBe(200);
});

test("an authenticator that was set up after the change is gone, an older one stays, and the owner gets an e-mail", async () => {
  for (const isOwners of [true, false]) {
    const { email, cookie, userId } = await newUser();
    const setUp = (when: string) =>
      rig.db.query(`update user_profile set totp_sealed = '\\x00', totp_enabled_at = ${when} where id = $1::bigint`, [
        userId,
      ]);
    if (isOwners) {
      await setUp("now()");
      await rig.db.sql`
        insert into account_token (user_id, purpose, token_hash, address, expires_at)
        values (${userId}::bigint, 'email_change', sha256(${email}::bytea), ${freshEmail()}, now() + interval '1 hour')`;
    } else {
      await change(cookie, freshEmail());
    }
    await press(await tokenOf(userId, "email_change"));
    if (!isOwners) {
      await setUp("now()");
    }
    await giveToken(rig, { userId: userId as never }, ["everything"]);
    await rig.db.sql`
      insert into recovery_code (user_id, code_hash) values (${userId}::bigint, sha256(${`thief of ${email}`}::bytea))`;
    expect((await press(await tokenOf(userId, "email_undo"))).status).toBe(303);
    const [row] = await rig.db.sql<Record<string, unknown>>`
      select totp_enabled_at is not null as has_authenticator,
        (select count(*)::int from recovery_code where user_id = p.id) as codes,
        (select count(*)::int from management_token where user_id = p.id and revoked_at is null) as tokens
      from user_profile p where id = ${userId}::bigint`;
    expect(row).toEqual({ has_authenticator: isOwners, codes: 0, tokens: 0 });
    const [mail] = await rig.db.sql<{ template: string }>`
      select template from mail_log where to_address = ${email} order by id desc limit 1`;
    expect(mail?.template).toBe("email_restored");
    const [entry] = await rig.db.sql<{ after: object }>`
      select after from audit_log where action = 'user.email_undo' and subject_id = ${userId.toString()}`;
    expect(entry?.after).toMatchObject({ removedAuthenticator: !isOwners });
  }
});

test("once the owner has the address back, no address that a thief gave the account can be brought back", async () => {
  const { email, cookie, userId } = await newUser();
  const [first, second] = [freshEmail(), freshEmail()];
  await change(cookie, first);
  await press(await tokenOf(userId, "email_change"));
  const ofOwner = await tokenOf(userId, "email_undo");
  await change(cookie, second);
  await press(await tokenOf(userId, "email_change"));
  const ofThief = await tokenOf(userId, "email_undo");
  expect((await press(ofOwner)).status).toBe(303);
  expect((await press(ofThief)).status).toBe(400);
  const [row] = await rig.db.sql<{ email: string }>`select email from user_profile where id = ${userId}::bigint`;
  expect(row?.email).toBe(email);
});

test("an owner who changed the address before a thief did can still bring the first one back", async () => {
  const { email, cookie, userId } = await newUser();
  const own = freshEmail();
  await change(cookie, own);
  await press(await tokenOf(userId, "email_change"));
  const first = await tokenOf(userId, "email_undo");
  await change(cookie, freshEmail());
  await press(await tokenOf(userId, "email_change"));
  expect((await press(await tokenOf(userId, "email_undo"))).status).toBe(303);
  expect((await press(first)).status).toBe(303);
  const [row] = await rig.db.sql<{ email: string }>`select email from user_profile where id = ${userId}::bigint`;
  expect(row?.email).toBe(email);
});

test("a suspended user's link does nothing, and access tokens can't change the address", async () => {
  const { email, cookie, userId } = await newUser();
  await change(cookie, freshEmail());
  const link = await tokenOf(userId, "email_change");
  const token = await giveToken(rig, { userId: userId as never }, ["everything"]);
  const asProgram = await fetch(`${sluice.url}/backend/auth/email/change/`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ email: freshEmail(), password }),
  });
  expect(asProgram.status).toBe(403);
  await rig.db.sql`update user_profile set status = 'suspended' where id = ${userId}::bigint`;
  expect((await press(link)).status).toBe(400);
  const [row] = await rig.db.sql<{ email: string }>`select email from user_profile where id = ${userId}::bigint`;
  expect(row?.email).toBe(email);
});
