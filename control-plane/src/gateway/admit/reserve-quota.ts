import type { BudgetId } from "@sluice/contracts/ids";
import { type Quota, usdOfQuota } from "@sluice/contracts/money";
import type { Dialect } from "@sluice/contracts/upstreams";
import { costOf, withMultiplierAboveOne } from "../../models/cost.ts";
import { noUnits, type Units } from "../../models/units.ts";
import { AppError } from "../../platform/errors.ts";
import type { Hold, ModelEntry, ParsedRequest, Principal, RequestBounds } from "../model.ts";
import type { Operation } from "../operations/model.ts";
import type { QuotaLeases } from "../quota/leases.ts";
import type { HoldAnswer, SpendLimit } from "../quota/model.ts";

/** Units that no response to this request can exceed: what the body says, bounded by what the model can do. */
export function boundUnits({ bounds }: Pick<ParsedRequest, "bounds">, model: ModelEntry): Units {
  const outputPerChoice = Math.min(bounds.outputTokensMax ?? model.outputTokensMax, model.outputTokensMax);
  return {
    ...noUnits,
    // A provider reads the conversation again after each search.
    inputTokens: BigInt(boundInput(bounds, model) * (1 + (bounds.searches ?? 0))),
    outputTokens: BigInt(outputPerChoice * bounds.choices),
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
    inputTokens: held.inputTokens + BigInt(model.contextTokensMax * (choices + searches)),
    outputTokens: held.outputTokens + BigInt(model.outputTokensMax * choices),
    images: held.images + picturesMax,
    audioMs: held.audioMs * 2n,
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
export function boundCost(bound: Units, model: ModelEntry): Quota {
  return costOf(bound, model.price.highest, 1n);
}

const nothing = 0n as Quota;

/** The field of each API that limits the output, as clients write it. */
const outputFields: Readonly<Record<Dialect, string>> = {
  chat: "'max_tokens'",
  responses: "'max_output_tokens'",
  messages: "'max_tokens'",
  gemini: "'generationConfig.maxOutputTokens'",
  cohere: "'max_tokens'",
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
  return `A smaller ${outputFields[dialect]}${searches > 0 ? " or 'max_uses' of searches" : ""}`;
}

type Holder = Pick<QuotaLeases, "hold" | "settle" | "spendLimitOf">;
type Holding = Pick<Principal, "userBudgetId" | "keyBudgetId" | "sharedBudgetIds" | "rateMultiplier">;

/**
 * Sets the bound aside in the user's budget and, if the key has a limit, in the key's budget; for a key of an organisation
 * also in the budgets of its project and member.
 * @param lowers what lowers the bound, for the words of a refusal; null says nothing about it
 * @returns a promise only when a lease has to be fetched first
 * @throws AppError `insufficient_quota`, `spend_limit_reached`, `temporarily_unavailable`
 */
export function reserveQuota(
  leases: Holder,
  principal: Holding,
  cost: Quota,
  lowers: string | null = null,
): Hold | Promise<Hold> {
  const hold = holdFor(principal, cost);
  const user = leases.hold(hold.userBudgetId, hold.userAmount);
  return user instanceof Promise
    ? user.then((answer) => reserveFurther(leases, hold, answer, lowers))
    : reserveFurther(leases, hold, user, lowers);
}

function holdFor({ userBudgetId, keyBudgetId, sharedBudgetIds, rateMultiplier }: Holding, cost: Quota): Hold {
  const userAmount = withMultiplierAboveOne(cost, rateMultiplier);
  return { userBudgetId, userAmount, keyBudgetId, keyAmount: keyBudgetId === null ? nothing : cost, sharedBudgetIds };
}

type BudgetPart = { readonly budgetId: BudgetId; readonly amount: Quota };

/** What a hold takes from each budget beside the user's. */
function furtherParts({ keyBudgetId, keyAmount, sharedBudgetIds, userAmount }: Hold): BudgetPart[] {
  const parts: BudgetPart[] = keyBudgetId === null ? [] : [{ budgetId: keyBudgetId, amount: keyAmount }];
  for (const budgetId of sharedBudgetIds) {
    parts.push({ budgetId, amount: userAmount });
  }
  return parts;
}

/**
 * Changes what a call has set aside to the bound of another model: what is missing is set aside too, the rest released.
 * @returns null if the budgets do not cover it; the call keeps its hold then
 */
export async function changeHold(leases: Holder, principal: Holding, hold: Hold, cost: Quota): Promise<Hold | null> {
  const wanted = holdFor(principal, cost);
  const user = { budgetId: wanted.userBudgetId, more: wanted.userAmount - hold.userAmount };
  const before = furtherParts(hold);
  const further = furtherParts(wanted).map(({ budgetId, amount }, at) => ({
    budgetId,
    more: amount - (before[at]?.amount ?? nothing),
  }));
  const changes = [user, ...further];
  const held: BudgetPart[] = [];
  for (const { budgetId, more } of changes) {
    if (more > 0n && (await leases.hold(budgetId, more as Quota)) !== "held") {
      releaseParts(leases, held);
      return null;
    }
    if (more > 0n) {
      held.push({ budgetId, amount: more as Quota });
    }
  }
  for (const { budgetId, more } of changes) {
    if (more < 0n) {
      leases.settle(budgetId, -more as Quota, nothing);
    }
  }
  return wanted;
}

function releaseParts(leases: Holder, parts: readonly BudgetPart[]): void {
  for (const { budgetId, amount } of parts) {
    leases.settle(budgetId, amount, nothing);
  }
}

/** Goes on with the other budgets once that of the user has answered. */
function reserveFurther(leases: Holder, hold: Hold, user: HoldAnswer, lowers: string | null): Hold | Promise<Hold> {
  const spendLimit = user === "insufficient" ? leases.spendLimitOf(hold.userBudgetId) : null;
  if (spendLimit !== null) {
    throw new AppError("spend_limit_reached", { message: sentenceOf(spendLimit) });
  }
  refuseUnlessHeld(user, "Your remaining balance does not cover this call.", lowers);
  if (hold.keyBudgetId === null && hold.sharedBudgetIds.length === 0) {
    return hold;
  }
  const parts = furtherParts(hold);
  parts.unshift({ budgetId: hold.userBudgetId, amount: hold.userAmount });
  return reserveFrom({ leases, hold, parts, lowers }, 1);
}

type Reserving = {
  readonly leases: Holder;
  readonly hold: Hold;
  readonly parts: readonly BudgetPart[];
  readonly lowers: string | null;
};

/** Sets aside the parts from this one on; those before it are. */
function reserveFrom(reserving: Reserving, at: number): Hold | Promise<Hold> {
  const { leases, hold, parts } = reserving;
  for (let index = at; index < parts.length; index += 1) {
    const { budgetId, amount } = parts[index] as BudgetPart;
    const answer = leases.hold(budgetId, amount);
    if (answer instanceof Promise) {
      return answer.then((late) => {
        checkPart(reserving, index, late);
        return reserveFrom(reserving, index + 1);
      });
    }
    checkPart(reserving, index, answer);
  }
  return hold;
}

/** A part that is refused ends the call, which gives back the parts before it. */
function checkPart({ leases, hold, parts, lowers }: Reserving, at: number, answer: HoldAnswer): void {
  if (answer !== "held") {
    releaseParts(leases, parts.slice(0, at));
    refuseUnlessHeld(answer, parts[at]?.budgetId === hold.keyBudgetId ? keySpent : sharedSpent, lowers);
  }
}

const keySpent = "The remaining limit of this API key does not cover this call.";
const sharedSpent = "The remaining budget of this project or member for this month does not cover this call.";

function refuseUnlessHeld(answer: HoldAnswer, message: string, lowers: string | null): void {
  if (answer === "unavailable") {
    throw new AppError("temporarily_unavailable", { retryAfterSeconds: 2 });
  }
  if (answer === "insufficient") {
    const advice = lowers === null ? "" : ` ${lowers} lowers what has to be set aside.`;
    throw new AppError("insufficient_quota", { message: `${message}${advice}` });
  }
}

/** What the limit is, what is spent and when it resets; the console knows these sentences in every language. */
function sentenceOf({ period, limit, spent, resetsAt }: SpendLimit): string {
  const reset = resetsAt.toISOString().replace(".000Z", "Z");
  const [most, so] = [usdOfQuota(limit), usdOfQuota(spent)];
  return period === "daily"
    ? `Your account can spend ${most} USD per day and has spent ${so}: this call could exceed that. It resets at ${reset}.`
    : `Your account can spend ${most} USD per month and has spent ${so}: this call could exceed that. It resets at ${reset}.`;
}
