import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { BudgetId } from "@sluice/contracts/ids";
import { grantQuota } from "@sluice/control-plane/gateway/quota/grant-store.ts";
import { refusalMs } from "@sluice/control-plane/gateway/quota/lease-limits.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import {
  addMember,
  askAs,
  makeKey,
  makeOrganisation,
  type TestOrganisation,
} from "../support/accounts/organisation-scene.ts";
import { readBudget, waitForIdleReturn, watchBudget } from "../support/calls/budget-watch.ts";
import { allRoutes, type CallRoute, routesToTest, serveThrough, surfaces } from "../support/calls/call-routes.ts";
import { chat, type SeenCall } from "../support/calls/chat-call.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { untilDayLasts } from "../support/values/day-that-lasts.ts";
import { patienceMs } from "../support/values/patience.ts";

const { TEST_FULL } = process.env;
const isFull = TEST_FULL === "1";
const rounds = isFull ? 10 : 2;
const replicaCount = 3;
/** At once, and many more than are covered: each replica refuses most of its calls. */
const callCount = isFull ? 200 : 45;
const covered = 10;

const flat = { model: "flat", price: 1_000n };
/** Costs 0.5 quota for an input token and 2 quota for an output token. */
const perToken = { model: "per-token", outputTokens: 40 };
const perTokenBody = { model: perToken.model, max_tokens: perToken.outputTokens };

const chatRoute = allRoutes[0] as CallRoute;
const flatOf = ({ surface, channel }: CallRoute) => `flat-${surface}-${channel}`;
const perTokenOf = ({ surface, channel }: CallRoute) => `per-token-${surface}-${channel}`;
const tokenPrice = { input_usd_per_m: "1", output_usd_per_m: "4" };

let provider: SandboxProvider;
let rig: SluiceRig;
let replicas: SluiceProcess[];

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await rig.addFlatPriceModel(flat.model, flat.price);
  await rig.addTokenPriceModel(perToken.model, tokenPrice);
  for (const route of allRoutes) {
    await rig.addFlatPriceModel(flatOf(route), flat.price);
    await rig.addTokenPriceModel(perTokenOf(route), tokenPrice);
    await serveThrough(rig, flatOf(route), route.channel, provider.url);
    await serveThrough(rig, perTokenOf(route), route.channel, provider.url);
  }
  replicas = await Promise.all(Array.from({ length: replicaCount }, () => rig.startProcess({ PAYMENT_MOCK: "true" })));
});

afterAll(async () => {
  await rig.close();
  await provider.stop();
});

type Account = Pick<TestUser, "gatewayUserId" | "budgetId">;
/** Who calls for an account: one key, or one for each member of an organisation. */
type Callers = Account & { readonly apiKeys: readonly string[] };

const accounts = [
  {
    name: "a user",
    add: async (quota: bigint): Promise<Callers> => {
      const user = await rig.addUser(quota);
      return { ...user, apiKeys: [user.apiKey] };
    },
  },
  {
    name: "an organisation of three",
    add: async (quota: bigint): Promise<Callers> => await addTeam(quota),
  },
] as const;

/** An organisation whose owner and two members have a key each. */
async function addTeam(quota: bigint): Promise<Callers & TestOrganisation> {
  const url = urlOf(0);
  const organisation = await makeOrganisation(rig, url, quota);
  const members = [
    organisation.owner,
    await addMember(rig, url, organisation, "admin"),
    await addMember(rig, url, organisation, "member"),
  ];
  const keys = await Promise.all(members.map((member) => makeKey(url, member, organisation.id)));
  return { ...organisation, apiKeys: keys.map(({ secret }) => secret) };
}

const balances = [
  ...accounts,
  {
    name: "an organisation of three with a month of a plan",
    add: async (quota: bigint): Promise<Callers> => {
      const callers = await addTeam(0n);
      await buyMonth(callers, quota);
      return callers;
    },
  },
] as const;

/** Buys a plan that grants this much for a month. */
async function buyMonth({ id: organisation, owner }: TestOrganisation, quota: bigint): Promise<void> {
  const code = `month-${organisation}`;
  await rig.db.sql`
    insert into plan (plan_code, name, kind, price_usd, quota, features) values (${code}, 'Month', 'monthly', 5.00, ${quota}::bigint, '[]')`;
  const ask = async (path: string, sent: object) => await askAs(urlOf(0), owner, path, { body: sent, organisation });
  const { body } = await ask("/backend/billing/order/create/", { plan_code: code });
  const { order_no } = body["order"] as { order_no: string };
  expect((await ask("/backend/payment/mock-settle/", { order_no })).body).toMatchObject({ result: "settled" });
}

/** Calls until it is decided: a call that waited too long for a busy database is asked to come again. */
async function callUntilDecided(...[target, body]: Parameters<typeof chat>): Promise<SeenCall> {
  for (const deadline = performance.now() + patienceMs; ; ) {
    const call = await chat(target, body);
    if ((call.status !== 503 && call.status !== 529) || performance.now() > deadline) {
      return call;
    }
    await Bun.sleep(100);
  }
}

/** All calls at once, distributed over the keys and the replicas. */
function callAll(
  user: TestUser | Callers,
  body: Record<string, unknown>,
  count = callCount,
  { surface }: CallRoute = chatRoute,
): Promise<SeenCall[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const keys = "apiKeys" in user ? user.apiKeys : [user.apiKey];
      // Each key meets each replica.
      const apiKey = keys[Math.floor(index / replicaCount) % keys.length] ?? "";
      return callUntilDecided({ url: urlOf(index), apiKey, surface }, body);
    }),
  );
}

function urlOf(index: number): string {
  return replicas[index % replicas.length]?.url ?? "";
}

function expectTenOf(calls: readonly SeenCall[], { surface }: CallRoute = chatRoute): void {
  expect(calls.filter(({ isWhole }) => isWhole)).toHaveLength(covered);
  const [wanted, said] = surface === "messages" ? [402, "billing_error"] : [429, "insufficient_quota"];
  const refused = calls.filter(({ status, code }) => status === wanted && code === said);
  expect(refused).toHaveLength(calls.length - covered);
}

/** A limit of the key of a user, granted this much. */
async function limitKey(user: TestUser, granted: bigint, period: "none" | "daily"): Promise<BudgetId> {
  const [row] = await rig.db.sql<{ id: BudgetId }>`
    insert into budget (api_key_id, period, period_ends_at)
    select id, ${period}, case when ${period} = 'daily' then now() + interval '1 hour' end
    from api_key where gateway_user_id = ${user.gatewayUserId}::bigint returning id`;
  if (row === undefined) {
    throw new Error("the user has no key");
  }
  await grantQuota(rig.db, { budgetId: row.id, amount: granted, changeType: "test", reference: `limit ${row.id}` });
  return row.id;
}

/** What one such call sets aside, which is also what it costs when the provider reports the bound as used. */
function perTokenBound(): { readonly quota: bigint; readonly inputTokens: number } {
  const text = JSON.stringify({ messages: [{ role: "user", content: "Hello" }], ...perTokenBody });
  const inputTokens = Buffer.byteLength(text);
  return { inputTokens, quota: BigInt(Math.ceil(inputTokens / 2 + perToken.outputTokens * 2)) };
}

describe.each(balances)(
  "the balance of $name for ten calls, requested far more often at once on three replicas",
  ({ add }) => {
    test.each(Array.from({ length: rounds }, (_, round) => round))(
      "lets exactly ten through at a flat price and ends at 0, round %d",
      async (round) => {
        provider.reset();
        provider.script({ delayHeadMs: round % 2 === 0 ? 0 : 150 }, { times: "always" });
        const user = await add(BigInt(covered) * flat.price);
        const watch = watchBudget(rig.db, user.budgetId);
        expectTenOf(await callAll(user, { model: flat.model }));
        const state = await waitForIdleReturn(rig.db, user.budgetId);
        expect(provider.requests).toHaveLength(covered);
        expect(state).toMatchObject({ used: BigInt(covered) * flat.price, remaining: 0n });
        const { samples, leastRemaining, violations } = await watch.stop();
        expect(violations).toEqual([]);
        expect(leastRemaining).toBe(0n);
        // The budget was watched during the run, not only at its end; how often depends on the machine.
        expect(samples).toBeGreaterThan(1);
      },
    );

    test("lets exactly ten through at token prices when each uses all that was set aside for it", async () => {
      const bound = perTokenBound();
      const usage = { prompt_tokens: bound.inputTokens, completion_tokens: perToken.outputTokens };
      provider.reset();
      provider.script({ usage, delayHeadMs: 50 }, { times: "always" });
      const user = await add(BigInt(covered) * bound.quota);
      const watch = watchBudget(rig.db, user.budgetId);
      expectTenOf(await callAll(user, perTokenBody));
      const state = await waitForIdleReturn(rig.db, user.budgetId);
      expect(provider.requests).toHaveLength(covered);
      expect(state).toMatchObject({ used: BigInt(covered) * bound.quota, remaining: 0n });
      const { leastRemaining, violations } = await watch.stop();
      expect(violations).toEqual([]);
      expect(leastRemaining).toBe(0n);
    });

    test("lets exactly ten streams through", async () => {
      provider.reset();
      provider.script({ chunkDelayMs: 5 }, { times: "always" });
      const user = await add(BigInt(covered) * flat.price);
      expectTenOf(await callAll(user, { model: flat.model, stream: true }));
      const state = await waitForIdleReturn(rig.db, user.budgetId);
      expect(provider.requests).toHaveLength(covered);
      expect(state).toMatchObject({ used: BigInt(covered) * flat.price, remaining: 0n });
    });
  },
);

describe.each(routesToTest(2))("a balance for ten calls that are $name, requested far more often at once", (route) => {
  const expectSpent = async (user: TestUser, calls: readonly SeenCall[], cost: bigint): Promise<void> => {
    expectTenOf(calls, route);
    const state = await waitForIdleReturn(rig.db, user.budgetId);
    expect(provider.requests).toHaveLength(covered);
    expect(state).toMatchObject({ used: BigInt(covered) * cost, remaining: 0n });
    const rows = await rig.db.sql<{ id: string; quota: bigint }>`
      select request_id::text as id, quota from usage_log
      where gateway_user_id = ${user.gatewayUserId}::bigint and outcome = 'completed'`;
    const whole = calls.filter(({ isWhole }) => isWhole).map(({ requestId }) => requestId);
    expect(rows.map(({ id }) => id).sort()).toEqual(whole.map(String).sort());
    expect(rows.map(({ quota }) => quota)).toEqual(Array(covered).fill(cost));
    expect(await rig.checkMoney()).toEqual([]);
  };

  test.each([false, true])("lets exactly ten through at a flat price (stream %p)", async (stream) => {
    provider.reset();
    provider.script({ chunkDelayMs: 2 }, { times: "always" });
    const user = await rig.addUser(BigInt(covered) * flat.price);
    await expectSpent(user, await callAll(user, { model: flatOf(route), stream }, callCount, route), flat.price);
  });

  test.each([false, true])(
    "lets exactly ten through when each uses all that was set aside for it (stream %p)",
    async (stream) => {
      const limit = route.surface === "responses" ? "max_output_tokens" : "max_tokens";
      const body = { model: perTokenOf(route), [limit]: perToken.outputTokens, stream };
      const prompt = Buffer.byteLength(JSON.stringify({ ...surfaces[route.surface].fields, ...body }));
      const cost = BigInt(Math.ceil(prompt / 2 + perToken.outputTokens * 2));
      provider.reset();
      provider.script({ tokens: { prompt, completion: perToken.outputTokens }, delayHeadMs: 50 }, { times: "always" });
      const user = await rig.addUser(BigInt(covered) * cost);
      await expectSpent(user, await callAll(user, body, callCount, route), cost);
    },
  );
});

describe.each(accounts)("a limit of what $name spends, for ten calls, requested far more often at once", ({ add }) => {
  beforeEach(() => untilDayLasts());

  const limitSpend = async (user: Account, field: "spend_per_day" | "spend_per_month", calls: number) => {
    const amount = BigInt(calls) * flat.price;
    const [day, month] = field === "spend_per_day" ? [amount, null] : [null, amount];
    await rig.db.sql`
      insert into account_limit (scope, gateway_user_id, spend_per_day, spend_per_month)
      values ('user', ${user.gatewayUserId}::bigint, ${day}::bigint, ${month}::bigint)
      on conflict (scope, group_name, gateway_user_id, plan_code)
      do update set spend_per_day = excluded.spend_per_day, spend_per_month = excluded.spend_per_month`;
  };
  const spentOf = async (user: Account) => {
    const [row] = await rig.db.sql<{ spent: bigint }>`
      select sum(spent)::bigint as spent from account_spend where gateway_user_id = ${user.gatewayUserId}::bigint`;
    return row?.spent;
  };
  const expectTen = (calls: readonly SeenCall[], before = 0): void => {
    expect(calls.filter(({ isWhole }) => isWhole)).toHaveLength(covered - before);
    const refused = calls.filter(({ isWhole }) => !isWhole).map(({ status, code }) => `${status} ${code}`);
    expect(refused).toEqual(Array(calls.length - covered + before).fill("429 spend_limit_reached"));
  };

  test.each(["spend_per_day", "spend_per_month"] as const)(
    "lets exactly ten through, and ten more when %s allows twice as much",
    async (field) => {
      provider.reset();
      provider.script({ delayHeadMs: 50 }, { times: "always" });
      const user = await add(1_000_000n);
      await limitSpend(user, field, covered);
      const watch = watchBudget(rig.db, user.budgetId);
      expectTen(await callAll(user, { model: flat.model }));
      await waitForIdleReturn(rig.db, user.budgetId);
      expect([provider.requests.length, await spentOf(user)]).toEqual([covered, BigInt(covered) * flat.price]);
      await limitSpend(user, field, 2 * covered);
      // A replica repeats a refusal for a moment without asking the database.
      for (const replica of replicas) {
        while (!(await chat({ url: replica.url, apiKey: user.apiKeys[0] ?? "" }, { model: flat.model })).isWhole) {
          await Bun.sleep(20);
        }
      }
      expectTen(await callAll(user, { model: flat.model }), replicas.length);
      expect(await waitForIdleReturn(rig.db, user.budgetId)).toMatchObject({ used: 2n * BigInt(covered) * flat.price });
      expect(await spentOf(user)).toBe(2n * BigInt(covered) * flat.price);
      expect((await watch.stop()).violations).toEqual([]);
    },
  );

  test("counts the price with the multiplier", async () => {
    provider.reset();
    const user = await add(1_000_000n);
    await rig.db.sql`update gateway_user set rate_multiplier = 2 where id = ${user.gatewayUserId}::bigint`;
    await limitSpend(user, "spend_per_day", 2 * covered);
    expectTen(await callAll(user, { model: flat.model }));
    await waitForIdleReturn(rig.db, user.budgetId);
    expect(await spentOf(user)).toBe(2n * BigInt(covered) * flat.price);
    expect(await rig.checkMoney()).toEqual([]);
  });
});

describe("a key limit for ten calls, requested far more often at once on three replicas", () => {
  test("lets exactly ten through and leaves the rest of the user's quota alone", async () => {
    provider.reset();
    const user = await rig.addUser(1_000_000n);
    const limit = await limitKey(user, BigInt(covered) * flat.price, "none");
    const watch = watchBudget(rig.db, limit);
    expectTenOf(await callAll(user, { model: flat.model }));
    expect(await waitForIdleReturn(rig.db, limit)).toMatchObject({ remaining: 0n });
    expect(await waitForIdleReturn(rig.db, user.budgetId)).toMatchObject({
      used: BigInt(covered) * flat.price,
      remaining: 1_000_000n - BigInt(covered) * flat.price,
    });
    expect(provider.requests).toHaveLength(covered);
    const { leastRemaining, violations } = await watch.stop();
    expect(violations).toEqual([]);
    expect(leastRemaining).toBe(0n);
  });

  test("lets ten more through in the next period, and no more, although leases of the previous one are still out", async () => {
    await untilDayLasts();
    provider.reset();
    const user = await rig.addUser(1_000_000n);
    const limit = await limitKey(user, BigInt(covered) * flat.price, "daily");
    const watch = watchBudget(rig.db, limit);
    expectTenOf(await callAll(user, { model: flat.model }));
    await rig.waitForUsedQuota(user.budgetId, BigInt(covered) * flat.price);
    await rig.db.sql`update budget set period_ends_at = now() - interval '1 second' where id = ${limit}::bigint`;
    // No notification comes with the time: what a replica refused in the old period, it refuses this much longer.
    await Bun.sleep(refusalMs);
    expectTenOf(await callAll(user, { model: flat.model }));
    expect(provider.requests).toHaveLength(2 * covered);
    await waitForIdleReturn(rig.db, limit);
    expect(await readBudget(rig.db, limit)).toMatchObject({ used: BigInt(covered) * flat.price, remaining: 0n });
    expect((await watch.stop()).violations).toEqual([]);
  });
});

describe("quota that was set aside and not spent", () => {
  test("can be spent at once through any one replica, which recalls it from the others", async () => {
    provider.reset();
    provider.script({ status: 500 }, { times: 2 * covered });
    const user = await rig.addUser(BigInt(covered) * flat.price);
    const failed = await callAll(user, { model: flat.model }, covered);
    expect(failed.map(({ status }) => status)).toEqual(Array(covered).fill(502));
    const again = await Promise.all(
      Array.from({ length: covered }, () =>
        callUntilDecided({ url: urlOf(1), apiKey: user.apiKey }, { model: flat.model }),
      ),
    );
    expect(again.filter(({ isWhole }) => isWhole)).toHaveLength(covered);
    expect(await waitForIdleReturn(rig.db, user.budgetId)).toMatchObject({ remaining: 0n });
  });

  test("is given back when idle, and can be spent by a replica that starts later", async () => {
    provider.reset();
    const bound = perTokenBound();
    provider.script({ usage: { prompt_tokens: 0, completion_tokens: 0 }, text: "" }, { times: covered });
    const user = await rig.addUser(BigInt(covered) * bound.quota);
    const free = await callAll(user, perTokenBody, covered);
    expect(free.filter(({ isWhole }) => isWhole)).toHaveLength(covered);
    expect(await waitForIdleReturn(rig.db, user.budgetId)).toMatchObject({ remaining: user.granted });
    const late = await rig.startProcess();
    provider.script(
      { usage: { prompt_tokens: bound.inputTokens, completion_tokens: perToken.outputTokens } },
      { times: "always" },
    );
    const calls = await Promise.all(
      Array.from({ length: callCount }, () => callUntilDecided({ url: late.url, apiKey: user.apiKey }, perTokenBody)),
    );
    expectTenOf(calls);
    await late.stop();
    expect(await waitForIdleReturn(rig.db, user.budgetId)).toMatchObject({ remaining: 0n });
    expect(await rig.checkMoney()).toEqual([]);
  });
});
