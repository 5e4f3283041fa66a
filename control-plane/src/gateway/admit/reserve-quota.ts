import type { Quota } from "@sluice/contracts/money";
import { AppError } from "../../platform/errors.ts";
import type { Hold, ModelEntry, ParsedRequest, Principal } from "../model.ts";
import { costOf, withMultiplierAboveOne } from "../prices/cost.ts";
import type { QuotaLeases } from "../quota/leases.ts";
import type { HoldAnswer } from "../quota/model.ts";
import type { Units } from "../usage-log/model.ts";

/** Speech of 4 kbit/s; codecs that carry it in less are not in use. Only models that are priced by the second are touched. */
const audioMsPerByteMax = 2;

/**
 * Units that no answer to this request can exceed. A token is at least one byte of the body, so the bytes bound the
 * input; what a picture may cost comes on top; the context of the model bounds both.
 */
export function boundUnits(request: ParsedRequest, model: ModelEntry): Units {
  const sentTokens = Math.min(request.inputBytes + request.images * model.imageTokensMax, model.contextTokensMax);
  const inputTokens = request.isInputElsewhere === true ? model.contextTokensMax : sentTokens;
  const outputPerChoice = Math.min(request.outputTokensMax ?? model.outputTokensMax, model.outputTokensMax);
  return {
    inputTokens: BigInt(inputTokens),
    outputTokens: BigInt(outputPerChoice * request.choices),
    cacheReadTokens: 0n,
    cacheWriteTokens: 0n,
    reasoningTokens: 0n,
    images: request.choices,
    audioMs: BigInt(request.inputBytes * audioMsPerByteMax),
  };
}

/** The most a call can cost: each token at the dearest price it could be charged at. */
export function boundCost(request: ParsedRequest, model: ModelEntry): Quota {
  const { price } = model;
  const dearest = (first: bigint, ...others: bigint[]) =>
    others.reduce((most, next) => (next > most ? next : most), first);
  return costOf(
    boundUnits(request, model),
    {
      ...price,
      input: dearest(price.input, price.cacheRead, price.cacheWrite),
      output: dearest(price.output, price.reasoning),
    },
    1n,
  );
}

/**
 * Sets the bound aside in the budget of the user and, where the key has a limit, in the budget of the key.
 * @returns a promise only when a lease has to be fetched first
 * @throws AppError `insufficient_quota`, `temporarily_unavailable`
 */
export function reserveQuota(leases: QuotaLeases, principal: Principal, cost: Quota): Hold | Promise<Hold> {
  const hold: Hold = {
    userBudgetId: principal.userBudgetId,
    userAmount: withMultiplierAboveOne(cost, principal.rateMultiplier),
    keyBudgetId: principal.keyBudgetId,
    keyAmount: principal.keyBudgetId === null ? (0n as Quota) : cost,
  };
  const user = leases.hold(hold.userBudgetId, hold.userAmount);
  if (user === "held" && hold.keyBudgetId === null) {
    return hold;
  }
  return finishReserving(leases, hold, user);
}

async function finishReserving(leases: QuotaLeases, hold: Hold, user: HoldAnswer | Promise<HoldAnswer>): Promise<Hold> {
  refuseUnlessHeld(await user, "The remaining quota of this account does not cover this call.");
  if (hold.keyBudgetId !== null) {
    const key = await leases.hold(hold.keyBudgetId, hold.keyAmount);
    if (key !== "held") {
      leases.settle(hold.userBudgetId, hold.userAmount, 0n as Quota);
      refuseUnlessHeld(key, "The remaining limit of this API key does not cover this call.");
    }
  }
  return hold;
}

function refuseUnlessHeld(answer: HoldAnswer, message: string): void {
  if (answer === "unavailable") {
    throw new AppError("temporarily_unavailable", { retryAfterSeconds: 2 });
  }
  if (answer === "insufficient") {
    throw new AppError("insufficient_quota", {
      message: `${message} A smaller 'max_tokens' lowers what has to be set aside.`,
    });
  }
}
