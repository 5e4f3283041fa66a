import { afterAll, beforeAll, expect, test } from "bun:test";
import { userDetail } from "@sluice/contracts/user-admin";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import { AccountClient } from "../../support/accounts/account-client.ts";
import { loginAdmin, loginUser } from "../../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
let client: AccountClient;
let cookie: string;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.start("one-process");
  client = new AccountClient(sluice);
  cookie = (await loginAdmin(rig, { isSuper: false })).cookie;
});

afterAll(() => rig.close());

async function get(path: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const answer = await fetch(`${sluice.url}/backend/admin/${path}`, { headers: { cookie } });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const post = (path: string, fields: object) => client.post(`/backend/admin/${path}`, fields, { cookie });

test("everything about a user is in one response, and nothing about anyone else", async () => {
  const other = await loginUser(rig, { quota: 7n });
  const user = await loginUser(rig, { quota: 1_000n });
  for (const { gatewayUserId } of [other, user]) {
    await rig.db.withTransaction((tx) => createApiKey(tx, gatewayUserId, `key of ${gatewayUserId}`));
  }
  const adjustment = { gateway_user_id: Number(user.gatewayUserId), amount: 50, reason: "a present" };
  const preview = await post("manual-adjust/", { ...adjustment, idempotency_key: "present-0001", dry_run: true });
  expect(preview.body).toMatchObject({ dry_run: true, remaining_before: 1_000, remaining_after: 1_050 });
  expect((await post("manual-adjust/", { ...adjustment, idempotency_key: "present-0001" })).status).toBe(200);
  const { body } = await get(`user/detail/?user_id=${user.userId}`);
  const { ok, ...fields } = body;
  const detail = userDetail.parse(fields);
  expect(ok).toBe(true);
  expect(detail).toMatchObject({
    user: { user_id: Number(user.userId), email: user.email, remaining: 1_050, live_keys: 1 },
    balance: { granted: 1_050, remaining: 1_050, ledger: 1_050 },
    keys: { rows: [{ name: `key of ${user.gatewayUserId}` }], total: { count: 1, is_exact: true } },
    ledger: { total: { count: 2 } },
    orders: { rows: [], total: { count: 0 } },
    audit: { rows: [{ action: "quota.adjust", reason: "a present" }] },
  });
  expect(detail.sessions).toHaveLength(1);
  expect(JSON.stringify(detail)).not.toContain(other.email);
  const adjusted = await get(`manual-adjust/list/?user_id=${user.userId}`);
  expect(adjusted.body["rows"]).toMatchObject([
    {
      amount: 50,
      remaining_before: 1_000,
      remaining_after: 1_050,
      reason: "a present",
      posting_id: expect.any(Number),
    },
  ]);
  expect(await rig.checkMoney()).toEqual([]);
});

test("a user who does not exist is not found", async () => {
  expect((await get("user/detail/?user_id=999999")).status).toBe(404);
});

test("an admin ends every session of a user, and gives a reason", async () => {
  const email = "thrown-out@example.org";
  const password = "correct horse battery";
  await client.makeUser(email, password);
  const logins = [await client.logIn(email, password), await client.logIn(email, password)];
  const [row] = await rig.db.sql<{ id: bigint }>`select id from user_profile where email = ${email}`;
  const user_id = String(row?.id);
  const answer = await post("user/sessions/revoke/", { user_id, reason: "lost laptop" });
  expect(answer.body).toMatchObject({ ok: true });
  expect(await Promise.all(logins.map((login) => client.me(login.cookie)))).toEqual([401, 401]);
  const written = await get(`audit/list/?subject_kind=user&subject_id=${user_id}&action=user.sessions_revoke`);
  expect(written.body["rows"]).toMatchObject([{ reason: "lost laptop", after: { sessions: 0 } }]);
  expect((await post("user/sessions/revoke/", { user_id: "999999" })).status).toBe(404);
});

test("a user who waits for a verification gets a new link by email, which the admin does not see", async () => {
  const email = "waiting@example.org";
  const registered = await client.post("/backend/auth/register/", { email, password: "correct horse battery" });
  expect(registered.status).toBe(202);
  const [row] = await rig.db.sql<{ id: bigint }>`select id from user_profile where email = ${email}`;
  const answer = await post("user/resend-verification/", { user_id: String(row?.id) });
  expect(answer).toMatchObject({ status: 200, body: { status: "queued" } });
  expect(JSON.stringify(answer.body)).not.toContain("token");
  const mails = await get(`mail/list/?user_id=${row?.id}&template=email_verify`);
  expect(mails.body["total"]).toEqual({ count: 2, is_exact: true });
  const failedAt = "2026-01-02T03:04:05.000Z";
  await rig.db.sql`
    update mail_log set status = 'dead', last_error = 'no such mailbox', failed_at = ${failedAt}::timestamptz
    where user_id = ${row?.id ?? 0n}::bigint`;
  const failed = await get(`mail/list/?user_id=${row?.id}&has_error=true`);
  expect(failed.body["rows"]).toMatchObject(Array(2).fill({ last_error: "no such mailbox", failed_at: failedAt }));
  const verified = await loginUser(rig);
  expect((await post("user/resend-verification/", { user_id: String(verified.userId) })).status).toBe(409);
});
