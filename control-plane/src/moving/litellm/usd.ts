import { quotaPerUsd } from "@sluice/contracts/money";
import { type Fraction, fractionOf, times, toPlaces, wholeFraction } from "../prices/fraction.ts";
import { OddValue } from "../source/read-values.ts";

/** Prices and budgets of one-millionth of a cent and a trillion dollars still count; others are mistakes. */
const quotaMax = 1_000_000_000_000_000n;

/** A floating-point number as the decimal that it is written as; null for a missing one. @throws OddValue */
export function decimalOf(value: unknown): Fraction | null {
  if (value === null || value === undefined || value === "") {
    return null;
  }
  const fraction =
    typeof value === "number" || typeof value === "string" || typeof value === "bigint" ? fractionOf(`${value}`) : null;
  if (fraction === null) {
    throw new OddValue(`${JSON.stringify(`${value}`.slice(0, 40))} is not a number`);
  }
  return fraction;
}

/** US dollars as quota, rounded down; null for a missing number. @throws OddValue */
export function quotaOf(value: unknown): bigint | null {
  const usd = decimalOf(value);
  return usd === null ? null : floorOf(times(usd, wholeFraction(quotaPerUsd)));
}

/** What is left of a budget, at least nothing; null without a budget. @throws OddValue */
export function leftOf(budget: unknown, spend: unknown): bigint | null {
  const [granted, spent] = [decimalOf(budget), decimalOf(spend) ?? wholeFraction(0n)];
  if (granted === null) {
    return null;
  }
  const over = granted.over * spent.under - spent.over * granted.under;
  const left = floorOf(times({ over, under: granted.under * spent.under }, wholeFraction(quotaPerUsd)));
  return left < 0n ? 0n : left;
}

/** Sums are added up in these parts of a US dollar, and rounded once. */
const partsPerUsd = 1_000_000_000_000n;

/** US dollars in parts, for sums of many. */
export function usdParts({ over, under }: Fraction): bigint {
  return (over * partsPerUsd) / under;
}

/** A sum of parts as quota, rounded down. @throws OddValue */
export function quotaOfParts(parts: bigint): bigint {
  return floorOf({ over: parts * quotaPerUsd, under: partsPerUsd });
}

function floorOf({ over, under }: Fraction): bigint {
  const quotient = over / under;
  const floor = over < 0n && quotient * under !== over ? quotient - 1n : quotient;
  if (floor > quotaMax || floor < -quotaMax) {
    throw new OddValue("the amount is out of range");
  }
  return floor;
}

/** US dollars per token as the text of those per million; null for a missing number. @throws OddValue */
export function perMillion(value: unknown): { readonly text: string; readonly isExact: boolean } | null {
  const usd = decimalOf(value);
  if (usd !== null && usd.over < 0n) {
    throw new OddValue("a price is below 0");
  }
  return usd === null ? null : toPlaces(times(usd, wholeFraction(1_000_000n)), 8);
}
