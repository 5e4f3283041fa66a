import { applyMultiplier, type Decimal, type Quota, quotaPerUsd } from "@sluice/contracts/money";
import type { PriceVersion } from "./model.ts";
import type { Units } from "./units.ts";

/**
 * Prices have 8 places. A line is units x price: per token 10^-8 USD per 10^6, per request and image 10^-8 USD, per
 * millisecond 10^-8 USD per 10^3. All lines are brought to the finest of these, 10^-14 USD, so that the sum is exact.
 */
const tokenWeight = 1n;
const pieceWeight = 1_000_000n;
const millisecondWeight = 1_000n;
const partsPerUsd = 100_000_000n * 1_000_000n;

/** One line of a receipt. */
export type CostLine = {
  readonly unit: keyof typeof weights;
  readonly count: bigint;
  /** In 10^-8 USD. */
  readonly price: bigint;
  /** In 10^-14 USD, exact. */
  readonly parts: bigint;
};

const weights = {
  input: tokenWeight,
  cacheRead: tokenWeight,
  cacheWrite: tokenWeight,
  output: tokenWeight,
  reasoning: tokenWeight,
  request: pieceWeight,
  image: pieceWeight,
  second: millisecondWeight,
} as const;

/**
 * The lines of a cost. Cached tokens are part of the input and reasoning is part of the output, so each token stands on
 * one line only; counts that overlap more than the whole leave nothing for the plain line.
 */
export function costLines(units: Units, price: PriceVersion, requests: bigint): CostLine[] {
  const plainInput = units.inputTokens - units.cacheReadTokens - units.cacheWriteTokens;
  const plainOutput = units.outputTokens - units.reasoningTokens;
  const counts: Record<keyof typeof weights, bigint> = {
    input: plainInput > 0n ? plainInput : 0n,
    cacheRead: units.cacheReadTokens,
    cacheWrite: units.cacheWriteTokens,
    output: plainOutput > 0n ? plainOutput : 0n,
    reasoning: units.reasoningTokens,
    request: requests,
    image: BigInt(units.images),
    second: units.audioMs,
  };
  return (Object.keys(weights) as (keyof typeof weights)[]).map((unit) => ({
    unit,
    count: counts[unit],
    price: price[unit],
    parts: counts[unit] * price[unit] * weights[unit],
  }));
}

/** The base cost of a call: the exact sum of its lines, rounded up once, at the end. */
export function costOf(units: Units, price: PriceVersion, requests: bigint): Quota {
  const plainInput = units.inputTokens - units.cacheReadTokens - units.cacheWriteTokens;
  const plainOutput = units.outputTokens - units.reasoningTokens;
  // The same sum as that of the lines, written out because this runs for every call.
  const parts =
    (plainInput > 0n ? plainInput * price.input : 0n) +
    units.cacheReadTokens * price.cacheRead +
    units.cacheWriteTokens * price.cacheWrite +
    (plainOutput > 0n ? plainOutput * price.output : 0n) +
    units.reasoningTokens * price.reasoning +
    (requests * price.request + BigInt(units.images) * price.image) * pieceWeight +
    units.audioMs * price.second * millisecondWeight;
  return toQuota(parts);
}

/** Parts of 10^-14 USD as quota, rounded up. */
export function toQuota(parts: bigint): Quota {
  return ((parts * quotaPerUsd + partsPerUsd - 1n) / partsPerUsd) as Quota;
}

/** What a user with this multiplier may owe for a base cost at most: a multiplier below 1 is only refunded later. */
export function withMultiplierAboveOne(base: Quota, multiplier: Decimal): Quota {
  const multiplied = multiplier === "1.0000" ? base : applyMultiplier(base, multiplier);
  return (multiplied > base ? multiplied : base) as Quota;
}
