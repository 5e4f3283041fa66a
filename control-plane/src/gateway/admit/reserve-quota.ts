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

/** The most a call can cost: each token at the most expensive price it could be charged at. */
export function boundCost(request: Pick<ParsedRequest, "bounds">, model: ModelEntry): Quota {
  return costOf(boundUnits(request, model), model.price.highest, 1n);
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
type Holding = Pick<Principal, "userBudgetId" | "keyBudgetId" | "rateMultiplier">;

/**
 * Sets the bound aside in the user's budget and, if the key has a limit, in the key's budget.
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
  if (user === "held" && hold.keyBudgetId === null) {
    return hold;
  }
  return finishReserving(leases, hold, user, lowers);
}

function holdFor({ userBudgetId, keyBudgetId, rateMultiplier }: Holding, cost: Quota): Hold {
  const userAmount = withMultiplierAboveOne(cost, rateMultiplier);
  return { userBudgetId, userAmount, keyBudgetId, keyAmount: keyBudgetId === null ? nothing : cost };
}

/**
 * Changes what a call has set aside to the bound of another model: what is missing is set aside too, the rest released.
 * @returns null if the budgets do not cover it; the call keeps its hold then
 */
export async function changeHold(leases: Holder, principal: Holding, hold: Hold, cost: Quota): Promise<Hold | null> {
  const wanted = holdFor(principal, cost);
  const { userBudgetId, keyBudgetId } = wanted;
  const userMore = wanted.userAmount - hold.userAmount;
  const keyMore = wanted.keyAmount - hold.keyAmount;
  if (userMore > 0n && (await leases.hold(userBudgetId, userMore as Quota)) !== "held") {
    return null;
  }
  if (keyBudgetId !== null && keyMore > 0n && (await leases.hold(keyBudgetId, keyMore as Quota)) !== "held") {
    if (userMore > 0n) {
      leases.settle(userBudgetId, userMore as Quota, nothing);
    }
    return null;
  }
  if (userMore < 0n) {
    leases.settle(userBudgetId, -userMore as Quota, nothing);
  }
  if (keyBudgetId !== null && keyMore < 0n) {
    leases.settle(keyBudgetId, -keyMore as Quota, nothing);
  }
  return wanted;
}

async function finishReserving(
  leases: Holder,
  hold: Hold,
  user: HoldAnswer | Promise<HoldAnswer>,
  lowers: string | null,
): Promise<Hold> {
  const answer = await user;
  const spendLimit = answer === "insufficient" ? leases.spendLimitOf(hold.userBudgetId) : null;
  if (spendLimit !== null) {
    throw new AppError("spend_limit_reached", { message: sentenceOf(spendLimit) });
  }
  refuseUnlessHeld(answer, "Your remaining balance does not cover this call.", lowers);
  if (hold.keyBudgetId !== null) {
    const key = await leases.hold(hold.keyBudgetId, hold.keyAmount);
    if (key !== "held") {
      leases.settle(hold.userBudgetId, hold.userAmount, nothing);
      refuseUnlessHeld(key, "The remaining limit of this API key does not cover this call.", lowers);
    }
  }
  return hold;
}

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
