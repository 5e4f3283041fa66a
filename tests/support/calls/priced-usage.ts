import fc from "fast-check";
import { ceiling, fromDecimal, fromInteger, plus, type Rational, times } from "../values/rational.ts";

/** A price as in the database: USD as decimal texts, per million tokens or per piece. */
export type PriceTexts = TokenTexts & {
  readonly version: number;
  readonly request_usd: string;
  readonly image_usd: string;
  readonly second_usd: string;
  readonly search_usd_per_k: string;
  readonly long_prompt: (TokenTexts & { readonly above_tokens: number }) | null;
};

type TokenTexts = {
  readonly input_usd_per_m: string;
  readonly output_usd_per_m: string;
  readonly cache_read_usd_per_m: string | null;
  readonly cache_write_usd_per_m: string | null;
  readonly reasoning_usd_per_m: string | null;
  readonly cache_write_1h_usd_per_m: string | null;
};

/** The units of a call, as in a usage row. */
export type CountedUnits = {
  readonly inputTokens: bigint;
  readonly outputTokens: bigint;
  readonly cacheReadTokens: bigint;
  readonly cacheWriteTokens: bigint;
  readonly reasoningTokens: bigint;
  readonly images: number;
  readonly audioMs: bigint;
  readonly cacheWrite1hTokens: bigint;
  readonly searches: number;
};

const quotaPerUsd = fromInteger(500_000);
const perMillion: Rational = [1n, 1_000_000n];
const perThousand: Rational = [1n, 1_000n];

/** What one call costs by the written rule, in fractions, and rounded up once at the end. */
export function exactCost(units: CountedUnits, price: PriceTexts): bigint {
  const atLeastNothing = (count: bigint) => fromInteger(count > 0n ? count : 0n);
  const tokens = (count: Rational, perM: string) => times(count, fromDecimal(perM), perMillion);
  const cached = units.cacheReadTokens + units.cacheWriteTokens + units.cacheWrite1hTokens;
  const isLong = price.long_prompt !== null && units.inputTokens > BigInt(price.long_prompt.above_tokens);
  const rates: TokenTexts = isLong && price.long_prompt !== null ? price.long_prompt : price;
  const { input_usd_per_m: input, cache_write_usd_per_m: write, cache_write_1h_usd_per_m: hour } = rates;
  const hourPrice = hour ?? (write !== null && Number(write) > Number(input) ? write : input);
  const usd = plus(
    tokens(atLeastNothing(units.inputTokens - cached), rates.input_usd_per_m),
    tokens(fromInteger(units.cacheReadTokens), rates.cache_read_usd_per_m ?? rates.input_usd_per_m),
    tokens(fromInteger(units.cacheWriteTokens), rates.cache_write_usd_per_m ?? rates.input_usd_per_m),
    tokens(fromInteger(units.cacheWrite1hTokens), hourPrice),
    tokens(atLeastNothing(units.outputTokens - units.reasoningTokens), rates.output_usd_per_m),
    tokens(fromInteger(units.reasoningTokens), rates.reasoning_usd_per_m ?? rates.output_usd_per_m),
    fromDecimal(price.request_usd),
    times(fromInteger(units.images), fromDecimal(price.image_usd)),
    times(fromInteger(units.audioMs), perThousand, fromDecimal(price.second_usd)),
    times(fromInteger(units.searches), perThousand, fromDecimal(price.search_usd_per_k)),
  );
  return ceiling(times(usd, quotaPerUsd));
}

/** Plain decimals with up to 8 places, with more small and round ones than chance would give. */
export const priceDecimals = fc.oneof(
  fc.constantFrom("0", "0.15", "0.6", "0.075", "1.1", "2.5", "10", "60", "0.00000001", "999999.99999999"),
  fc
    .tuple(fc.nat(999_999), fc.nat(99_999_999), fc.nat(8))
    .map(([whole, places, shown]) =>
      shown === 0 ? `${whole}` : `${whole}.${places.toString().padStart(8, "0").slice(0, shown)}`,
    ),
);

const orNone = fc.option(priceDecimals, { nil: null, freq: 2 });

const tokenTexts = {
  input_usd_per_m: priceDecimals,
  output_usd_per_m: priceDecimals,
  cache_read_usd_per_m: orNone,
  cache_write_usd_per_m: orNone,
  reasoning_usd_per_m: orNone,
  cache_write_1h_usd_per_m: orNone,
};

export const prices: fc.Arbitrary<PriceTexts> = fc.record({
  ...tokenTexts,
  version: fc.constant(1),
  request_usd: priceDecimals,
  image_usd: priceDecimals,
  second_usd: priceDecimals,
  search_usd_per_k: priceDecimals,
  long_prompt: fc.option(fc.record({ ...tokenTexts, above_tokens: fc.integer({ min: 1, max: 400 }) }), { nil: null }),
});

const counts = fc.oneof(fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: 0n, max: 2n ** 40n }));

/** Including units whose parts are more than the whole. */
export const anyUnits: fc.Arbitrary<CountedUnits> = fc.record({
  inputTokens: counts,
  outputTokens: counts,
  cacheReadTokens: counts,
  cacheWriteTokens: counts,
  reasoningTokens: counts,
  images: fc.nat(200),
  audioMs: counts,
  cacheWrite1hTokens: counts,
  searches: fc.nat(200),
});
