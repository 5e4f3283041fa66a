import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { BudgetId } from "@sluice/contracts/ids";
import type { OrganisationRole } from "@sluice/contracts/organisation-rights";
import { saveBuyer } from "@sluice/control-plane/payments/invoices/invoice-store.ts";
import { openRefund, payRefund } from "@sluice/control-plane/payments/refunds/refunds.ts";
import { endLeftRenewals } from "@sluice/control-plane/payments/renewals/renewal-jobs.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { endOverdueSubscriptions } from "@sluice/control-plane/payments/subscriptions/subscriptions.ts";
import { type Buyer, noticeOf } from "../../support/payments/billing-scene.ts";
import { issueInvoices } from "../../support/payments/invoice-terms.ts";
import { RenewalScene, type TestOrganisation } from "../../support/payments/renewal-scene.ts";

let scene: RenewalScene;
const monthly = 12_000_000n;

beforeAll(async () => {
  scene = await RenewalScene.create();
});

beforeEach(() => {
  scene.reset();
});

afterEach(async () => {
  expect(await scene.payments.billing.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

type Team = TestOrganisation & { readonly owner: Buyer; readonly payer: Buyer; readonly member: Buyer };

async function addTeam(name = "Team"): Promise<Team> {
  const owner = await scene.payments.billing.addBuyer();
  const organisation = await scene.addOrganisation(owner, name);
  const [payer, member] = [await join(organisation, "billing"), await join(organisation, "member")];
  return { ...organisation, owner, payer, member };
}

async function join(organisation: TestOrganisation, role: OrganisationRole): Promise<Buyer> {
  const person = await scene.payments.billing.addBuyer();
  await scene.join(organisation, person, role);
  return person;
}

const balanceOf = ({ budgetId }: { readonly budgetId: BudgetId }): Promise<bigint> =>
  scene.payments.billing.balance({ budgetId } as Buyer);
const acting = (person: Buyer, { organisationId }: Team) => ({ ...person, organisationId });

/** Whether keys of an account may use the group of the plan now. */
async function isPro({ gatewayUserId }: Pick<Team, "gatewayUserId">): Promise<boolean> {
  const rows = await scene.db.sql`select from key_group(${gatewayUserId}::bigint, 'pro')`;
  return [...rows].length > 0;
}

/** A month that the payer buys for the organisation, paid on the hosted page. */
async function buy(team: Team, at: Date, planCode = "monthly"): Promise<string> {
  const { order } = await scene.payments.billing.place({
    ...{ userId: team.payer.userId, organisationId: team.organisationId, planCode, at },
    ...{ payChannel: "cardpay", sender: "default" },
  });
  expect(await settlePaid(scene.payments.billing.deps, noticeOf(order), { at })).toBe("settled");
  return order.orderNo;
}

/** The payer agrees to renew, and pays the first month. */
async function subscribe(team: Team): Promise<string> {
  const renewalNo = await scene.open(acting(team.payer, team));
  scene.book.pay(renewalNo);
  await scene.deliver();
  return renewalNo;
}

async function leave({ organisationId }: Team, { userId }: Buyer): Promise<void> {
  await scene.db.sql`
    update organisation_member set left_at = now()
    where organisation_id = ${organisationId}::bigint and user_id = ${userId}::bigint`;
}

async function ordersOf({ organisationId }: Team): Promise<{ order_no: string; status: string }[]> {
  return [
    ...(await scene.db.sql<{ order_no: string; status: string }>`
      select order_no, status from sales_order where organisation_id = ${organisationId}::bigint order by id`),
  ];
}

const months = (statuses: string[]) => statuses.map((text) => text.split(" ")[0]);

describe("a month that an organisation buys", () => {
  test("is in the one wallet, gives its group to all members' calls, and takes both away at its end", async () => {
    const team = await addTeam();
    await buy(team, new Date());
    expect([await balanceOf(team), await isPro(team)]).toEqual([monthly, true]);
    // The people have neither quota nor group of their own by it.
    expect([await balanceOf(team.payer), await isPro(team.payer), await scene.months(team.payer)]).toEqual([
      0n,
      false,
      [],
    ]);
    await scene.payments.billing.use({ ...team.payer, ...team }, 2_000_000n);
    await scene.db.sql`
      update subscription set period_start = period_start - interval '2 months',
        period_end = period_start - interval '2 months' + interval '1 month'
      where gateway_user_id = ${team.gatewayUserId}::bigint`;
    expect(await isPro(team)).toBe(false);
    await endOverdueSubscriptions(scene.db);
    expect([await balanceOf(team), months(await scene.months(team))]).toEqual([0n, ["expired"]]);
  });

  test("is credited to nobody once all members have left: its payment waits for a person", async () => {
    const team = await addTeam();
    const { order } = await scene.payments.billing.place({
      ...{ userId: team.payer.userId, organisationId: team.organisationId, planCode: "monthly" },
      ...{ payChannel: "cardpay", sender: "default" },
    });
    await Promise.all([team.owner, team.payer, team.member].map((person) => leave(team, person)));
    expect(await settlePaid(scene.payments.billing.deps, noticeOf(order))).toBe("review");
    expect([(await ordersOf(team))[0]?.status, await balanceOf(team)]).toEqual(["review", 0n]);
  });

  test("ends where it is, although its buyer has one of the same plan", async () => {
    const team = await addTeam();
    await buy(team, scene.start);
    const { payer } = team;
    const own = await scene.payments.billing.placeFor(payer, "monthly", "cardpay", scene.start);
    await settlePaid(scene.payments.billing.deps, noticeOf(own), { at: scene.start });
    await buy(team, scene.start, "other-month");
    expect([await balanceOf(team), await balanceOf(payer)]).toEqual([monthly + 2_000_000n, monthly]);
    await buy(team, scene.start);
    expect([await scene.months(team), await scene.months(payer)]).toEqual([
      ["active 2026-03-31", "active 2026-02-28"],
      ["active 2026-02-28"],
    ]);
    await scene.payments.billing.use({ ...payer, ...team }, 1_000_000n);
    await endOverdueSubscriptions(scene.db, scene.month(1));
    expect([await balanceOf(team), await balanceOf(payer)]).toEqual([2n * monthly, 0n]);
  });

  test("is paid back from the wallet, with an invoice and a credit note to the organisation", async () => {
    await issueInvoices(scene.db);
    try {
      const team = await addTeam("Lions & Co");
      const { userId } = team.payer;
      const place = { userId, organisationId: team.organisationId };
      await saveBuyer(scene.db, place, {
        ...{ name: "Lions & Co Ltd", address: "1 Plain Road", country: "GB", taxId: "GB123456789", isBusiness: true },
      });
      const orderNo = await buy(team, new Date());
      expect(await isPro(team)).toBe(true);
      const { refund } = await scene.db.withTransaction((tx) =>
        openRefund(tx, { orderNo, amountUsd: null, reason: "asked", idempotencyKey: "1", mayGoNegative: false }),
      );
      expect(refund).toMatchObject({ amountUsd: "20.00", quota: monthly });
      await payRefund(
        {
          ...scene.payments.billing.deps,
          gateways: { cardpay: { refund: () => Promise.resolve({ kind: "done", gatewayRefundId: "re_1" }) } },
        } as unknown as Parameters<typeof payRefund>[0],
        refund.refundNo,
      );
      expect([await balanceOf(team), await isPro(team)]).toEqual([0n, false]);
      const documents = await scene.db.sql`
        select kind, facts -> 'buyer' ->> 'name' as buyer_name, gross_usd::text from invoice i join sales_order o on o.id = i.order_id
        where o.order_no = ${orderNo} order by i.id`;
      expect([...documents]).toEqual([
        { kind: "invoice", buyer_name: "Lions & Co Ltd", gross_usd: "20.00" },
        { kind: "credit_note", buyer_name: "Lions & Co Ltd", gross_usd: "20.00" },
      ]);
    } finally {
      await issueInvoices(scene.db, { isOn: false });
    }
  });
});

test("six months of an organisation with two failures: those who may pay are told, and each paid month is given once", async () => {
  const team = await addTeam();
  const renewalNo = await subscribe(team);
  expect([await balanceOf(team), await balanceOf(team.payer)]).toEqual([monthly, 0n]);
  await scene.payments.billing.use({ ...team.payer, ...team }, 2_000_000n);
  await scene.moveTo(scene.month(1));
  expect([await balanceOf(team), await scene.months(team)]).toEqual([
    monthly,
    ["expired 2026-02-28", "active 2026-03-31"],
  ]);
  // The third month: the charge fails, the plan is kept for all, and the second try succeeds.
  scene.book.isCardGood = false;
  await scene.moveTo(scene.month(2));
  expect([await scene.renewal(renewalNo), await balanceOf(team)]).toMatchObject([{ status: "past_due" }, monthly]);
  scene.book.isCardGood = true;
  scene.book.retry(renewalNo);
  await scene.moveTo(scene.month(2, 49));
  await scene.moveTo(scene.month(3));
  await scene.moveTo(scene.month(4));
  // The sixth month: the charge fails until the days are over.
  scene.book.isCardGood = false;
  await scene.moveTo(scene.month(5));
  expect(await balanceOf(team)).toBe(monthly);
  await scene.moveTo(scene.month(5, 73));
  expect(await scene.renewal(renewalNo)).toMatchObject({ status: "ended", end_reason: "payment" });
  expect(await balanceOf(team)).toBe(0n);
  expect(months(await scene.months(team))).toEqual(Array.from({ length: 5 }, () => "expired"));
  expect((await ordersOf(team)).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "settled"));
  for (const person of [team.owner, team.payer]) {
    const sent = ["payment_success", "renewal_failed", "renewal_ended"].map((name) => scene.mails(name, person));
    expect(await Promise.all(sent)).toEqual([5, 2, 1]);
  }
  expect(await scene.mails("renewal_failed", team.member)).toBe(0);
});

describe("an organisation's plan that renews", () => {
  test("is opened, seen and cancelled by those who may pay, and by nobody else", async () => {
    const team = await addTeam();
    const admin = await join(team, "admin");
    const start = { plan_code: "monthly" };
    for (const person of [team.member, admin, await scene.payments.billing.addBuyer()]) {
      expect((await scene.call("start", start, acting(person, team))).status).toBe(403);
    }
    const renewalNo = await subscribe(team);
    // One plan of an organisation has one subscription, and the payer can have the same plan alone.
    expect((await scene.call("start", start, acting(team.owner, team))).status).toBe(409);
    expect((await scene.call("start", start, team.payer)).status).toBe(200);
    const own = { renewal_no: renewalNo };
    expect((await scene.call("cancel", own, team.payer)).status).toBe(404);
    expect((await scene.call("cancel", own, acting(team.member, team))).status).toBe(403);
    const other = await addTeam();
    expect((await scene.call("manage", own, acting(other.owner, other))).status).toBe(404);
    // The page shows the payer's card, and takes another one that would be charged on after its owner has left.
    expect((await scene.call("manage", own, acting(team.owner, team))).status).toBe(409);
    expect((await scene.call("manage", own, acting(team.payer, team))).status).toBe(200);
    const cancelled = await scene.call("cancel", own, acting(team.owner, team));
    expect(await cancelled.json()).toMatchObject({ renewal: { is_cancelled_at_end: true } });
    await scene.moveTo(scene.month(1));
    expect([await balanceOf(team), (await ordersOf(team)).length]).toEqual([0n, 1]);
  });

  test("is of the member who opens the page last, which closes that of another", async () => {
    const team = await addTeam();
    const first = await scene.open(acting(team.owner, team));
    const last = await scene.open(acting(team.payer, team));
    expect(await scene.open(acting(team.payer, team))).toBe(last);
    expect(() => scene.book.pay(first)).toThrow("no page was opened");
    scene.book.pay(last);
    await scene.deliver();
    // The one who only looked at a page can leave; the charges end with the one who pays.
    await leave(team, team.owner);
    expect(await endLeftRenewals(scene.payments.renewals)).toBe(0);
    await leave(team, team.payer);
    expect(await endLeftRenewals(scene.payments.renewals)).toBe(1);
    expect(await scene.renewal(last)).toMatchObject({ status: "ended", end_reason: "left" });
  });

  test("can be paid on one page, although two members open one at once", async () => {
    const team = await addTeam();
    const start = { plan_code: "monthly" };
    const opened = await Promise.all(
      [team.payer, team.owner].map((person) => scene.call("start", start, acting(person, team))),
    );
    expect([200, 409]).toContain(Math.max(...opened.map(({ status }) => status)));
    const made = await scene.db.sql<{ renewal_no: string; status: string }>`
      select renewal_no, status from renewal where organisation_id = ${team.organisationId}::bigint order by id`;
    expect(made.map(({ status }) => status)).toEqual(["abandoned", "pending"]);
    const [abandoned, pending] = made.map(({ renewal_no: renewalNo }) => renewalNo);
    expect(() => scene.book.pay(abandoned ?? "")).toThrow("no page was opened");
    scene.book.pay(pending ?? "");
    await scene.deliver();
    expect(await balanceOf(team)).toBe(monthly);
  });

  test.each(["leaves", "may no longer pay"])(
    "is charged no more once the one whose card it is %s; the month runs on",
    async (why) => {
      const team = await addTeam();
      const renewalNo = await subscribe(team);
      const { payer, owner, organisationId } = team;
      await scene.db.sql`
      update organisation_member set left_at = case when ${why} = 'leaves' then now() end, role = 'member'
      where organisation_id = ${organisationId}::bigint and user_id = ${payer.userId}::bigint`;
      await scene.runJobs();
      expect(await scene.renewal(renewalNo)).toMatchObject({ status: "ended", end_reason: "left" });
      expect([await balanceOf(team), months(await scene.months(team))]).toEqual([monthly, ["active"]]);
      const told = [owner, payer].map((person) => scene.mails("renewal_left", person));
      expect(await Promise.all(told)).toEqual([1, 0]);
      await scene.moveTo(scene.month(1));
      expect([await balanceOf(team), (await ordersOf(team)).length]).toEqual([0n, 1]);
      // Another one can continue with another card.
      const again = await scene.call("start", { plan_code: "monthly" }, acting(owner, team));
      expect(again.status).toBe(200);
    },
  );

  test("is cancelled by those who pay also while the organisation is suspended, and nothing new is begun", async () => {
    const team = await addTeam();
    const renewalNo = await subscribe(team);
    await scene.db.sql`
      update organisation set status = 'suspended' where id = ${team.organisationId}::bigint`;
    const own = { renewal_no: renewalNo };
    expect((await scene.call("start", { plan_code: "monthly" }, acting(team.payer, team))).status).toBe(403);
    expect((await scene.call("manage", own, acting(team.payer, team))).status).toBe(403);
    expect((await scene.call("cancel", own, acting(team.member, team))).status).toBe(403);
    expect((await scene.call("cancel", own, acting(team.payer, team))).status).toBe(200);
    await scene.moveTo(scene.month(1));
    expect([await balanceOf(team), (await ordersOf(team)).length]).toEqual([0n, 1]);
  });

  test("follows new terms of the plan, after a notice to those who may pay", async () => {
    const team = await addTeam();
    const renewalNo = await subscribe(team);
    await scene.db.sql`
      update renewal set next_plan_name = 'Monthly', next_price_usd = 25, next_quota = 15000000, next_group_name = 'pro'
      where renewal_no = ${renewalNo}`;
    await scene.moveTo(scene.month(1));
    await scene.moveTo(scene.month(2));
    const [last] = await scene.db.sql<{ amount_usd: string; quota: bigint }>`
      select amount_usd::text, quota from sales_order where organisation_id = ${team.organisationId}::bigint
      order by id desc limit 1`;
    expect([last, await balanceOf(team)]).toEqual([{ amount_usd: "25.00", quota: 15_000_000n }, 15_000_000n]);
    const told = [team.owner, team.payer, team.member].map((person) => scene.mails("renewal_changes", person));
    expect(await Promise.all(told)).toEqual([1, 1, 0]);
  });
});

test("a month that the release before has sold, which knows months by their users, is of the account", async () => {
  const buyer = await scene.payments.billing.addBuyer();
  const insert = scene.db.sql<{ gateway_user_id: bigint }>`
    insert into subscription (user_id, plan_code, period_start, period_end, quota_granted)
    values (${buyer.userId}::bigint, 'monthly', now(), now() at time zone 'UTC' + interval '1 month', 0)
    returning gateway_user_id`;
  expect([...(await insert)]).toEqual([{ gateway_user_id: buyer.gatewayUserId }]);
});
