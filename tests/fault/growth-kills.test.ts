import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { UserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import { codeOf, recordReferral } from "@sluice/control-plane/payments/referrals/referrals.ts";
import { openRefund, payRefund } from "@sluice/control-plane/payments/refunds/refunds.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { askSetups, startTopUp } from "@sluice/control-plane/payments/top-ups/change-top-up.ts";
import { sha256 } from "@sluice/control-plane/platform/crypto/digest.ts";
import { type Buyer, noticeOf } from "../support/payments/billing-scene.ts";
import { CodeScene } from "../support/payments/code-scene.ts";
import { doWork, type KilledWork, referralRules } from "../support/payments/killed-work.ts";
import { RenewalScene } from "../support/payments/renewal-scene.ts";
import { type Death, type KilledScene, runKilled } from "../support/payments/run-killed.ts";
import { ScriptedRefunds } from "../support/payments/scripted-refunds.ts";

const isFull = process.env["TEST_FULL"] === "1";
const timeoutMs = isFull ? 900_000 : 240_000;
const day = 86_400_000;

let scene: RenewalScene;
let codes: CodeScene;

beforeAll(async () => {
  [scene, codes] = [await RenewalScene.create(), await CodeScene.create()];
});

afterEach(async () => {
  expect(await scene.payments.billing.checkMoney()).toEqual([]);
  expect(await codes.billing.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await codes[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
});

/** Something whose work is killed, and what is there once it was done to the end, however often. */
type Subject = { readonly work: KilledWork; readonly seen: () => Promise<unknown>; readonly done: unknown };

const billing = () => scene.payments.billing;
const sceneOf = ({ kind }: KilledWork): KilledScene => {
  const { db, url } = kind === "code" ? codes.billing : billing();
  return { db, url, card: scene.payments.card };
};

/** How many grants a budget has, and their sum. */
async function grantsOf({ budgetId }: Pick<Buyer, "budgetId">, { db } = billing()): Promise<string> {
  const [row] = await db.sql<{ grants: number; sum: string }>`
    select count(*)::int as grants, coalesce(sum(amount), 0)::text as sum from quota_grant where budget_id = ${budgetId}::bigint`;
  return `${row?.grants} of ${row?.sum}`;
}

async function redeemedCode(): Promise<Subject> {
  const made = await codes.make({ quota: 5_000_000 });
  const { userId } = await codes.login();
  const buyer = await codes.billing.buyerOf(userId);
  return {
    work: { kind: "code", text: made.codes[0] ?? "", userId: userId.toString() },
    seen: () => grantsOf(buyer, codes.billing),
    done: "1 of 5000000",
  };
}

async function couponOrder(): Promise<Subject> {
  const buyer = await billing().addBuyer();
  const couponCode = `K${crypto.randomUUID().slice(0, 8).toUpperCase()}`;
  await scene.db.sql`
    insert into coupon (code, kind, percent, is_first_purchase, plan_codes, uses_max, uses_per_user, created_by, idempotency_key)
    values (${couponCode}, 'percent', 25, false, '{}', 1, 1, 'test', ${couponCode})`;
  const uses = async () => {
    const rows = await scene.db.sql<{ uses: number; state: string; amount: string }>`
      select c.uses, u.state, o.amount_usd::text as amount from coupon c
      join coupon_use u on u.coupon_id = c.id join sales_order o on o.id = u.order_id where c.code = ${couponCode}`;
    return [...rows];
  };
  return {
    work: { kind: "coupon", couponCode, userId: buyer.userId.toString(), key: crypto.randomUUID() },
    seen: async () => [await grantsOf(buyer), await uses()],
    done: ["1 of 5000000", [{ uses: 1, state: "consumed", amount: "7.50" }]],
  };
}

let places = 0;

async function register(userId: UserId): Promise<void> {
  places += 1;
  await scene.db.sql`
    insert into user_registration (user_id, network, device, address_key, decided_at)
    values (${userId}::bigint, ${`198.51.${places}`}, ${`device ${places}`}, ${sha256(`address ${places}`)}, now())`;
}

/** Somebody who came by the link of another, and has paid ten dollars. */
async function invited(): Promise<{ readonly inviter: Buyer; readonly guest: Buyer; readonly orderNo: string }> {
  const [inviter, guest] = [await billing().addBuyer(), await billing().addBuyer()];
  await register(inviter.userId);
  await register(guest.userId);
  const code = await codeOf(scene.db, inviter.userId);
  await scene.db.withTransaction((tx) => recordReferral(tx, referralRules, { invitedId: guest.userId, code }));
  const order = await billing().placeFor(guest);
  await settlePaid(billing().deps, noticeOf(order));
  return { inviter, guest, orderNo: order.orderNo };
}

const at = new Date(Date.now() + 15 * day).toISOString();

async function dueReward(): Promise<Subject> {
  const { inviter, guest } = await invited();
  return {
    work: { kind: "reward", at },
    seen: async () => [await grantsOf(inviter), await grantsOf(guest)],
    done: ["1 of 2500000", "2 of 5500000"],
  };
}

/** Rewards of a payment that went back. */
async function dueTakingBack(): Promise<Subject> {
  const { inviter, guest, orderNo } = await invited();
  await doWork(placeOf(sceneOf({ kind: "reward", at })), { kind: "reward", at });
  const { refund } = await scene.db.withTransaction((tx) =>
    openRefund(tx, { orderNo, amountUsd: null, reason: "asked", idempotencyKey: "1", mayGoNegative: false }),
  );
  const gateway = new ScriptedRefunds();
  await payRefund({ ...billing().deps, gateways: { walletpay: gateway, cardpay: gateway } }, refund.refundNo);
  return {
    work: { kind: "take-back", at },
    seen: async () => [await grantsOf(inviter), await grantsOf(guest)],
    done: ["2 of 0", "4 of 0"],
  };
}

/** Somebody whose balance is low, with a saved method. */
async function lowBalance(): Promise<{ readonly buyer: Buyer; readonly subject: Subject }> {
  await scene.db.sql`update auto_top_up set status = 'removed', stop_reason = null, detached_at = now()`;
  const buyer = await billing().addBuyer();
  const [thresholdUsd, monthMaxUsd] = ["2.00" as Decimal, "30.00" as Decimal];
  const wish = { planCode: "credit", amountUsd: undefined, thresholdUsd, monthMaxUsd };
  const { card } = scene.payments.payments;
  const deps = { ...billing().deps, card, rules: { isOffered: () => true, billingUrl: "https://sluice.example/" } };
  const { topUp } = await startTopUp(deps, { userId: buyer.userId, organisationId: null }, wish, async () => undefined);
  scene.payments.card.saved.save(topUp.topUpNo);
  await askSetups(deps);
  const charges = async () => {
    const rows = await scene.db.sql<{ order_no: string; state: string; status: string }>`
      select o.order_no, a.state, o.status from top_up_attempt a join sales_order o on o.id = a.order_id
      where a.top_up_id = ${topUp.id}::bigint`;
    return [...rows].map((row) => [row.state, row.status, scene.payments.card.saved.paidFor(row.order_no).length]);
  };
  const subject: Subject = {
    work: { kind: "top-up" },
    seen: async () => [await grantsOf(buyer), await charges()],
    done: ["1 of 5000000", [["paid", "settled", 1]]],
  };
  return { buyer, subject };
}

/** A charge that a person has found at the gateway. */
async function foundCharge(): Promise<Subject> {
  const { buyer, subject } = await lowBalance();
  scene.payments.card.override = () => Response.json({ error: { type: "api_error" } }, { status: 500 });
  await doWork(placeOf(sceneOf(subject.work)), subject.work);
  scene.payments.card.override = null;
  const [row] = await scene.db.sql<{ order_no: string }>`
    update top_up_attempt a set unclear_since = now() from sales_order o
    where o.id = a.order_id and o.user_id = ${buyer.userId}::bigint returning o.order_no`;
  const transactionId = `pi_${crypto.randomUUID().replaceAll("-", "")}`;
  const payments = async () => {
    const rows = await scene.db.sql<{ transaction_id: string }>`
      select p.transaction_id from payment p join sales_order o on o.id = p.order_id where o.order_no = ${row?.order_no ?? ""}`;
    return [...rows].map(({ transaction_id: id }) => id);
  };
  return {
    work: { kind: "close-charge", orderNo: row?.order_no ?? "", transactionId },
    seen: async () => [await grantsOf(buyer), await payments()],
    done: ["1 of 5000000", [transactionId]],
  };
}

/** The first month of an organisation, which is paid at the gateway. */
async function paidMonth(): Promise<Subject> {
  scene.reset();
  const owner = await billing().addBuyer();
  const team = await scene.addOrganisation(owner, "Team");
  const renewalNo = await scene.open({ ...owner, organisationId: team.organisationId });
  scene.book.pay(renewalNo);
  scene.book.take();
  const { id: subscriptionId } = scene.book.subscriptionOf(renewalNo);
  return {
    work: { kind: "renewal", renewalNo, subscriptionId, at: scene.start.toISOString() },
    seen: async () => [await grantsOf(team), await scene.months(team), (await scene.renewal(renewalNo))["status"]],
    done: ["1 of 12000000", ["active 2026-02-28"], "active"],
  };
}

const placeOf = ({ db, url, card }: KilledScene) => ({ db, databaseUrl: url, cardUrl: card.url });

/** The lease of the process that died is over. */
async function forgetAskers(): Promise<void> {
  await scene.db
    .sql`update top_up_attempt set asking_until = now() - interval '1 second' where asking_until is not null`;
}

/** The work is done again, twice, by a process that lives. */
async function expectOnce({ work, seen, done }: Subject): Promise<void> {
  for (let again = 0; again < 2; again += 1) {
    await forgetAskers();
    await doWork(placeOf(sceneOf(work)), work);
  }
  expect(await seen()).toEqual(done);
}

/** All deaths in a full run; else one with half of the work undone, and one that does not hear of its last commit. */
function deathsOf(statements: number): Death[] {
  if (!isFull) {
    return [
      { statement: Math.ceil(statements / 2), loses: "statement" },
      { statement: statements, loses: "answer" },
    ];
  }
  const every = Array.from({ length: statements }, (_, index) => index + 1);
  return every.flatMap((statement): Death[] => [
    { statement, loses: "statement" },
    { statement, loses: "answer" },
  ]);
}

const subjects = [
  ["a code is redeemed", redeemedCode],
  ["an order with a coupon is paid", couponOrder],
  ["a referral is rewarded", dueReward],
  ["rewards are taken back", dueTakingBack],
  ["a balance is topped up", async () => (await lowBalance()).subject],
  ["a charge without an answer is ended", foundCharge],
  ["a month of an organisation is paid", paidMonth],
] as const;

describe("a process that is killed while", () => {
  test.each([...subjects])(
    "%s leaves it undone or done: done again, it has each effect once",
    async (_, make) => {
      const whole = await make();
      const statements = await runKilled(sceneOf(whole.work), whole.work, null);
      await expectOnce(whole);
      for (const death of deathsOf(statements)) {
        const subject = await make();
        await runKilled(sceneOf(subject.work), subject.work, death);
        await expectOnce(subject);
        expect(await billing().checkMoney()).toEqual([]);
      }
    },
    timeoutMs,
  );
});
