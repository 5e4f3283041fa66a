import type { BudgetId } from "@sluice/contracts/ids";
import { usdOfQuota } from "@sluice/contracts/money";
import type { Dialect } from "@sluice/contracts/upstreams";
import { costOf, withMultiplierAboveOne } from "../../models/cost.ts";
import type { Units } from "../../models/units.ts";
import { type Amount, amountOf, minus, plus, times } from "../../platform/amount.ts";
import { AppError } from "../../platform/errors.ts";
import type { Hold, ModelEntry, ParsedRequest, Principal, RequestBounds } from "../model.ts";
import type { Operation } from "../operations/model.ts";
import type { QuotaLeases } from "../quota/leases.ts";
import type { HoldAnswer, Remainder, SpendLimit } from "../quota/model.ts";

/** Units that no response to this request can exceed: what the body says, bounded by what the model can do. */
export function boundUnits({ bounds }: Pick<ParsedRequest, "bounds">, model: ModelEntry): Units {
  const outputPerChoice = Math.min(bounds.outputTokensMax ?? model.outputTokensMax, model.outputTokensMax);
  // Each is named, because this runs for every call: a copy of `noUnits` is made by native code.
  return {
    // A provider reads the conversation again after each search.
    inputTokens: amountOf(boundInput(bounds, model) * (1 + (bounds.searches ?? 0))),
    outputTokens: amountOf(outputPerChoice * bounds.choices),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: 0,
    images: bounds.outputImages,
    audioMs: bounds.audioMs,
    searches: bounds.searches ?? bounds.ranks?.searchUnitsMax ?? 0,
  };
}

/** The most images that a request can ask for. */
const picturesMax = 128;
/** The most searches of a model that searches without being told to. */
const searchesMax = 128;

/**
 * More than any response to this request can have used, whatever a provider reports: what was set aside, plus the most
 * that the model reads and writes for each response. That margin is for providers that exceed the limits of a request,
 * or count what the request does not show.
 */
export function plausibleUnits(request: Pick<ParsedRequest, "bounds">, model: ModelEntry, held: Units): Units {
  const { choices, searches = 0 } = request.bounds;
  return {
    ...held,
    inputTokens: plus(held.inputTokens, amountOf(model.contextTokensMax * (choices + searches))),
    outputTokens: plus(held.outputTokens, amountOf(model.outputTokensMax * choices)),
    images: held.images + picturesMax,
    audioMs: times(held.audioMs, 2),
    searches: held.searches + searchesMax,
  };
}

function boundInput({ inputTokensMax, inputImages, isOneContext }: RequestBounds, model: ModelEntry): number {
  if (inputTokensMax === null) {
    return model.contextTokensMax;
  }
  const tokens = inputTokensMax + inputImages * model.imageTokensMax;
  return isOneContext ? Math.min(tokens, model.contextTokensMax) : tokens;
}

/** The most that a call within these units can cost: each token at the most expensive price it could be charged at. */
export function boundCost(bound: Units, model: ModelEntry): Amount {
  return costOf(bound, model.price.highest, 1);
}

/** What lowers the output in each API, in the words of its clients. */
const lowersOutput: Readonly<Record<Dialect, string>> = {
  chat: "A smaller 'max_tokens'",
  responses: "A smaller 'max_output_tokens'",
  messages: "A smaller 'max_tokens'",
  gemini: "A smaller 'generationConfig.maxOutputTokens'",
  cohere: "A smaller 'max_tokens'",
};

/** What a client can change so that less has to be set aside; null if nothing of its request is known. */
export function lowersHold(
  { dialect, output }: Pick<Operation, "dialect" | "output">,
  { searches = 0 }: Pick<RequestBounds, "searches">,
): string | null {
  if (output === "images") {
    return "A smaller 'n'";
  }
  if (output !== "text") {
    return "A shorter request";
  }
  const lowers = lowersOutput[dialect];
  return searches > 0 ? `${lowers} or 'max_uses' of searches` : lowers;
}

type Holder = Pick<QuotaLeases, "hold" | "settle" | "refusedBy" | "remaindersOf">;
type Holding = Pick<Principal, "userBudgetId" | "keyBudgetId" | "sharedBudgetIds" | "rateMultiplier">;

/** How quota is set aside. */
type Reserving = {
  /** What would lower the bound, named in a refusal; null if it names nothing. */
  readonly lowers: string | null;
  /** Now, if the time was just read. */
  readonly tick?: number;
};

/**
 * Sets the bound aside in the user's budget and, if the key has a limit, in the key's budget; for a key of an organisation
 * also in the budgets of its project and member. The user's is the last: what a limit refuses was never set aside in it,
 * where other keys would miss it.
 * @returns a promise only when a lease has to be fetched first, or budgets are compared for a refusal
 * @throws AppError `insufficient_quota`, `spend_limit_reached`, `temporarily_unavailable`
 */
export function reserveQuota(
  leases: Holder,
  principal: Holding,
  cost: Amount,
  reserving: Reserving = { lowers: null },
): Hold | Promise<Hold> {
  const hold = holdFor(principal, cost);
  return reserveFrom(leases, hold, reserving, countBudgets(hold) - 1);
}

function holdFor({ userBudgetId, keyBudgetId, sharedBudgetIds, rateMultiplier }: Holding, cost: Amount): Hold {
  const userAmount = withMultiplierAboveOne(cost, rateMultiplier);
  return { userBudgetId, userAmount, keyBudgetId, keyAmount: keyBudgetId === null ? 0 : cost, sharedBudgetIds };
}

/** How many budgets a hold takes from. The user's has number 0, then the key's if it has a limit, then those that are shared. */
function countBudgets({ keyBudgetId, sharedBudgetIds }: Hold): number {
  return (keyBudgetId === null ? 1 : 2) + sharedBudgetIds.length;
}

function budgetAt({ userBudgetId, keyBudgetId, sharedBudgetIds }: Hold, at: number): BudgetId {
  if (at === 0) {
    return userBudgetId;
  }
  const shared = keyBudgetId === null ? at - 1 : at - 2;
  return keyBudgetId !== null && at === 1 ? keyBudgetId : (sharedBudgetIds[shared] as BudgetId);
}

/** What a hold takes from a budget: from shared ones as much as from the user's. */
function amountAt({ userAmount, keyBudgetId, keyAmount }: Hold, at: number): Amount {
  return at === 1 && keyBudgetId !== null ? keyAmount : userAmount;
}

/**
 * Changes what a call has set aside to the bound of another model: what is missing is set aside too, the rest released.
 * @returns null if the budgets do not cover it; the call keeps its hold then
 */
export async function changeHold(leases: Holder, principal: Holding, hold: Hold, cost: Amount): Promise<Hold | null> {
  const wanted = holdFor(principal, cost);
  const last = countBudgets(wanted) - 1;
  const moreAt = (at: number): Amount => minus(amountAt(wanted, at), amountAt(hold, at));
  for (let at = last; at >= 0; at -= 1) {
    const more = moreAt(at);
    let isHeld = false;
    try {
      isHeld = more <= 0 || (await leases.hold(budgetAt(wanted, at), more)) === "held";
    } finally {
      for (let before = last; !isHeld && before > at; before -= 1) {
        release(leases, budgetAt(wanted, before), moreAt(before));
      }
    }
    if (!isHeld) {
      return null;
    }
  }
  for (let at = last; at >= 0; at -= 1) {
    release(leases, budgetAt(wanted, at), minus(0, moreAt(at)));
  }
  return wanted;
}

function release(leases: Holder, budgetId: BudgetId, amount: Amount): void {
  if (amount > 0) {
    leases.settle(budgetId, amount, 0);
  }
}

/** Sets aside what the budgets from this number down to hold; the others do. If that fails, none of them holds anything. */
function reserveFrom(leases: Holder, hold: Hold, reserving: Reserving, from: number): Hold | Promise<Hold> {
  for (let at = from; at >= 0; at -= 1) {
    const answer = holdAt(leases, hold, at, reserving.tick);
    if (answer instanceof Promise) {
      return reserveLate({ leases, hold, lowers: reserving.lowers }, at, answer);
    }
    if (answer !== "held") {
      return refuse({ leases, hold, lowers: reserving.lowers }, at, answer);
    }
  }
  return hold;
}

function holdAt(leases: Holder, hold: Hold, at: number, tick?: number): HoldAnswer | Promise<HoldAnswer> {
  try {
    return leases.hold(budgetAt(hold, at), amountAt(hold, at), tick);
  } catch (thrown) {
    releaseAbove(leases, hold, at);
    throw thrown;
  }
}

/** The same from a budget on whose answer takes a while. */
async function reserveLate(refusing: Refusing, at: number, late: Promise<HoldAnswer>): Promise<Hold> {
  const { leases, hold, lowers } = refusing;
  let answer: HoldAnswer;
  try {
    answer = await late;
  } catch (thrown) {
    releaseAbove(leases, hold, at);
    throw thrown;
  }
  return answer === "held" ? reserveFrom(leases, hold, { lowers }, at - 1) : refuse(refusing, at, answer);
}

function releaseAbove(leases: Holder, hold: Hold, at: number): void {
  for (let above = countBudgets(hold) - 1; above > at; above -= 1) {
    release(leases, budgetAt(hold, above), amountAt(hold, above));
  }
}

type Refusing = { readonly leases: Holder; readonly hold: Hold; readonly lowers: string | null };

/** A budget that refuses ends the call; what the others hold is released. */
function refuse(refusing: Refusing, at: number, answer: "insufficient" | "unavailable"): Promise<never> {
  const { leases, hold } = refusing;
  releaseAbove(leases, hold, at);
  if (answer === "unavailable") {
    throw unavailable();
  }
  if (at === 0) {
    throw refusalFor(refusing, at, leases.refusedBy(hold.userBudgetId));
  }
  return refuseForTightest(refusing, at);
}

/**
 * The wider budgets may be short as well: what is held of one that refused is held of them, too. The client is told of the
 * one that covers the fewest such calls once everything leased is back; if two cover as many, of the wider one.
 */
async function refuseForTightest(refusing: Refusing, from: number): Promise<never> {
  const { leases, hold } = refusing;
  const budgetIds = Array.from({ length: from + 1 }, (_, at) => budgetAt(hold, at));
  const remainders = await leases.remaindersOf(budgetIds).catch(() => {
    throw unavailable();
  });
  // A free call takes nothing, and is refused where more was charged than there was: by the budget that is furthest below zero.
  const ofCall = (at: number): bigint => BigInt(amountAt(hold, at)) || 1n;
  const covers = (at: number, other: number): bigint =>
    (remainders[at]?.whole ?? 0n) * ofCall(other) - (remainders[other]?.whole ?? 0n) * ofCall(at);
  let tightest = 0;
  for (let at = 1; at <= from; at += 1) {
    tightest = covers(at, tightest) < 0n ? at : tightest;
  }
  throw refusalFor(refusing, tightest, remainders[tightest] ?? null);
}

const unavailable = (): AppError => new AppError("temporarily_unavailable", { retryAfterSeconds: 2 });

function refusalFor({ hold, lowers }: Refusing, at: number, remainder: Pick<Remainder, "limit"> | null): AppError {
  const limit = remainder?.limit ?? null;
  if (limit !== null) {
    return new AppError("spend_limit_reached", { message: sentenceOf(limit) });
  }
  const advice = lowers === null ? "" : ` ${lowers} lowers what has to be set aside.`;
  return new AppError("insufficient_quota", { message: `${spentAt(hold, at)}${advice}` });
}

function spentAt({ keyBudgetId }: Hold, at: number): string {
  if (at === 0) {
    return "Your remaining balance does not cover this call. Top up your account.";
  }
  return at === 1 && keyBudgetId !== null
    ? "The remaining limit of this API key does not cover this call."
    : "The remaining budget of this project or member for this month does not cover this call.";
}

/** What the limit is, what is spent and when it resets; the console knows these sentences in every language. */
function sentenceOf({ period, limit, spent, resetsAt }: SpendLimit): string {
  const reset = resetsAt.toISOString().replace(".000Z", "Z");
  const [most, so] = [usdOfQuota(limit), usdOfQuota(spent)];
  return period === "daily"
    ? `Your account can spend ${most} USD per day and has spent ${so}: this call could exceed that. It resets at ${reset}.`
    : `Your account can spend ${most} USD per month and has spent ${so}: this call could exceed that. It resets at ${reset}.`;
}
