import { type Decimal, decimalToScaled } from "@sluice/contracts/money";

/** Prices are kept to 8 places of a USD. */
const places = 8;

/** The name under which abilities and prices of pass-through paths are kept. */
export const passThroughModel = "*";

/** Prices in units of 10^-8 USD: per million tokens, per request, per image, per second. */
export type PriceVersion = {
  readonly version: number;
  readonly input: bigint;
  readonly output: bigint;
  readonly cacheRead: bigint;
  readonly cacheWrite: bigint;
  readonly reasoning: bigint;
  readonly request: bigint;
  readonly image: bigint;
  readonly second: bigint;
};

export type PriceTexts = {
  readonly version: number;
  readonly input: string;
  readonly output: string;
  readonly cacheRead: string | null;
  readonly cacheWrite: string | null;
  readonly reasoning: string | null;
  readonly request: string;
  readonly image: string;
  readonly second: string;
};

/** Reads the decimal texts of one price version; what has no price of its own costs what plain input or output costs. */
export function toPriceVersion(texts: PriceTexts): PriceVersion {
  const scaled = (text: string) => decimalToScaled(text as Decimal, places);
  return {
    version: texts.version,
    input: scaled(texts.input),
    output: scaled(texts.output),
    cacheRead: scaled(texts.cacheRead ?? texts.input),
    cacheWrite: scaled(texts.cacheWrite ?? texts.input),
    reasoning: scaled(texts.reasoning ?? texts.output),
    request: scaled(texts.request),
    image: scaled(texts.image),
    second: scaled(texts.second),
  };
}
