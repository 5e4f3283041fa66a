import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import { rewardReferrals, takeRewardsBack } from "@sluice/control-plane/payments/referrals/reward-referrals.ts";
import { referralEndpoints } from "@sluice/control-plane/payments/referrals/routes.ts";
import { loginUser, sessionsOf } from "../../support/accounts/logins.ts";
import { inDays, ReferralScene, usualReferralRules } from "../../support/payments/referral-scene.ts";
import { type EndpointServer, serveEndpoints } from "../../support/service/endpoint-server.ts";

let scene: ReferralScene;
let http: EndpointServer;

beforeAll(async () => {
  scene = await ReferralScene.create();
  const endpoints = referralEndpoints({ ...scene.deps, baseUrl: "https://sluice.example" });
  http = serveEndpoints(endpoints, sessionsOf(scene.billing.db));
});

afterEach(() => scene.endTest());

afterAll(async () => {
  await http.stop();
  await scene[Symbol.asyncDispose]();
});

describe("both are rewarded", () => {
  test("once the first payment has lasted, once, also by ten jobs at once", async () => {
    const pair = await scene.invite();
    await scene.pay(pair.invited);
    expect(await rewardReferrals(scene.deps, inDays(13))).toBe(0);
    expect(await scene.billing.balance(pair.inviter)).toBe(0n);
    await Promise.all(Array.from({ length: 10 }, () => rewardReferrals(scene.deps, inDays(15))));
    expect(await scene.stateOf(pair)).toBe("rewarded");
    expect(await scene.billing.balance(pair.inviter)).toBe(2_500_000n);
    expect(await scene.billing.balance(pair.invited)).toBe(5_500_000n);
    await scene.pay(pair.invited);
    await rewardReferrals(scene.deps, inDays(40));
    expect(await scene.billing.balance(pair.inviter)).toBe(2_500_000n);
  });

  test("on the terms of the day of the registration", async () => {
    const pair = await scene.invite();
    await scene.pay(pair.invited);
    scene.rules = { ...usualReferralRules, inviterCents: 1, waitDays: 300 };
    await rewardReferrals(scene.deps, inDays(15));
    expect(await scene.billing.balance(pair.inviter)).toBe(2_500_000n);
  });
});

test("the invited person is rewarded alone if the inviter has closed the account", async () => {
  const pair = await scene.invite();
  await scene.pay(pair.invited);
  await scene.close(pair.inviter.userId);
  expect(await rewardReferrals(scene.deps, inDays(15))).toBe(1);
  expect(await scene.stateOf(pair)).toBe("rewarded");
  expect(await scene.billing.balance(pair.inviter)).toBe(0n);
  expect(await scene.billing.balance(pair.invited)).toBe(5_500_000n);
});

describe("a reward is taken back", () => {
  test("once, from both, when the payment is refunded or disputed in time", async () => {
    const pairs = [await scene.invite(), await scene.invite()] as const;
    const orders = [await scene.pay(pairs[0].invited), await scene.pay(pairs[1].invited)] as const;
    await rewardReferrals(scene.deps, inDays(15));
    await scene.refund(orders[0]);
    await scene.billing.db
      .sql`update sales_order set review_reason = 'gateway_reversal: dispute' where id = ${orders[1].id}::bigint`;
    await Promise.all(Array.from({ length: 5 }, () => takeRewardsBack(scene.deps, inDays(100))));
    expect(await Promise.all(pairs.map((pair) => scene.stateOf(pair)))).toEqual(["taken_back", "taken_back"]);
    expect(await scene.billing.balance(pairs[0].inviter)).toBe(0n);
    expect(await scene.billing.balance(pairs[0].invited)).toBe(0n);
    expect(await scene.billing.balance(pairs[1].invited)).toBe(5_000_000n);
  });

  test("not after its days are over", async () => {
    const pair = await scene.invite();
    const order = await scene.pay(pair.invited);
    await rewardReferrals(scene.deps, inDays(15));
    await scene.refund(order);
    expect(await takeRewardsBack(scene.deps, inDays(136))).toBe(0);
    expect(await scene.stateOf(pair)).toBe("rewarded");
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
    scene.rules = usualReferralRules;
    const login = await loginUser(scene.billing);
    const asked = await Promise.all(
      Array.from({ length: 10 }, () => call("/backend/billing/referral/link/", login.cookie, {})),
    );
    const links = new Set(asked.map(({ link }) => link));
    expect(links.size).toBe(1);
    const { invited } = await scene.invite(await scene.billing.buyerOf(login.userId));
    const page = await call("/backend/billing/referral/list/", login.cookie);
    expect(page).toMatchObject({ is_on: true, link: [...links][0], inviter_quota: 2_500_000, wait_days: 14 });
    const [shown] = page["referrals"] as { who: string; state: string }[];
    expect(shown).toMatchObject({ who: `${invited.email[0]}•••@example.com`, state: "pending" });
    expect(JSON.stringify(page)).not.toContain(invited.email);
    const other = await loginUser(scene.billing);
    expect((await call("/backend/billing/referral/list/", other.cookie))["referrals"]).toEqual([]);
  });

  test("gets no link while there are no rewards", async () => {
    scene.rules = { ...usualReferralRules, isOn: false };
    const { cookie } = await loginUser(scene.billing);
    expect(await call("/backend/billing/referral/link/", cookie, {})).toMatchObject({ error: { code: "not_offered" } });
  });
});

test("the price of what is paid stays exact: a reward is one posting of its own", async () => {
  const pair = await scene.invite();
  const order = await scene.pay(pair.invited);
  await rewardReferrals(scene.deps, inDays(15));
  const posted = await scene.billing.db.sql<{ change_type: string; amount: bigint }>`
    select p.change_type, e.amount from ledger_posting p join ledger_entry e on e.posting_id = p.id
    join ledger_account a on a.id = e.account_id where a.gateway_user_id = ${pair.invited.gatewayUserId}::bigint order by p.id`;
  expect([...posted]).toEqual([
    { change_type: "order_credit", amount: order.quota },
    { change_type: "referral_reward", amount: 500_000n },
  ]);
  expect(order.amountUsd).toBe("10.00" as Decimal);
});
