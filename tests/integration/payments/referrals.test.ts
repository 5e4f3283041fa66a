import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { UserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import { addressKeyOf } from "@sluice/control-plane/accounts/email-address.ts";
import { maskOrigins } from "@sluice/control-plane/accounts/registration/registration-store.ts";
import type { Order } from "@sluice/control-plane/payments/model.ts";
import { codeOf, recordReferral } from "@sluice/control-plane/payments/referrals/referrals.ts";
import {
  type ReferralRules,
  rewardReferrals,
  takeRewardsBack,
} from "@sluice/control-plane/payments/referrals/reward-referrals.ts";
import { referralEndpoints } from "@sluice/control-plane/payments/referrals/routes.ts";
import { openRefund } from "@sluice/control-plane/payments/refunds/refunds.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { sha256 } from "@sluice/control-plane/platform/crypto/digest.ts";
import type { Transaction } from "@sluice/control-plane/platform/db.ts";
import { loginUser, sessionsOf } from "../../support/accounts/logins.ts";
import { BillingScene, type Buyer, noticeOf } from "../../support/payments/billing-scene.ts";
import { type EndpointServer, serveEndpoints } from "../../support/service/endpoint-server.ts";

let scene: BillingScene;
let http: EndpointServer;
let rules: ReferralRules;

const usual: ReferralRules = {
  ...{ isOn: true, inviterCents: 500, invitedCents: 100, waitDays: 14, monthMax: 3, minimumUsd: 5, takeBackDays: 120 },
};
const day = 86_400_000;
const inDays = (days: number): Date => new Date(Date.now() + days * day);
/** What is left of an origin when its account is closed. */
const markOf = (origin: string): string => `closed:${Bun.hash(origin)}`;
const deps = () => ({
  db: scene.db,
  log: scene.deps.log,
  rules: () => rules,
  marksOf: (origin: string) => [markOf(origin)],
});

beforeAll(async () => {
  scene = await BillingScene.create();
  http = serveEndpoints(referralEndpoints({ ...deps(), baseUrl: "https://sluice.example" }), sessionsOf(scene.db));
});

afterEach(async () => {
  expect(await scene.checkMoney()).toEqual([]);
  // What a test leaves pending is not decided by the next one.
  await scene.db
    .sql`update referral set state = 'refused', refusal = 'month', decided_at = now() where state = 'pending'`;
});

afterAll(async () => {
  await http.stop();
  await scene[Symbol.asyncDispose]();
});

let places = 0;

/** Says where an account was registered: a place of its own, except for what is given. */
async function register(
  userId: UserId,
  from: { network?: string; device?: string; address?: string } = {},
): Promise<void> {
  places += 1;
  const { network = `198.51.${places}`, device = `device-${places}`, address = `address ${places}` } = from;
  await scene.db.sql`
    insert into user_registration (user_id, network, device, address_key, decided_at)
    values (${userId}::bigint, ${network}, ${device}, ${sha256(address)}, now())`;
}

type Pair = { readonly inviter: Buyer; readonly invited: Buyer };

/** Somebody who came by the link of another. */
async function invite(inviter?: Buyer, from: Parameters<typeof register>[1] = {}): Promise<Pair> {
  rules = usual;
  const by = inviter ?? (await scene.addBuyer());
  if (inviter === undefined) {
    await register(by.userId);
  }
  const invited = await scene.addBuyer();
  await register(invited.userId, from);
  const code = await codeOf(scene.db, by.userId);
  await scene.db.withTransaction((tx) => recordReferral(tx, rules, { invitedId: invited.userId, code }));
  return { inviter: by, invited };
}

async function pay(buyer: Buyer, planCode = "credit"): Promise<Order> {
  const order = await scene.placeFor(buyer, planCode);
  expect(await settlePaid(scene.deps, noticeOf(order))).toBe("settled");
  return order;
}

async function stateOf({ invited }: Pair): Promise<string> {
  const [row] = await scene.db.sql<{ state: string; refusal: string | null }>`
    select state, refusal from referral where invited_id = ${invited.userId}::bigint`;
  return [row?.state ?? "none", row?.refusal].filter((text) => text !== null).join(" ");
}

describe("both are rewarded", () => {
  test("once the first payment has lasted, once, also by ten jobs at once", async () => {
    const pair = await invite();
    await pay(pair.invited);
    expect(await rewardReferrals(deps(), inDays(13))).toBe(0);
    expect(await scene.balance(pair.inviter)).toBe(0n);
    await Promise.all(Array.from({ length: 10 }, () => rewardReferrals(deps(), inDays(15))));
    expect(await stateOf(pair)).toBe("rewarded");
    expect(await scene.balance(pair.inviter)).toBe(2_500_000n);
    expect(await scene.balance(pair.invited)).toBe(5_500_000n);
    await pay(pair.invited);
    await rewardReferrals(deps(), inDays(40));
    expect(await scene.balance(pair.inviter)).toBe(2_500_000n);
  });

  test("on the terms of the day of the registration", async () => {
    const pair = await invite();
    await pay(pair.invited);
    rules = { ...usual, inviterCents: 1, waitDays: 300 };
    await rewardReferrals(deps(), inDays(15));
    expect(await scene.balance(pair.inviter)).toBe(2_500_000n);
  });
});

test("the invited person is rewarded alone if the inviter has closed the account", async () => {
  const pair = await invite();
  await pay(pair.invited);
  await close(pair.inviter.userId);
  expect(await rewardReferrals(deps(), inDays(15))).toBe(1);
  expect(await stateOf(pair)).toBe("rewarded");
  expect(await scene.balance(pair.inviter)).toBe(0n);
  expect(await scene.balance(pair.invited)).toBe(5_500_000n);
});

async function setStatus(userId: UserId, status: string): Promise<void> {
  await scene.db.sql`update user_profile set status = ${status} where id = ${userId}::bigint`;
}

async function beginClosing(userId: UserId): Promise<void> {
  await scene.db.sql`
    insert into account_closing (user_id, requested_by, agreed_quota, closes_at)
    values (${userId}::bigint, 'owner', 0, now() + interval '7 days')`;
}

/** What closing does to an account that matters for referrals. */
async function close(userId: UserId): Promise<void> {
  await setStatus(userId, "closed");
  await maskOrigins(scene.db, userId, markOf);
}

/** Resolves once somebody waits for a lock that this transaction has. */
async function blocking(tx: Transaction): Promise<void> {
  const isAwaited = async () =>
    (await tx.sql`select 1 from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`).length >
    0;
  while (!(await isAwaited())) {
    await Bun.sleep(10);
  }
}

describe("nobody is rewarded", () => {
  test("for a code, a trial, a small payment, or while it is switched off", async () => {
    const pair = await invite();
    await settlePaid(scene.deps, noticeOf(await scene.placeFor(pair.invited, "credit", "mock")));
    rules = { ...usual, minimumUsd: 11 };
    await pay(pair.invited);
    expect(await rewardReferrals(deps(), inDays(15))).toBe(0);
    rules = { ...usual, isOn: false };
    expect(await rewardReferrals(deps(), inDays(15))).toBe(0);
    expect(await scene.balance(pair.inviter)).toBe(0n);
  });

  test("for a payment that was refunded or disputed before", async () => {
    const refunded = await invite();
    const order = await pay(refunded.invited);
    await refund(order);
    const disputed = await invite();
    const other = await pay(disputed.invited);
    await scene.db
      .sql`update sales_order set review_reason = 'gateway_reversal: dispute' where id = ${other.id}::bigint`;
    expect(await rewardReferrals(deps(), inDays(15))).toBe(0);
    expect([await stateOf(refunded), await stateOf(disputed)]).toEqual(["pending", "pending"]);
  });

  test("when both are one person by address, browser or network", async () => {
    const inviter = await scene.addBuyer();
    await register(inviter.userId, { network: "203.0.113", device: "a browser", address: "me@example.com" });
    const pairs = [
      await invite(inviter, { address: "me@example.com" }),
      await invite(inviter, { device: "a browser" }),
      await invite(inviter, { network: "203.0.113" }),
    ];
    for (const { invited } of pairs) {
      await pay(invited);
    }
    await rewardReferrals(deps(), inDays(15));
    expect(await Promise.all(pairs.map(stateOf))).toEqual(["refused address", "refused device", "refused network"]);
    expect(await scene.balance(inviter)).toBe(0n);
  });

  test("when the invited address is an alias of one that was imported, or that the inviter has by now", async () => {
    const imported = await scene.addBuyer("same.person@example.com");
    const pair = await invite(imported);
    await scene.db.sql`
      update user_registration set address_key = ${addressKeyOf("sameperson+2@example.com")}
      where user_id = ${pair.invited.userId}::bigint`;
    await pay(pair.invited);
    await rewardReferrals(deps(), inDays(15));
    expect(await stateOf(pair)).toBe("refused address");
    expect(await scene.balance(imported)).toBe(0n);
  });

  test.each(["suspended", "closing"])("while one of both accounts is %s, and afterwards both are", async (state) => {
    const pairs = [await invite(), await invite()] as const;
    for (const { invited } of pairs) {
      await pay(invited);
    }
    for (const id of [pairs[0].inviter.userId, pairs[1].invited.userId]) {
      await (state === "suspended" ? setStatus(id, "suspended") : beginClosing(id));
    }
    expect(await rewardReferrals(deps(), inDays(15))).toBe(0);
    expect(await Promise.all(pairs.map(stateOf))).toEqual(["pending", "pending"]);
    expect([await scene.balance(pairs[0].inviter), await scene.balance(pairs[1].inviter)]).toEqual([0n, 0n]);
    for (const id of [pairs[0].inviter.userId, pairs[1].invited.userId]) {
      await setStatus(id, "active");
      await scene.db.sql`delete from account_closing where user_id = ${id}::bigint`;
    }
    expect(await rewardReferrals(deps(), inDays(15))).toBe(2);
    expect(await Promise.all(pairs.map(stateOf))).toEqual(["rewarded", "rewarded"]);
  });

  test("when the invited person has closed the account, whether it has paid or not", async () => {
    const inviter = await scene.addBuyer();
    await register(inviter.userId);
    const pairs = [await invite(inviter), await invite(inviter)] as const;
    await pay(pairs[0].invited);
    for (const { invited } of pairs) {
      await close(invited.userId);
    }
    expect(await rewardReferrals(deps(), inDays(15))).toBe(0);
    expect(await Promise.all(pairs.map(stateOf))).toEqual(["refused closed", "refused closed"]);
    expect(await scene.balance(inviter)).toBe(0n);
  });

  test("who has closed the account since the job found the payment", async () => {
    const { inviter, invited } = await invite();
    await pay(invited);
    const closing = await scene.db.withTransaction(async (tx) => {
      await tx.sql`select 1 from user_profile where id = ${invited.userId}::bigint for update`;
      const decided = rewardReferrals(deps(), inDays(15));
      await blocking(tx);
      await tx.sql`update user_profile set status = 'closed' where id = ${invited.userId}::bigint`;
      return { decided };
    });
    expect(await closing.decided).toBe(1);
    expect(await stateOf({ inviter, invited })).toBe("pending");
    expect(await scene.balance(inviter)).toBe(0n);
    await rewardReferrals(deps(), inDays(15));
    expect(await stateOf({ inviter, invited })).toBe("refused closed");
  });

  test("for a second account of somebody who was rewarded for the first and closed it", async () => {
    const inviter = await scene.addBuyer();
    await register(inviter.userId);
    const from = [
      { address: "again@example.com", device: "first browser" },
      { address: "again@example.com" },
      { device: "first browser" },
    ] as const;
    const pairs: Pair[] = [];
    for (const origin of from) {
      const pair = await invite(inviter, origin);
      await pay(pair.invited);
      await rewardReferrals(deps(), inDays(15));
      pairs.push(pair);
      await close(pair.invited.userId);
    }
    expect(await Promise.all(pairs.map(stateOf))).toEqual(["rewarded", "refused address", "refused device"]);
    expect(await scene.balance(inviter)).toBe(2_500_000n);
  });

  test("for a sixth account of a network, after the others were closed, or for one of an inviter who has closed", async () => {
    const network = "192.0.9";
    for (let paid = 0; paid < 5; paid += 1) {
      const pair = await invite(undefined, { network });
      await pay(pair.invited);
      await rewardReferrals(deps(), inDays(15));
      expect(await stateOf(pair)).toBe("rewarded");
      await close(pair.invited.userId);
    }
    const sixth = await invite(undefined, { network });
    const inviter = await scene.addBuyer();
    await register(inviter.userId, { network: "192.0.10" });
    const ofClosed = await invite(inviter, { network: "192.0.10" });
    await pay(sixth.invited);
    await pay(ofClosed.invited);
    await close(inviter.userId);
    await rewardReferrals(deps(), inDays(15));
    expect([await stateOf(sixth), await stateOf(ofClosed)]).toEqual(["refused network", "refused network"]);
  });

  test("beyond the limit of a month, also when ten decide at once", async () => {
    const first = await invite();
    const pairs = [first];
    for (let more = 0; more < 5; more += 1) {
      pairs.push(await invite(first.inviter));
    }
    for (const { invited } of pairs) {
      await pay(invited);
    }
    await Promise.all(Array.from({ length: 10 }, () => rewardReferrals(deps(), inDays(15))));
    const states = await Promise.all(pairs.map(stateOf));
    expect(states.filter((state) => state === "rewarded")).toHaveLength(3);
    expect(states.filter((state) => state === "refused month")).toHaveLength(3);
    expect(await scene.balance(first.inviter)).toBe(7_500_000n);
  });

  test("for one's own link, a code that nobody has, or a second link", async () => {
    const { inviter, invited } = await invite();
    const own = await codeOf(scene.db, inviter.userId);
    const of = async (code: string, invitedId: UserId) => {
      await scene.db.withTransaction((tx) => recordReferral(tx, usual, { invitedId, code }));
      const [row] = await scene.db.sql<{ count: number }>`
        select count(*)::int as count from referral where invited_id = ${invitedId}::bigint`;
      return row?.count;
    };
    expect(await of(own, inviter.userId)).toBe(0);
    const other = await scene.addBuyer();
    expect(await of("0000000000", other.userId)).toBe(0);
    expect(await of("' or true --", other.userId)).toBe(0);
    expect(await of(await codeOf(scene.db, other.userId), invited.userId)).toBe(1);
  });
});

async function refund(order: Order): Promise<void> {
  await scene.db.withTransaction((tx) =>
    openRefund(tx, {
      ...{ orderNo: order.orderNo, amountUsd: null, reason: "test", idempotencyKey: `refund ${order.orderNo}` },
      mayGoNegative: true,
    }),
  );
}

describe("a reward is taken back", () => {
  test("once, from both, when the payment is refunded or disputed in time", async () => {
    const pairs = [await invite(), await invite()] as const;
    const orders = [await pay(pairs[0].invited), await pay(pairs[1].invited)] as const;
    await rewardReferrals(deps(), inDays(15));
    await refund(orders[0]);
    await scene.db
      .sql`update sales_order set review_reason = 'gateway_reversal: dispute' where id = ${orders[1].id}::bigint`;
    await Promise.all(Array.from({ length: 5 }, () => takeRewardsBack(deps(), inDays(100))));
    expect(await Promise.all(pairs.map(stateOf))).toEqual(["taken_back", "taken_back"]);
    expect(await scene.balance(pairs[0].inviter)).toBe(0n);
    expect(await scene.balance(pairs[0].invited)).toBe(0n);
    expect(await scene.balance(pairs[1].invited)).toBe(5_000_000n);
  });

  test("not after its days are over", async () => {
    const pair = await invite();
    const order = await pay(pair.invited);
    await rewardReferrals(deps(), inDays(15));
    await refund(order);
    expect(await takeRewardsBack(deps(), inDays(136))).toBe(0);
    expect(await stateOf(pair)).toBe("rewarded");
  });
});

describe("an inviter", () => {
  const call = async (path: string, cookie: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${http.url}${path}`, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: { "content-type": "application/json", origin: http.url, cookie },
    });
    return (await response.json()) as Record<string, unknown>;
  };

  test("has one link, and sees who came by it with the address hidden", async () => {
    rules = usual;
    const login = await loginUser(scene);
    const asked = await Promise.all(
      Array.from({ length: 10 }, () => call("/backend/billing/referral/link/", login.cookie, {})),
    );
    const links = new Set(asked.map(({ link }) => link));
    expect(links.size).toBe(1);
    const { invited } = await invite(await scene.buyerOf(login.userId));
    const page = await call("/backend/billing/referral/list/", login.cookie);
    expect(page).toMatchObject({ is_on: true, link: [...links][0], inviter_quota: 2_500_000, wait_days: 14 });
    const [shown] = page["referrals"] as { who: string; state: string }[];
    expect(shown).toMatchObject({ who: `${invited.email[0]}•••@example.com`, state: "pending" });
    expect(JSON.stringify(page)).not.toContain(invited.email);
    const other = await loginUser(scene);
    expect((await call("/backend/billing/referral/list/", other.cookie))["referrals"]).toEqual([]);
  });

  test("gets no link while there are no rewards", async () => {
    rules = { ...usual, isOn: false };
    const { cookie } = await loginUser(scene);
    expect(await call("/backend/billing/referral/link/", cookie, {})).toMatchObject({ error: { code: "not_offered" } });
  });
});

test("the price of what is paid stays exact: a reward is one posting of its own", async () => {
  const pair = await invite();
  const order = await pay(pair.invited);
  await rewardReferrals(deps(), inDays(15));
  const posted = await scene.db.sql<{ change_type: string; amount: bigint }>`
    select p.change_type, e.amount from ledger_posting p join ledger_entry e on e.posting_id = p.id
    join ledger_account a on a.id = e.account_id where a.gateway_user_id = ${pair.invited.gatewayUserId}::bigint order by p.id`;
  expect([...posted]).toEqual([
    { change_type: "order_credit", amount: order.quota },
    { change_type: "referral_reward", amount: 500_000n },
  ]);
  expect(order.amountUsd).toBe("10.00" as Decimal);
});
