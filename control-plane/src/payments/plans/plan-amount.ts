import { quotaMax } from "@sluice/contracts/billing";
import type { Decimal } from "@sluice/contracts/money";
import { AppError } from "../../platform/errors.ts";
import { toCents } from "../model.ts";
import type { NewPlan } from "./plan-store.ts";

/** What buyers may choose, in cents: from `min` to `max`, in multiples of `step`. */
type AmountBounds = { readonly min: bigint; readonly max: bigint; readonly step: bigint };

type Priced = Pick<NewPlan, "priceUsd" | "quota" | "amountMinUsd" | "amountMaxUsd" | "amountStepUsd">;

/** What an order costs and grants. */
export type OrderTerms = {
  readonly amountUsd: Decimal;
  readonly quota: bigint;
  /** The amount that the buyer chose; null where the plan has a fixed price. */
  readonly chosenUsd: Decimal | null;
};

/** The most that the card gateway takes. */
const centsMax = 99_999_999n;

function boundsOf({ amountMinUsd, amountMaxUsd, amountStepUsd }: Priced): AmountBounds | null {
  return amountMinUsd === null || amountMaxUsd === null || amountStepUsd === null
    ? null
    : { min: toCents(amountMinUsd), max: toCents(amountMaxUsd), step: toCents(amountStepUsd) };
}

/**
 * The terms of an order. Price and quota of the plan are the rate of a chosen amount; `findAmountFault` has made sure
 * that the rate leaves no fraction of quota.
 * @throws AppError `invalid_amount` for an amount that can't be chosen, and where one is missing or has no place
 */
export function orderTerms(plan: Priced, chosenUsd: Decimal | null): OrderTerms {
  const bounds = boundsOf(plan);
  if (bounds === null) {
    if (chosenUsd !== null) {
      throw refusedAmount("This plan has a fixed price.");
    }
    return { amountUsd: plan.priceUsd, quota: plan.quota, chosenUsd };
  }
  const cents = chosenUsd === null ? null : toCents(chosenUsd);
  if (cents === null || cents < bounds.min || cents > bounds.max || cents % bounds.step !== 0n) {
    const { amountMinUsd, amountMaxUsd, amountStepUsd } = plan;
    throw refusedAmount(`Choose ${amountMinUsd} to ${amountMaxUsd} USD, in steps of ${amountStepUsd} USD.`);
  }
  return { amountUsd: chosenUsd as Decimal, quota: (plan.quota * cents) / toCents(plan.priceUsd), chosenUsd };
}

/**
 * An amount that gateways take.
 * @throws AppError `invalid_amount`
 */
export function payable(amountUsd: Decimal): Decimal {
  if (toCents(amountUsd) > centsMax) {
    throw refusedAmount("With its tax, this is more than 999999.99 USD.");
  }
  return amountUsd;
}

function refusedAmount(sentence: string): AppError {
  return new AppError("invalid_amount", { message: sentence, fields: { amount_usd: sentence } });
}

/** Why a plan can't be saved with its bounds: a field and a sentence; null if it can. */
export function findAmountFault(plan: NewPlan): { readonly field: string; readonly text: string } | null {
  const bounds = boundsOf(plan);
  if (bounds === null) {
    return null;
  }
  const { min, max, step } = bounds;
  if (plan.kind !== "wallet_balance") {
    return { field: "own_amount", text: "The price of a monthly plan is fixed." };
  }
  if (max < min) {
    return { field: "own_amount.max_usd", text: "The maximum is below the minimum." };
  }
  if (max > centsMax) {
    return { field: "own_amount.max_usd", text: "At most 999999.99." };
  }
  if (min % step !== 0n || max % step !== 0n) {
    return { field: "own_amount.step_usd", text: "Minimum and maximum have to be multiples of the step." };
  }
  if (plan.quota * max > quotaMax * toCents(plan.priceUsd)) {
    return { field: "own_amount.max_usd", text: `At this rate, it grants more than ${quotaMax} quota.` };
  }
  return (plan.quota * step) % toCents(plan.priceUsd) === 0n
    ? null
    : { field: "own_amount.step_usd", text: "Each step has to grant a whole number of quota." };
}
