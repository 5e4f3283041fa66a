import type { Brand } from "./ids.ts";

/** An integer amount of quota. 500,000 quota are worth 1 USD. */
export type Quota = Brand<bigint, "Quota">;

export const quotaPerUsd = 500_000n;

/** A decimal number in its text form, as Postgres `numeric` returns it; never a float. */
export type Decimal = Brand<string, "Decimal">;

/** 1 USD is 500,000 quota, so six decimal places represent every amount exactly. */
const usdPlaces = 6;
const millionthsPerQuota = 1_000_000n / quotaPerUsd;

/** Quota as US dollars with six places, exact. */
export function usdOfQuota(quota: bigint): string {
  const isNegative = quota < 0n;
  const digits = ((isNegative ? -quota : quota) * millionthsPerQuota).toString().padStart(usdPlaces + 1, "0");
  return `${isNegative ? "-" : ""}${digits.slice(0, -usdPlaces)}.${digits.slice(-usdPlaces)}`;
}

const decimalPattern = /^\d{1,12}(\.\d{1,12})?$/;

/**
 * Parses an unsigned decimal.
 * @throws RangeError when the text is not a plain unsigned decimal of at most 12 + 12 digits
 */
export function parseDecimal(text: string): Decimal {
  if (!decimalPattern.test(text)) {
    throw new RangeError(`not a decimal: ${text.slice(0, 40)}`);
  }
  return text as Decimal;
}

/** The value of a decimal in units of 10^-scale. Exact; a decimal with more places than `scale` is refused. */
export function decimalToScaled(decimal: Decimal, scale: number): bigint {
  const [whole = "0", fraction = ""] = decimal.split(".");
  const significant = fraction.replace(/0+$/, "");
  if (significant.length > scale) {
    throw new RangeError(`more than ${scale} places: ${decimal}`);
  }
  return BigInt(whole + significant.padEnd(scale, "0"));
}

/** The decimal text of a whole number of units of 10^-scale, without trailing zeros. */
export function scaledToDecimal(scaled: bigint, scale: number): Decimal {
  const digits = scaled.toString().padStart(scale + 1, "0");
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  const whole = digits.slice(0, digits.length - scale);
  return (fraction === "" ? whole : `${whole}.${fraction}`) as Decimal;
}

/** Integer division that rounds up; both operands must not be negative and the divisor must be positive. */
export function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** A user's multiplier has four decimal places, a group's six. */
const multiplierScale = 10;

const multiplierWhole = 10n ** BigInt(multiplierScale);
/** Multipliers that were used lately, by their texts: few, and each call of their users needs one three times. */
const knownMultipliers = new Map<Decimal, bigint>();
const knownMultipliersMax = 1_000;

/** `ceil(base * multiplier)` in integer arithmetic: the settlement formula of the specification. */
export function applyMultiplier(base: bigint, multiplier: Decimal): bigint {
  let scaled = knownMultipliers.get(multiplier);
  if (scaled === undefined) {
    scaled = decimalToScaled(multiplier, multiplierScale);
    if (knownMultipliers.size >= knownMultipliersMax) {
      knownMultipliers.clear();
    }
    knownMultipliers.set(multiplier, scaled);
  }
  return ceilDivide(base * scaled, multiplierWhole);
}
