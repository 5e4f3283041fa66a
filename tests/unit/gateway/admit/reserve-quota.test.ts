import { describe, expect, test } from "bun:test";
import type { BudgetId } from "@sluice/contracts/ids";
import type { Decimal, Quota } from "@sluice/contracts/money";
import { changeHold, lowersHold, reserveQuota } from "@sluice/control-plane/gateway/admit/reserve-quota.ts";
import type { Principal } from "@sluice/control-plane/gateway/model.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";
import type { HoldAnswer, Remainder } from "@sluice/control-plane/gateway/quota/model.ts";
import type { Amount } from "@sluice/control-plane/platform/amount.ts";
import { leaves, ScriptedLeases } from "../../../support/leases/scripted-leases.ts";

/** The same with a refusal as a rejection, at once or later. */
const reserve = async (...order: Parameters<typeof reserveQuota>) => await reserveQuota(...order);

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
const budgets = [userBudget, keyBudget, project, member];
const heldIn = (leases: ScriptedLeases): bigint[] => budgets.map((id) => leases.heldOf(id));
const shared = { ...limited, sharedBudgetIds: [project, member] };

test("a call of an organisation's key holds its bound with the multiplier in the budgets of project and member, too", async () => {
  const leases = new ScriptedLeases({});
  expect(await reserveQuota(leases, shared, cost)).toMatchObject({ sharedBudgetIds: [project, member] });
  expect(heldIn(leases)).toEqual([150n, 100n, 150n, 150n]);
  const alone = new ScriptedLeases({ [String(project)]: "insufficient" });
  await expect(reserve(alone, { ...shared, keyBudgetId: null }, cost)).rejects.toMatchObject({
    code: "insufficient_quota",
  });
});

test.each([keyBudget, project, member])("when budget %p has too little, nothing stays held in any", async (short) => {
  const leases = new ScriptedLeases({ [String(short)]: "insufficient" });
  await expect(reserve(leases, shared, cost)).rejects.toMatchObject({ code: "insufficient_quota" });
  expect(heldIn(leases)).toEqual([0n, 0n, 0n, 0n]);
});

test("a call whose budgets all cover it waits for nothing", () => {
  expect(reserveQuota(new ScriptedLeases({}), shared, cost)).not.toBeInstanceOf(Promise);
});

/** The same leases; these answer later. */
const withLate = (leases: ScriptedLeases, ...late: readonly BudgetId[]) => ({
  hold: (id: BudgetId, amount: Amount) => {
    const ask = () => leases.hold(id, amount);
    return late.includes(id) ? (async () => ask())() : ask();
  },
  settle: (id: BudgetId, held: bigint) => leases.settle(id, held),
  refusedBy: (id: BudgetId) => leases.refusedBy(id),
  remaindersOf: (ids: readonly BudgetId[]) => leases.remaindersOf(ids),
});

test.each(budgets)("when the lease of budget %p has to be fetched, all or nothing is held, too", async (late) => {
  const ample = new ScriptedLeases({});
  await reserve(withLate(ample, late), shared, cost);
  expect(heldIn(ample)).toEqual([150n, 100n, 150n, 150n]);
  expect(ample.asked).toEqual(budgets.toReversed());
  for (const short of budgets) {
    const leases = new ScriptedLeases({ [String(short)]: "insufficient" });
    const reserving = reserve(withLate(leases, late), shared, cost);
    await expect(reserving).rejects.toMatchObject({ code: "insufficient_quota" });
    expect(heldIn(leases)).toEqual([0n, 0n, 0n, 0n]);
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
    expect(heldIn(leases)).toEqual([0n, 0n, 0n, 0n]);
  });

  test("names the key for a free call, if only its limit is overdrawn", async () => {
    const leases = new ScriptedLeases({ [String(keyBudget)]: "insufficient" }, { 2: leaves(-5n) });
    await expect(reserve(leases, limited, 0)).rejects.toThrow(ofKey);
  });

  test("asks to come again while the database can't say which one is the tightest", async () => {
    const leases = new ScriptedLeases({ [String(keyBudget)]: "insufficient" });
    const mute = Object.assign(leases, { remaindersOf: () => Promise.reject(new Error("no database")) });
    await expect(reserve(mute, shared, cost)).rejects.toMatchObject({ code: "temporarily_unavailable" });
    expect(heldIn(leases)).toEqual([0n, 0n, 0n, 0n]);
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
    expect(heldIn(leases)).toEqual([375n, 250n, 375n, 375n]);
    await changeHold(leases, shared, larger ?? hold, 31);
    expect(heldIn(leases)).toEqual([47n, 31n, 47n, 47n]);
    const spent = new ScriptedLeases({ [String(member)]: "insufficient" });
    expect(await changeHold(spent, shared, hold, 250)).toBeNull();
    expect(heldIn(spent)).toEqual([0n, 0n, 0n, 0n]);
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
    await expect(reserve(withLate(waiting, ...budgets), shared, cost)).rejects.toThrow("broken");
    for (const leases of [changing, beginning, waiting]) {
      expect(heldIn(leases)).toEqual([0n, 0n, 0n, 0n]);
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
