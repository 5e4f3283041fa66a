import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mailLowQuota } from "@sluice/control-plane/mail/quota-low/mail-low-quota.ts";
import { MailGateway } from "../../support/mail/mail-gateway.ts";
import { MailRig } from "../../support/mail/mail-rig.ts";

const granted = 1_000_000n;
let rig: MailRig;

beforeAll(async () => {
  rig = await MailRig.open();
});

beforeEach(async () => {
  await rig.clear();
  // Users of earlier tests have no quota that could run low.
  await rig.db.sql`update user_profile set status = 'closed'`;
});

afterAll(async () => {
  await rig.close();
});

const tell = (budgetsPerBatch = 500): Promise<number> =>
  mailLowQuota(rig.db, { mail: rig.service, clock: rig.clock, budgetsPerBatch });

async function use(budgetId: bigint, used: bigint): Promise<void> {
  await rig.db.sql`update budget set used = ${used}::bigint where id = ${budgetId}::bigint`;
}

async function grant(budgetId: bigint, amount: bigint, changeType: string): Promise<void> {
  const reference = `${changeType}:${crypto.randomUUID()}`;
  await rig.db.sql`select grant_quota(${budgetId}::bigint, ${amount}::bigint, ${changeType}, ${reference})`;
}

const keys = async (): Promise<string[]> =>
  (await rig.db.sql<{ dedupe_key: string }>`select dedupe_key from mail_log order by id`).map(
    ({ dedupe_key: key }) => key.split(":")[3] ?? "",
  );

test("a user is notified below 20 % and below 5 %, once each, also by parallel runs", async () => {
  const { budgetId } = await rig.addUser("steps@example.com", granted);
  await use(budgetId, 800_000n);
  expect(await tell()).toBe(0);
  await use(budgetId, 800_001n);
  const counts = await Promise.all([tell(), tell(), tell()]);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
  expect(await tell()).toBe(0);
  await use(budgetId, 950_001n);
  expect(await tell()).toBe(1);
  expect(await tell()).toBe(0);
  expect(await keys()).toEqual(["20", "5"]);
});

test("a user who falls below both at once is notified of the lower one only, even if some comes back", async () => {
  const { budgetId } = await rig.addUser("drop@example.com", granted);
  await use(budgetId, 1_000_000n);
  expect(await tell()).toBe(1);
  await use(budgetId, 850_000n);
  expect(await tell()).toBe(0);
  expect(await keys()).toEqual(["5"]);
});

test("a new grant starts over, and quota that only goes back and forth is not a grant", async () => {
  const { budgetId } = await rig.addUser("again@example.com", granted);
  await use(budgetId, 1_400_000n);
  expect(await tell()).toBe(1);
  await grant(budgetId, 400_001n, "refund");
  expect(await tell()).toBe(0);
  await grant(budgetId, 1n, "usage_quota");
  expect(await tell()).toBe(0);
  await grant(budgetId, granted, "order_credit");
  expect(await tell()).toBe(0);
  await use(budgetId, 2_300_000n);
  expect(await tell()).toBe(1);
  expect(await keys()).toEqual(["5", "20"]);
});

test("neither a user without a verified address nor a suspended one is notified, and lent quota does not count as spent", async () => {
  const pending = await rig.addUser("pending@example.com", granted);
  const suspended = await rig.addUser("suspended@example.com", granted);
  const lent = await rig.addUser("lent@example.com", granted);
  await rig.db.sql`update user_profile set email_verified_at = null where id = ${pending.userId}::bigint`;
  await rig.db.sql`update user_profile set status = 'suspended' where id = ${suspended.userId}::bigint`;
  await use(pending.budgetId, granted);
  await use(suspended.budgetId, granted);
  await rig.db.sql`update budget set leased = ${granted}::bigint where id = ${lent.budgetId}::bigint`;
  expect(await tell()).toBe(0);
  await rig.db.sql`update budget set leased = 0 where id = ${lent.budgetId}::bigint`;
});

test("every user is reached whatever the size of a batch, in their own language", async () => {
  const users = await Promise.all(
    Array.from({ length: 10 }, (_, index) => rig.addUser(`batch-${index}@example.com`, granted)),
  );
  for (const { budgetId } of users) {
    await use(budgetId, 876_543n);
  }
  expect(await tell(3)).toBe(10);
  const gateway = new MailGateway();
  await rig.worker(rig.httpSender(gateway.url)).runDue();
  expect(new Set(gateway.requests.map(({ body }) => body["to"])).size).toBe(10);
  // 123,457 of 1,000,000 are 0.24 USD, rounded down.
  expect(gateway.requests[0]?.body).toMatchObject({
    locale: "de",
    subject: "Weniger als 20\u00a0% Ihres Guthabens übrig",
  });
  expect(gateway.requests[0]?.body["text"]).toContain("0,24\u00a0$");
  await gateway.stop();
});

test("of an organisation, those are notified who may top it up, once each, and nobody of a suspended one", async () => {
  const people = [];
  for (const role of ["owner", "billing", "admin", "member", "owner"]) {
    people.push({ role, ...(await rig.addUser(`${crypto.randomUUID()}@example.com`, 0n)) });
  }
  const [made] = await rig.db.sql<{ id: bigint; budget_id: bigint }>`
    with account as (insert into gateway_user default values returning id),
      wallet as (insert into budget (gateway_user_id) select id from account returning id, gateway_user_id)
    insert into organisation (gateway_user_id, name) select id, 'Analytical <Engines>' from account
    returning id, (select id from wallet) as budget_id`;
  const { id = 0n, budget_id: budgetId = 0n } = made ?? {};
  for (const [index, { role, userId }] of people.entries()) {
    await rig.db.sql`
      insert into organisation_member (organisation_id, user_id, role, left_at)
      values (${id}::bigint, ${userId}::bigint, ${role}, ${index === 4 ? new Date() : null}::timestamptz)`;
  }
  await grant(budgetId, granted, "order_credit");
  await use(budgetId, 850_000n);
  const counts = await Promise.all([tell(), tell(), tell()]);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
  expect(await tell()).toBe(0);
  const mails = await rig.db.sql<{ user_id: bigint; template: string }>`
    select user_id, template from mail_log order by user_id`;
  expect([...mails]).toEqual(
    people.slice(0, 2).map(({ userId }) => ({ user_id: userId, template: "organisation_quota_low" })),
  );
  await rig.db.sql`update organisation set status = 'suspended' where id = ${id}::bigint`;
  await use(budgetId, 960_000n);
  expect(await tell()).toBe(0);
});
