import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import { readSecret } from "@sluice/control-plane/admin/secrets/service.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Queryable } from "@sluice/control-plane/platform/db.ts";
import { type Answer, type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin, loginUser, type UserLogin } from "../support/accounts/logins.ts";
import { runBothBehind } from "../support/postgres/held-lock.ts";
import { masterKeyBytes, type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

type Admin = { readonly id: bigint; readonly username: string; readonly client: ConsoleClient };
type Setting = { readonly name: string; readonly value: unknown; readonly version: number };
type Approval = { readonly approval_id: number; readonly status: string; readonly effects: Record<string, string> };

const threshold = "admin.second_person_above_usd";
const why = { reason: "agreed by phone" };
let rig: SluiceRig;
let sluice: SluiceProcess;
let asker: Admin;
let second: Admin;
let user: UserLogin;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.startProcess();
  user = await loginUser(rig);
});

afterAll(() => rig.close());

beforeEach(async () => {
  asker = await admin();
  second = await admin();
  expect((await save(asker, threshold, 50)).status).toBe(200);
});

/** Two people switch it off again. What waits is mailed to each super-admin, so that those of one test are not left to the next. */
afterEach(async () => {
  const [one, other] = [await admin(), await admin()];
  expect((await decide(other, await save(one, threshold, 0))).status).toBe(200);
  await rig.db.sql`update shared_admin_credentials set email = null`;
});

async function admin(kind: { isSuper?: boolean } = {}): Promise<Admin> {
  const { adminId: id, username, cookie } = await loginAdmin(rig, kind);
  await rig.db.sql`update shared_admin_credentials set email = username || '@example.org' where id = ${id}::bigint`;
  return { id, username, client: consoleClient(sluice.url, cookie) };
}

async function setting(name: string): Promise<Setting> {
  const { body } = await asker.client.get("/backend/admin/settings/list/");
  const found = (body["settings"] as Setting[]).find((each) => each.name === name);
  if (found === undefined) {
    throw new Error(`there is no setting ${name}`);
  }
  return found;
}

async function save({ client }: Admin, name: string, value: unknown): Promise<Answer> {
  const { version } = await setting(name);
  return await client.post("/backend/admin/settings/save/", { name, value, version });
}

const approvalOf = ({ body }: Answer): Approval => body["approval"] as Approval;

const decide = ({ client }: Admin, waiting: Answer, decision = "approve"): Promise<Answer> =>
  client.post("/backend/admin/approval/decide/", { approval_id: approvalOf(waiting).approval_id, decision, ...why });

function expectWaits(answer: Answer, effects: Record<string, string>): void {
  expect(answer).toMatchObject({ status: 200, body: { approval: { status: "pending", effects } } });
}

async function agentOf({ id }: Admin): Promise<number> {
  const [row] = await rig.db.sql<{ agent: number }>`
    select agent from shared_admin_credentials where id = ${id}::bigint`;
  return row?.agent ?? -1;
}

async function setAgent({ id }: Admin, agent: number): Promise<void> {
  await rig.db.sql`update shared_admin_credentials set agent = ${agent}::int where id = ${id}::bigint`;
}

/** Asks for other rights of somebody, as they were read just now. */
async function askForRights({ client }: Admin, { id }: Admin, agent: number): Promise<Answer> {
  const [row] = await rig.db.sql<{ updated_at: Date }>`
    select updated_at from shared_admin_credentials where id = ${id}::bigint`;
  const input = { admin_id: Number(id), agent, updated_at: row?.updated_at.toISOString(), ...why };
  return await client.post("/backend/admin/admin/save/", input);
}

const newAdmin = (agent: number) => {
  const username = `new-${crypto.randomUUID().slice(0, 8)}`;
  return { username, email: `${username}@example.org`, agent, ...why };
};

async function countOf(username: string): Promise<bigint> {
  const [row] = await rig.db.sql<{ count: bigint }>`
    select count(*) as count from shared_admin_credentials where username = ${username}`;
  return row?.count ?? -1n;
}

describe("one super-admin can't act as two", () => {
  test("by creating another, who exists and gets a link once a second one has approved", async () => {
    for (const agent of [1, 2]) {
      const made = newAdmin(agent);
      const waiting = await asker.client.post("/backend/admin/admin/create/", made);
      expectWaits(waiting, { username: made.username, email: made.email });
      expect(await countOf(made.username)).toBe(0n);
      expect(codeOf(await decide(asker, waiting))).toEqual([409, "self_forbidden"]);
      expect((await decide(second, waiting)).status).toBe(200);
      expect(await countOf(made.username)).toBe(1n);
      const mails = await rig.db.sql`select 1 from mail_log where to_address = ${made.email}`;
      expect(mails).toHaveLength(1);
    }
  });

  test("by promoting an admin, while removing rights takes effect at once", async () => {
    const clerk = await admin({ isSuper: false });
    const waiting = await askForRights(asker, clerk, 2);
    expectWaits(waiting, { username: clerk.username, role_before: "admin", role_after: "super-admin" });
    expect(await agentOf(clerk)).toBe(1);
    expect((await decide(second, waiting)).status).toBe(200);
    expect(await agentOf(clerk)).toBe(2);
    expect((await askForRights(asker, clerk, 0)).body["admin"]).toMatchObject({ agent: 0 });
    expectWaits(await askForRights(asker, clerk, 1), { role_before: "nobody" });
  });

  test("by a password link for a super-admin, or by removing a super-admin's authenticator", async () => {
    const other = await admin();
    const about = { admin_id: Number(other.id), ...why };
    const tokens = () =>
      rig.db.sql`select 1 from account_token where used_at is null and admin_id = ${other.id}::bigint`;
    const link = await asker.client.post("/backend/admin/admin/password-link/", about);
    expectWaits(link, { username: other.username });
    expect(await tokens()).toHaveLength(0);
    expect((await decide(second, link)).status).toBe(200);
    expect(await tokens()).toHaveLength(1);
    await rig.db.sql`
      update shared_admin_credentials set totp_sealed = '\x01', totp_enabled_at = now()
      where id = ${other.id}::bigint`;
    const removal = await asker.client.post("/backend/admin/totp/remove/", about);
    expectWaits(removal, { username: other.username });
    expect((await decide(second, removal)).status).toBe(200);
    const clerk = await admin({ isSuper: false });
    const plain = { admin_id: Number(clerk.id), ...why };
    expect((await asker.client.post("/backend/admin/admin/password-link/", plain)).body["approval"]).toBeUndefined();
  });
});

describe("the rules for one super-admin", () => {
  test("can't be switched off or loosened by that one, but are tightened at once", async () => {
    for (const value of [0, 51, null]) {
      expectWaits(await save(asker, threshold, value), { setting: threshold, value_before: "50" });
    }
    expect((await setting(threshold)).value).toBe(50);
    expect((await save(asker, threshold, 49)).body["setting"]).toMatchObject({ value: 49 });
    const looser = [
      ["admin.adjust_usd_max", 21],
      ["admin.adjust_usd_per_day", 101],
      ["admin.refund_usd_max", 101],
      ["admin.refund_usd_per_day", 501],
      ["admin.fresh_login_minutes", 61],
    ] as const;
    for (const [name, value] of looser) {
      expectWaits(await save(asker, name, value), { setting: name, value_after: String(value) });
    }
    expect((await save(asker, "analytics.retention_days", 401)).body["setting"]).toMatchObject({ value: 401 });
  });

  test("change when a second one approves, and not when the request is rejected, expired, or late", async () => {
    const [first, rejected, over] = [
      await save(asker, threshold, 60),
      await save(asker, threshold, 70),
      await save(asker, threshold, 80),
    ];
    expect((await decide(second, rejected, "reject")).status).toBe(200);
    await rig.db.sql`update approval set expires_at = now() where id = ${approvalOf(over).approval_id}::bigint`;
    expect(codeOf(await decide(second, over))).toEqual([409, "conflict"]);
    expect((await setting(threshold)).value).toBe(50);
    // Lowered while a request to raise it waits: that request is about a value that no longer exists.
    expect((await save(asker, threshold, 40)).status).toBe(200);
    expect(codeOf(await decide(second, first))).toEqual([409, "conflict"]);
    const again = await save(asker, threshold, 60);
    expect((await decide(second, again)).status).toBe(200);
    expect((await setting(threshold)).value).toBe(60);
  });
});

describe("what authenticates payments and emails is not replaced by one super-admin", () => {
  const value = `whsec_${crypto.randomUUID()}`;
  const saveSecret = ({ client }: Admin, name: string, more = value): Promise<Answer> =>
    client.post("/backend/admin/secret/save/", { name, value: more });
  const stored = (name: string): Promise<string | null> => readSecret(rig.db, new MasterKey(masterKeyBytes), name);
  const sealedRows = async (): Promise<number> =>
    (await rig.db.sql`select 1 from approval where sealed is not null`).length;

  test.each(["cardpay.account_a.webhook_secret", "cardpay.default.secret_key", "walletpay.token", "mail.smtp_url"])(
    "%s waits, encrypted and shown to nobody, until a second one approves",
    async (name) => {
      const waiting = await saveSecret(asker, name);
      expectWaits(waiting, { secret: name, secret_is: "new" });
      expect(approvalOf(await saveSecret(asker, name)).approval_id).toBe(approvalOf(waiting).approval_id);
      expect(approvalOf(await saveSecret(asker, name, `${value}0`)).approval_id).not.toBe(
        approvalOf(waiting).approval_id,
      );
      expect([await stored(name), codeOf(await decide(asker, waiting))]).toEqual([null, [409, "self_forbidden"]]);
      const kept = await rig.db.sql<{ text: string }>`
        select to_jsonb(a)::text as text from approval a
        union all select to_jsonb(l)::text from audit_log l union all select to_jsonb(m)::text from mail_log m`;
      expect(kept.filter(({ text }) => text.includes(value) || text.includes(hexOf(value)))).toEqual([]);
      const path = "/backend/admin/approval/detail/";
      const seen = await second.client.get(path, { approval_id: String(approvalOf(waiting).approval_id) });
      expect(seen.body["foreseen"]).toMatchObject({ problem: null, effects: { secret: name, secret_is: "new" } });
      expect(JSON.stringify([waiting, seen])).not.toContain(value);
      expect((await decide(second, waiting)).status).toBe(200);
      expect(await stored(name)).toBe(value);
      const replaced = await saveSecret(asker, name, "another");
      expectWaits(replaced, { secret: name, secret_is: "replaced" });
      expect((await decide(second, replaced, "reject")).status).toBe(200);
      expect(await stored(name)).toBe(value);
    },
  );

  test("a waiting value is deleted as soon as the request is decided or expires", async () => {
    await rig.db.sql`update approval set expires_at = now() where status = 'pending'`;
    const [rejected, over] = [
      await saveSecret(asker, "mail.gateway_key"),
      await saveSecret(second, "walletpay.store_no"),
    ];
    // The request before this one found the others expired.
    expect(await sealedRows()).toBe(2);
    expect((await decide(second, rejected, "reject")).status).toBe(200);
    expect(await sealedRows()).toBe(1);
    await rig.db.sql`update approval set expires_at = now() where id = ${approvalOf(over).approval_id}::bigint`;
    expectWaits(await saveSecret(second, "walletpay.store_no"), { secret: "walletpay.store_no" });
    expect(await sealedRows()).toBe(1);
  });

  test("every other secret is saved at once", async () => {
    expect((await saveSecret(asker, "exit_node.example.relay_key")).body["secret"]).toMatchObject({ version: 1 });
    expect(await stored("exit_node.example.relay_key")).toBe(value);
  });
});

const hexOf = (text: string): string => Buffer.from(text).toString("hex");

const plan = (more: object) => ({
  plan_code: `plan-${crypto.randomUUID().slice(0, 8)}`,
  name: "P",
  kind: "wallet_balance",
  price_usd: "10.00",
  quota: 5_000_000,
  ...more,
});

describe("what is sold is not given away by one super-admin", () => {
  test("by a lower multiplier, while a higher one is set at once", async () => {
    const path = "/backend/admin/user/save/";
    const saveUser = (more: object) => asker.client.post(path, { user_id: Number(user.userId), ...more });
    expect((await saveUser({ rate_multiplier: "2" })).body["user"]).toMatchObject({ rate_multiplier: "2.0000" });
    const waiting = await saveUser({ rate_multiplier: "1.9999" });
    expectWaits(waiting, { user_email: user.email, multiplier_before: "2.0000", multiplier_after: "1.9999" });
    expect((await saveUser({ display_name: "Ada" })).body["user"]).toMatchObject({ rate_multiplier: "2.0000" });
    expect((await decide(second, waiting)).status).toBe(200);
    expect((await saveUser({})).body["user"]).toMatchObject({ rate_multiplier: "1.9999" });
  });

  test("by a plan that grants more per dollar than before, or than it is worth", async () => {
    const path = "/backend/admin/plan/save/";
    expectWaits(await asker.client.post(path, plan({ quota: 5_000_001 })), { grant_after_quota: "5000001" });
    const fair = plan({});
    expect((await asker.client.post(path, fair)).body["plan"]).toMatchObject({ version: 1 });
    expectWaits(await asker.client.post(path, { ...fair, price_usd: "9.99", version: 1 }), {
      price_before_usd: "10.00",
      price_after_usd: "9.99",
    });
    expect((await asker.client.post(path, { ...fair, price_usd: "10.01", version: 1 })).body["plan"]).toMatchObject({
      version: 2,
    });
  });

  test("by a new model or a lower price, while a higher one is set at once", async () => {
    const path = "/backend/admin/model/save/";
    const name = `m-${crypto.randomUUID().slice(0, 8)}`;
    const made = {
      name,
      context_tokens_max: 1000,
      output_tokens_max: 100,
      input_usd_per_m: "1",
      output_usd_per_m: "2",
    };
    const waiting = await asker.client.post(path, made);
    expectWaits(waiting, { model: name, model_is: "new" });
    expect((await decide(second, waiting)).status).toBe(200);
    const stored = async () => {
      const [row] = await rig.db.sql<{ updated_at: Date }>`select updated_at from model where name = ${name}`;
      return { name, updated_at: row?.updated_at.toISOString() };
    };
    expectWaits(await asker.client.post(path, { ...(await stored()), cache_read_usd_per_m: "0.99" }), {
      price_cache_read_usd_per_m: "as plain tokens → 0.99",
    });
    expectWaits(await asker.client.post(path, { ...(await stored()), output_usd_per_m: "1.99" }), { model: name });
    const dearer = { ...(await stored()), output_usd_per_m: "2.01" };
    expect((await asker.client.post(path, dearer)).body["model"]).toMatchObject({ price_version: 2 });
    const long = { above_tokens: 200, input_usd_per_m: "2", output_usd_per_m: "3" };
    const add = { ...(await stored()), long_prompt: long };
    expect((await asker.client.post(path, add)).body["model"]).toMatchObject({ price_version: 3 });
    const sooner = { ...(await stored()), long_prompt: { ...long, above_tokens: 100 } };
    expect((await asker.client.post(path, sooner)).body["model"]).toMatchObject({ price_version: 4 });
    for (const cheaper of [
      null,
      { ...long, above_tokens: 101 },
      { ...long, above_tokens: 100, output_usd_per_m: "2.99" },
    ]) {
      const asked = await asker.client.post(path, { ...(await stored()), long_prompt: cheaper });
      const effects = { price_long_prompt: expect.stringContaining("above 100 tokens: input_usd_per_m 2") as string };
      expectWaits(asked, effects);
    }
  });

  test("by new models of a provider, which wait with its channel and keep its credential encrypted", async () => {
    const name = `m-${crypto.randomUUID().slice(0, 8)}`;
    const limits = { context_tokens_max: 1000, output_tokens_max: 100 };
    const adopt = (channel: string, fields: object) =>
      asker.client.post("/backend/admin/channel/adopt/", {
        name: channel,
        upstream: openaiUpstream("http://127.0.0.1:9/v1"),
        models: [{ model: name, ...fields }],
        ...why,
      });
    const newModel = { ...limits, input_usd_per_m: "1", output_usd_per_m: "2" };
    const waiting = await adopt(`c-${name}`, { new_model: newModel });
    expectWaits(waiting, { channel: `c-${name}`, new_models: `${name} (1 in, 2 out)` });
    const stored = () => rig.db.sql<{ found: string }>`
      select name as found from channel where name like ${`%${name}`} union all select name from model where name = ${name}`;
    expect([...(await stored())]).toEqual([]);
    expect((await decide(second, waiting)).status).toBe(200);
    expect(await stored()).toHaveLength(2);
    // What the catalog has already can be served at once.
    expect((await adopt(`d-${name}`, {})).body["adopted"]).toMatchObject({ new_models: [] });
  });
});

describe("a request that waits", () => {
  test("is reported by email to the other super-admins and to nobody else, once", async () => {
    const clerk = await admin({ isSuper: false });
    const made = newAdmin(2);
    const waiting = await asker.client.post("/backend/admin/admin/create/", made);
    const same = await asker.client.post("/backend/admin/admin/create/", made);
    expect(approvalOf(same).approval_id).toBe(approvalOf(waiting).approval_id);
    const key = `approval_waiting:${approvalOf(waiting).approval_id}:`;
    const mails = await rig.db.sql<{ to_address: string }>`
      select to_address from mail_log where starts_with(dedupe_key, ${key})`;
    const recipients = mails.map(({ to_address }) => to_address);
    expect(recipients).toContain(`${second.username}@example.org`);
    expect(recipients).not.toContain(`${asker.username}@example.org`);
    expect(recipients).not.toContain(`${clerk.username}@example.org`);
    expect(new Set(recipients).size).toBe(recipients.length);
  });

  test("is done once when two approve at the same moment", async () => {
    const third = await admin();
    const made = newAdmin(2);
    const waiting = await asker.client.post("/backend/admin/admin/create/", made);
    const answers = await Promise.all([decide(second, waiting), decide(third, waiting)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await countOf(made.username)).toBe(1n);
  });

  test("is not done when its requester or its approver has lost the right meanwhile", async () => {
    const clerk = await admin({ isSuper: false });
    const waiting = await askForRights(asker, clerk, 2);
    await setAgent(asker, 1);
    expect(codeOf(await decide(second, waiting))).toEqual([409, "conflict"]);
    await setAgent(asker, 2);
    await setAgent(second, 1);
    expect(codeOf(await decide(second, waiting))).toEqual([403, "super_admin_required"]);
    expect(await agentOf(clerk)).toBe(1);
  });

  test("gets a response even if two super-admins promote each other's candidates at the same moment", async () => {
    const [one, other] = [await admin({ isSuper: false }), await admin({ isSuper: false })];
    const [mine, theirs] = [await askForRights(asker, one, 2), await askForRights(second, other, 2)];
    const lock = (tx: Queryable) =>
      tx.query("select 1 from shared_admin_credentials where id = $1 for update", [asker.id]);
    const answers = await runBothBehind(rig.db, lock, [() => decide(second, mine), () => decide(asker, theirs)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect([await agentOf(one), await agentOf(other)]).toEqual([2, 2]);
  });
});

test("without the option one super-admin does all of this at once", async () => {
  expect((await decide(second, await save(asker, threshold, 0))).status).toBe(200);
  const made = await asker.client.post("/backend/admin/admin/create/", newAdmin(2));
  expect(made.body["admin"]).toMatchObject({ agent: 2 });
  expect((await asker.client.post("/backend/admin/plan/save/", plan({ quota: 9_000_000 }))).status).toBe(200);
  const secret = { name: "cardpay.account_b.webhook_secret", value: "whsec_0123456789-0123456789" };
  expect((await asker.client.post("/backend/admin/secret/save/", secret)).body["secret"]).toMatchObject({ version: 1 });
  expect((await save(asker, threshold, 50)).status).toBe(200);
});
