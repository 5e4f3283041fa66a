import { describe, expect, test } from "bun:test";
import type { BudgetId } from "@sluice/contracts/ids";
import type { Decimal, Quota } from "@sluice/contracts/money";
import {
  boundCost,
  boundUnits,
  changeHold,
  lowersHold,
  reserveQuota,
} from "@sluice/control-plane/gateway/admit/reserve-quota.ts";
import type { ModelEntry, Principal, RequestBounds } from "@sluice/control-plane/gateway/model.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";
import type { HoldAnswer, Remainder } from "@sluice/control-plane/gateway/quota/model.ts";
import { costOf } from "@sluice/control-plane/models/cost.ts";
import { toPriceVersion } from "@sluice/control-plane/models/model.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { type Amount, minus, toAmount } from "@sluice/control-plane/platform/amount.ts";
import fc from "fast-check";
import { prices } from "../../../support/calls/priced-usage.ts";
import { leaves, ScriptedLeases } from "../../../support/leases/scripted-leases.ts";

/** The same with a refusal as a rejection, at once or later. */
const reserve = async (...order: Parameters<typeof reserveQuota>) => await reserveQuota(...order);

const { TEST_FULL } = process.env;
const numRuns = TEST_FULL === "1" ? 100_000 : 1_000;
const timeoutMs = 300_000;

const requestBounds: fc.Arbitrary<RequestBounds> = fc.record({
  inputTokensMax: fc.option(fc.nat(1_000_000), { nil: null }),
  isOneContext: fc.boolean(),
  inputImages: fc.nat(20),
  inputPages: fc.nat(20),
  searches: fc.nat(20),
  fileLetters: fc.option(fc.nat(1_000), { nil: null }),
  outputTokensMax: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: null }),
  choices: fc.integer({ min: 1, max: 128 }),
  outputImages: fc.nat(128),
  audioMs: fc.nat(100_000_000),
  characters: fc.nat(1_000),
});
const requests = requestBounds.map((bounds) => ({ bounds }));

const models = fc.record({
  contextTokensMax: fc.integer({ min: 1, max: 2_000_000 }),
  outputTokensMax: fc.integer({ min: 1, max: 100_000 }),
  imageTokensMax: fc.nat(50_000),
  price: prices.map(toPriceVersion),
});

const entry = (fields: Pick<ModelEntry, "contextTokensMax" | "outputTokensMax" | "imageTokensMax" | "price">) => ({
  name: "any",
  ownedBy: "test",
  kind: "chat" as const,
  createdAt: 0,
  deprecatedAtMs: null,
  sunsetAtMs: null,
  replacement: null,
  lifeHeaders: null,
  ...fields,
});

test(
  "no usage within the bound costs more than what is set aside, however it is spread over the lines",
  () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const part = (whole: Amount, of: number): Amount =>
      toAmount((BigInt(whole) * BigInt(Math.round(of * 1e9))) / 1_000_000_000n);
    const property = fc.property(
      requests,
      models,
      fc.tuple(share, share, share, share, share, share),
      (request, model, shares) => {
        const bound = boundUnits(request, entry(model));
        const inputTokens = part(bound.inputTokens, shares[0]);
        const outputTokens = part(bound.outputTokens, shares[1]);
        const cacheReadTokens = part(inputTokens, shares[2]);
        const cost = costOf(
          {
            ...noUnits,
            inputTokens,
            outputTokens,
            cacheReadTokens,
            cacheWriteTokens: part(minus(inputTokens, cacheReadTokens), shares[3]),
            cacheWrite1hTokens: part(minus(inputTokens, cacheReadTokens), 1 - shares[3]),
            reasoningTokens: part(outputTokens, shares[4]),
            searches: request.bounds.searches ?? 0,
            images: request.bounds.outputImages,
            audioMs: part(bound.audioMs, shares[5]),
          },
          model.price,
          1,
        );
        expect(cost).toBeLessThanOrEqual(boundCost(bound, entry(model)));
      },
    );
    fc.assert(property, { numRuns });
  },
  timeoutMs,
);

test(
  "the bound is reached: not more is set aside than a call can cost",
  () => {
    fc.assert(
      fc.property(requests, models, prices, (request, fields, texts) => {
        const parts = { cache_read_usd_per_m: "0", cache_write_usd_per_m: "0", cache_write_1h_usd_per_m: "0" };
        const free = { ...parts, reasoning_usd_per_m: "0", long_prompt: null };
        const model = entry({ ...fields, price: toPriceVersion({ ...texts, ...free }) });
        const units = boundUnits(request, model);
        expect(costOf(units, model.price, 1)).toBe(boundCost(units, model));
      }),
      { numRuns },
    );
  },
  timeoutMs,
);

test("input that the provider stores is bounded by the context of the model, read again after each search", () => {
  fc.assert(
    fc.property(requests, models, (request, fields) => {
      const model = entry(fields);
      const bound = boundUnits({ bounds: { ...request.bounds, inputTokensMax: null } }, model);
      expect(bound.inputTokens).toBe(model.contextTokensMax * (1 + (request.bounds.searches ?? 0)));
    }),
    { numRuns: 100 },
  );
});

describe("what is set aside", () => {
  const small = entry({
    contextTokensMax: 10_000,
    outputTokensMax: 1_000,
    imageTokensMax: 700,
    price: toPriceVersion({
      ...{
        version: 1,
        input_usd_per_m: "1",
        output_usd_per_m: "1",
        cache_read_usd_per_m: null,
        cache_write_usd_per_m: null,
        reasoning_usd_per_m: null,
      },
      ...{
        request_usd: "0",
        image_usd: "0",
        second_usd: "0",
        cache_write_1h_usd_per_m: null,
        search_usd_per_k: "0",
        long_prompt: null,
      },
    }),
  });
  const bounds: RequestBounds = {
    ...{ inputTokensMax: 300, isOneContext: true, inputImages: 0, outputTokensMax: null, choices: 1 },
    ...{ outputImages: 0, audioMs: 0, characters: 0, inputPages: 0, fileLetters: 0 },
  };

  test.each([
    ["the most that the model can give, if the request sets no limit", {}, 300, 1_000],
    ["what was requested, if that is less", { outputTokensMax: 20 }, 300, 20],
    ["no more than the model can give", { outputTokensMax: 5_000 }, 300, 1_000],
    ["that much for each requested response", { outputTokensMax: 20, choices: 3 }, 300, 60],
    ["the largest image of the model for each image", { inputImages: 2 }, 1_700, 1_000],
    ["no more input than one context takes", { inputTokensMax: 90_000 }, 10_000, 1_000],
    ["more if each text has its own context", { inputTokensMax: 90_000, isOneContext: false }, 90_000, 1_000],
  ])("is %s", (_rule, asked, inputTokens, outputTokens) => {
    expect(boundUnits({ bounds: { ...bounds, ...asked } }, small)).toMatchObject({ inputTokens, outputTokens });
  });
});

const userBudget = 1n as BudgetId;
const keyBudget = 2n as BudgetId;
const cost = 100;
const limited: Pick<Principal, "userBudgetId" | "keyBudgetId" | "sharedBudgetIds" | "rateMultiplier"> = {
  userBudgetId: userBudget,
  keyBudgetId: keyBudget,
  sharedBudgetIds: [],
  rateMultiplier: "1.5000" as Decimal,
};

test("a call holds its bound with the multiplier against the user's budget, and without it against the key's limit", async () => {
  const leases = new ScriptedLeases({ [String(keyBudget)]: "held" });
  expect(await reserveQuota(leases, limited, cost)).toEqual({
    userBudgetId: userBudget,
    userAmount: 150,
    keyBudgetId: keyBudget,
    keyAmount: cost,
    sharedBudgetIds: [],
  });
  expect(leases.heldOf(userBudget)).toBe(150n);
  expect(leases.heldOf(keyBudget)).toBe(100n);
});

const [project, member] = [3n as BudgetId, 4n as BudgetId];
const shared = { ...limited, sharedBudgetIds: [project, member] };

test("a call of an organisation's key holds its bound with the multiplier in the budgets of project and member, too", async () => {
  const leases = new ScriptedLeases({});
  expect(await reserveQuota(leases, shared, cost)).toMatchObject({ sharedBudgetIds: [project, member] });
  expect([userBudget, keyBudget, project, member].map((id) => leases.heldOf(id))).toEqual([150n, 100n, 150n, 150n]);
  const alone = new ScriptedLeases({ [String(project)]: "insufficient" });
  await expect(reserve(alone, { ...shared, keyBudgetId: null }, cost)).rejects.toMatchObject({
    code: "insufficient_quota",
  });
});

test.each([keyBudget, project, member])("when budget %p has too little, nothing stays held in any", async (short) => {
  const leases = new ScriptedLeases({ [String(short)]: "insufficient" });
  await expect(reserve(leases, shared, cost)).rejects.toMatchObject({ code: "insufficient_quota" });
  expect([userBudget, keyBudget, project, member].map((id) => leases.heldOf(id))).toEqual([0n, 0n, 0n, 0n]);
});

test("a call whose budgets all cover it waits for nothing", () => {
  expect(reserveQuota(new ScriptedLeases({}), shared, cost)).not.toBeInstanceOf(Promise);
});

const budgets = [userBudget, keyBudget, project, member];

/** The same leases; one of them answers later. */
const withLate = (leases: ScriptedLeases, late: BudgetId) => ({
  hold: (id: BudgetId, amount: bigint) => {
    const answer = leases.hold(id, amount);
    return id === late ? Promise.resolve(answer) : answer;
  },
  settle: (id: BudgetId, held: bigint) => leases.settle(id, held),
  refusedBy: (id: BudgetId) => leases.refusedBy(id),
  remaindersOf: (ids: readonly BudgetId[]) => leases.remaindersOf(ids),
});

test.each(budgets)("when the lease of budget %p has to be fetched, all or nothing is held, too", async (late) => {
  const ample = new ScriptedLeases({});
  await reserve(withLate(ample, late), shared, cost);
  expect(budgets.map((id) => ample.heldOf(id))).toEqual([150n, 100n, 150n, 150n]);
  expect(ample.asked).toEqual(budgets.toReversed());
  for (const short of budgets) {
    const leases = new ScriptedLeases({ [String(short)]: "insufficient" });
    const reserving = reserve(withLate(leases, late), shared, cost);
    await expect(reserving).rejects.toMatchObject({ code: "insufficient_quota" });
    expect(budgets.map((id) => leases.heldOf(id))).toEqual([0n, 0n, 0n, 0n]);
  }
});

test.each([
  ["insufficient", "insufficient_quota"],
  ["unavailable", "temporarily_unavailable"],
] as const)("when the key's limit is %s, nothing stays held for the user", async (answer, code) => {
  const leases = new ScriptedLeases({ [String(keyBudget)]: answer });
  await expect(reserve(leases, limited, cost)).rejects.toMatchObject({ code });
  expect(leases.heldOf(userBudget)).toBe(0n);
});

test("what a limit refuses was never set aside in the user's budget", async () => {
  const leases = new ScriptedLeases({ [String(keyBudget)]: "insufficient" });
  await expect(reserve(leases, limited, cost)).rejects.toMatchObject({ code: "insufficient_quota" });
  expect(leases.asked).toEqual([keyBudget]);
});

describe("of budgets that are short at the same time, a refusal", () => {
  const [ofKey, ofBalance, ofProject] = ["limit of this API key", "remaining balance", "budget of this project"];
  const monthly = {
    ...({ period: "monthly", limit: 900n as Quota, spent: 0n as Quota } as const),
    resetsAt: new Date("2026-12-01T00:00:00Z"),
  };

  // A call takes 150 of the balance, of project and member, and 100 of the key's limit.
  test.each([
    ["the key, if its limit covers fewer such calls", { 1: leaves(1_650n), 2: leaves(1_000n) }, ofKey],
    ["the balance, if it covers fewer", { 1: leaves(1_500n), 2: leaves(1_100n) }, ofBalance],
    ["the balance, if they cover as many", { 1: leaves(1_500n), 2: leaves(1_000n) }, ofBalance],
    ["the balance, if it alone would be short with everything back", { 1: leaves(149n), 2: leaves(100n) }, ofBalance],
    ["the key, if it alone would be", { 1: leaves(150n), 2: leaves(99n) }, ofKey],
    ["the tighter of two that both would be", { 1: leaves(30n), 2: leaves(30n) }, ofBalance],
    ["the limit of spending that is tightest", { 1: leaves(900n, monthly), 2: leaves(1_000n) }, "per month"],
    ["the project", { 1: leaves(900n), 2: leaves(1_000n), 3: leaves(300n), 4: leaves(600n) }, ofProject],
  ])("names %s", async (_rule, remainders: Record<string, Remainder>, said) => {
    const answers = Object.fromEntries(Object.keys(remainders).map((id) => [id, "insufficient" as const]));
    const leases = new ScriptedLeases(answers, remainders);
    await expect(reserve(leases, shared, cost)).rejects.toThrow(said);
    expect(leases.asked).toHaveLength("3" in remainders ? 1 : 3);
    expect(budgets.map((id) => leases.heldOf(id))).toEqual([0n, 0n, 0n, 0n]);
  });

  test("names the key for a free call, if only its limit is overdrawn", async () => {
    const leases = new ScriptedLeases({ [String(keyBudget)]: "insufficient" }, { 2: leaves(-5n) });
    await expect(reserve(leases, limited, 0)).rejects.toThrow(ofKey);
  });

  test("asks to come again while the database can't say which one is the tightest", async () => {
    const leases = new ScriptedLeases({ [String(keyBudget)]: "insufficient" });
    const mute = Object.assign(leases, { remaindersOf: () => Promise.reject(new Error("no database")) });
    await expect(reserve(mute, shared, cost)).rejects.toMatchObject({ code: "temporarily_unavailable" });
    expect(budgets.map((id) => leases.heldOf(id))).toEqual([0n, 0n, 0n, 0n]);
  });
});

test("a refusal by a limit of spending says which one, what is spent and when it resets", async () => {
  const spendLimit = {
    period: "daily",
    limit: 5_000_000n as Quota,
    spent: 4_999_999n as Quota,
    resetsAt: new Date("2026-11-24T00:00:00Z"),
  } as const;
  const leases = new ScriptedLeases(
    { [String(userBudget)]: "insufficient" },
    { [String(userBudget)]: leaves(1n, spendLimit) },
  );
  await expect(reserve(leases, limited, cost)).rejects.toMatchObject({
    code: "spend_limit_reached",
    message:
      "Your account can spend 10.000000 USD per day and has spent 9.999998: this call could exceed that. It resets at 2026-11-24T00:00:00Z.",
    isFinal: true,
  });
});

test.each([
  ["/v1/chat/completions", 0, "A smaller 'max_tokens' lowers"],
  ["/v1/responses", 0, "A smaller 'max_output_tokens' lowers"],
  ["/v1beta/models/m:generateContent", 0, "A smaller 'generationConfig.maxOutputTokens' lowers"],
  ["/v1/messages", 0, "A smaller 'max_tokens' lowers"],
  ["/v1/messages", 2, "A smaller 'max_tokens' or 'max_uses' of searches lowers"],
  ["/v1/images/generations", 0, "A smaller 'n' lowers"],
  ["/v1/embeddings", 0, "A shorter request lowers"],
])(
  "a refusal names what made the bound large, in the words of the client's API: %s, %p searches",
  async (path, searches, advice) => {
    const leases = new ScriptedLeases({ [String(userBudget)]: "insufficient" });
    const reserving = async () =>
      await reserveQuota(leases, limited, cost, { lowers: lowersHold(findOperation(path), { searches }) });
    await expect(reserving()).rejects.toThrow(advice);
  },
);

test.each([
  [userBudget, "Your remaining balance does not cover this call. Top up your account. A smaller 'n' lowers"],
  [keyBudget, "The remaining limit of this API key does not cover this call. A smaller 'n' lowers"],
])("a refusal advises to top up only where the balance is short: budget %p", async (short, message) => {
  const leases = new ScriptedLeases({ [String(short)]: "insufficient" });
  const reserving = async () => await reserveQuota(leases, limited, cost, { lowers: "A smaller 'n'" });
  await expect(reserving()).rejects.toThrow(message);
});

describe("the hold of a call that turns to another model", () => {
  const begun = async (leases: ScriptedLeases) => await reserveQuota(leases, limited, cost);
  const changedTo = (userAmount: number, keyAmount: number) => ({
    ...{ userBudgetId: userBudget, userAmount },
    ...{ keyBudgetId: keyBudget, keyAmount, sharedBudgetIds: [] },
  });

  test.each([
    ["grows to the bound of a dearer one", 250, 375],
    ["shrinks to the bound of a cheaper one", 31, 47],
    ["stays as it is at the same bound", 100, 150],
  ])("%s", async (_rule, next, user) => {
    const leases = new ScriptedLeases({});
    const hold = await begun(leases);
    expect(await changeHold(leases, limited, hold, next)).toEqual(changedTo(user, next));
    expect([leases.heldOf(userBudget), leases.heldOf(keyBudget)]).toEqual([BigInt(user), BigInt(next)]);
  });

  test("changes what it has in the budgets of project and member, too, in all of them or in none", async () => {
    const leases = new ScriptedLeases({});
    const hold = await reserveQuota(leases, shared, cost);
    const larger = await changeHold(leases, shared, hold, 250);
    const heldNow = () => [userBudget, keyBudget, project, member].map((id) => leases.heldOf(id));
    expect(heldNow()).toEqual([375n, 250n, 375n, 375n]);
    await changeHold(leases, shared, larger ?? hold, 31);
    expect(heldNow()).toEqual([47n, 31n, 47n, 47n]);
    const spent = new ScriptedLeases({ [String(member)]: "insufficient" });
    expect(await changeHold(spent, shared, hold, 250)).toBeNull();
    expect([userBudget, keyBudget, project, member].map((id) => spent.heldOf(id))).toEqual([0n, 0n, 0n, 0n]);
  });

  test.each([keyBudget, project, member])("holds no more of the others if budget %p can't be asked", async (broken) => {
    class BrokenLeases extends ScriptedLeases {
      override hold(budgetId: BudgetId, amount: Amount): HoldAnswer {
        if (budgetId === broken) {
          throw new RangeError("broken");
        }
        return super.hold(budgetId, amount);
      }
    }
    const hold = await reserveQuota(new ScriptedLeases({}), shared, cost);
    const changing = new BrokenLeases({});
    await expect(changeHold(changing, shared, hold, 250)).rejects.toThrow("broken");
    const beginning = new BrokenLeases({});
    expect(() => reserveQuota(beginning, shared, cost)).toThrow("broken");
    const waiting = new BrokenLeases({});
    const late = {
      hold: async (budgetId: BudgetId, amount: Amount) => waiting.hold(budgetId, amount),
      settle: (budgetId: BudgetId, held: Amount) => waiting.settle(budgetId, held),
      refusedBy: (budgetId: BudgetId) => waiting.refusedBy(budgetId),
      remaindersOf: (ids: readonly BudgetId[]) => waiting.remaindersOf(ids),
    };
    await expect(reserve(late, shared, cost)).rejects.toThrow("broken");
    for (const leases of [changing, beginning, waiting]) {
      expect([userBudget, keyBudget, project, member].map((id) => leases.heldOf(id))).toEqual([0n, 0n, 0n, 0n]);
    }
  });

  test.each([userBudget, keyBudget])("stays as it was if budget %p does not cover the other", async (short) => {
    const plenty = new ScriptedLeases({});
    const hold = await begun(plenty);
    for (const answer of ["insufficient", "unavailable"] as const) {
      const leases = new ScriptedLeases({ [String(short)]: answer });
      expect(await changeHold(leases, limited, hold, 250)).toBeNull();
      expect([leases.heldOf(userBudget), leases.heldOf(keyBudget)]).toEqual([0n, 0n]);
    }
  });
});
