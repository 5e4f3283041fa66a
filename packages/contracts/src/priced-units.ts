import { decimalToScaled, parseDecimal } from "./money.ts";

/**
 * How units are measured: what a price is for, how many of the counted units that is, and the type of the columns that
 * hold counts.
 */
export const unitMeasures = {
  token: { pricePer: "million_tokens", perPrice: 1_000_000n, column: "bigint" },
  request: { pricePer: "request", perPrice: 1n, column: "bigint" },
  image: { pricePer: "image", perPrice: 1n, column: "integer" },
  millisecond: { pricePer: "second", perPrice: 1_000n, column: "bigint" },
  search: { pricePer: "thousand_searches", perPrice: 1_000n, column: "integer" },
} as const;

type UnitRow = {
  /** The name of the receipt line, and the key of its texts. */
  readonly name: string;
  /** The column for the counts of the unit, wherever calls are counted; null if each call counts as one. */
  readonly count: string | null;
  readonly measure: keyof typeof unitMeasures;
  /** The column for the price of the unit, wherever there are prices. */
  readonly price: string;
  /** The unit whose count already includes this one. Each token is charged on one line only. */
  readonly partOf: string | null;
  /**
   * The price of a unit without its own: `refused` requires a price, `free` costs nothing, `as_whole` takes the price
   * of `partOf`.
   */
  readonly unpriced: "refused" | "free" | "as_whole";
  /** A part without its own price costs as much as this other part, if that is more than the whole. */
  readonly atLeast: string | null;
};

/**
 * Everything that a call is charged for. Types, columns, receipts, exports and forms are derived from this table, in
 * its order. A new unit must be the last one, because rows waiting in a spool have their counts in this order. How to
 * add one: docs/development.md.
 */
export const pricedUnits = [
  {
    name: "input",
    count: "input_tokens",
    measure: "token",
    price: "input_usd_per_m",
    partOf: null,
    unpriced: "refused",
    atLeast: null,
  },
  {
    name: "output",
    count: "output_tokens",
    measure: "token",
    price: "output_usd_per_m",
    partOf: null,
    unpriced: "refused",
    atLeast: null,
  },
  {
    name: "cache_read",
    count: "cache_read_tokens",
    measure: "token",
    price: "cache_read_usd_per_m",
    partOf: "input",
    unpriced: "as_whole",
    atLeast: null,
  },
  {
    name: "cache_write",
    count: "cache_write_tokens",
    measure: "token",
    price: "cache_write_usd_per_m",
    partOf: "input",
    unpriced: "as_whole",
    atLeast: null,
  },
  {
    name: "reasoning",
    count: "reasoning_tokens",
    measure: "token",
    price: "reasoning_usd_per_m",
    partOf: "output",
    unpriced: "as_whole",
    atLeast: null,
  },
  {
    name: "request",
    count: null,
    measure: "request",
    price: "request_usd",
    partOf: null,
    unpriced: "free",
    atLeast: null,
  },
  {
    name: "image",
    count: "images",
    measure: "image",
    price: "image_usd",
    partOf: null,
    unpriced: "free",
    atLeast: null,
  },
  {
    name: "audio",
    count: "audio_ms",
    measure: "millisecond",
    price: "second_usd",
    partOf: null,
    unpriced: "free",
    atLeast: null,
  },
  {
    name: "cache_write_1h",
    count: "cache_write_1h_tokens",
    measure: "token",
    price: "cache_write_1h_usd_per_m",
    partOf: "input",
    unpriced: "as_whole",
    atLeast: "cache_write",
  },
  {
    name: "search",
    count: "searches",
    measure: "search",
    price: "search_usd_per_k",
    partOf: null,
    unpriced: "free",
    atLeast: null,
  },
] as const satisfies readonly UnitRow[];

export type PricedUnit = (typeof pricedUnits)[number];
export type UnitName = PricedUnit["name"];
export type PriceColumn = PricedUnit["price"];
export type CountedUnit = Exclude<PricedUnit, { readonly count: null }>;
export type CountColumn = CountedUnit["count"];
type TokenColumn = Extract<CountedUnit, { readonly measure: "token" }>["count"];

export const countedUnits: readonly CountedUnit[] = pricedUnits.filter(isCounted);
export const countColumns: readonly CountColumn[] = countedUnits.map(({ count }) => count);
/**
 * Counts that are 0 for nearly every call: the usage log has null for their 0. The seven of the first release are not among them,
 * because that release does not expect null.
 */
export const rareCounts: ReadonlySet<string> = new Set(countColumns.slice(7));
export const tokenColumns: readonly TokenColumn[] = countedUnits.filter(isToken).map(({ count }) => count);
export const priceColumns: readonly PriceColumn[] = pricedUnits.map(({ price }) => price);

function isCounted(unit: PricedUnit): unit is CountedUnit {
  return unit.count !== null;
}

function isToken(unit: CountedUnit): unit is Extract<CountedUnit, { readonly measure: "token" }> {
  return unit.measure === "token";
}

/** The units whose counts are part of the count of this one. */
export function partsOf({ name }: PricedUnit): readonly CountedUnit[] {
  return countedUnits.filter(({ partOf }) => partOf === name);
}

/** The unit that this one is part of, or the unit itself. */
export function wholeOf(unit: PricedUnit): PricedUnit {
  return pricedUnits.find(({ name }) => name === unit.partOf) ?? unit;
}

/** The units in the order of receipts: each unit before its parts. */
export const unitsByWhole: readonly PricedUnit[] = pricedUnits
  .filter(({ partOf }) => partOf === null)
  .flatMap((whole) => [whole, ...partsOf(whole)]);

/** An object with a member for each price, typed by whether it may be missing. */
export type ByPrice<Refused, Free, AsWhole> = {
  readonly [Unit in PricedUnit as Unit["price"]]: {
    readonly refused: Refused;
    readonly free: Free;
    readonly as_whole: AsWhole;
  }[Unit["unpriced"]];
};

type TokenPrice = Extract<PricedUnit, { readonly measure: "token" }>["price"];

/** The prices of tokens. */
export const tokenPrices: readonly TokenPrice[] = pricedUnits
  .filter((unit) => unit.measure === "token")
  .map(({ price }) => price);

/** The prices of tokens in calls whose prompt is longer than `above_tokens`. They apply to the whole call. */
export type LongPromptPrices = Pick<PriceList, TokenPrice> & { readonly above_tokens: number };

/** An object with a member for each price of tokens, typed by whether it may be missing. */
export function byTokenPrice<Refused, AsWhole>(members: {
  readonly refused: Refused;
  readonly as_whole: AsWhole;
}): Pick<ByPrice<Refused, never, AsWhole>, TokenPrice> {
  const all = byPrice({ ...members, free: null as never });
  return Object.fromEntries(tokenPrices.map((price) => [price, all[price]])) as typeof all;
}

/** Prices, and those for long prompts if they differ. */
export type TieredPrices = PriceList & { readonly long_prompt: LongPromptPrices | null };

/** The list of prices that applies to a prompt of this length, reads from and writes to a cache included. */
export function listFor(prices: TieredPrices, promptTokens: number): PriceList {
  const { long_prompt: long } = prices;
  return long !== null && promptTokens > long.above_tokens ? { ...prices, ...long } : prices;
}

/** Prices as decimal texts; null where a part costs the same as the whole. */
export type PriceList = ByPrice<string, string, string | null>;

export function byPrice<Refused, Free, AsWhole>(members: {
  readonly refused: Refused;
  readonly free: Free;
  readonly as_whole: AsWhole;
}): ByPrice<Refused, Free, AsWhole> {
  return Object.fromEntries(pricedUnits.map(({ price, unpriced }) => [price, members[unpriced]])) as unknown as ByPrice<
    Refused,
    Free,
    AsWhole
  >;
}

/** Only the prices among the members of an object. */
export function pricesOf<Prices extends ByPrice<unknown, unknown, unknown>>(from: Prices): Pick<Prices, PriceColumn> {
  return Object.fromEntries(priceColumns.map((price) => [price, from[price]])) as Pick<Prices, PriceColumn>;
}

/** The unit that gives this one the least price it can have without its own, or null. */
export function dearerThan({ atLeast }: PricedUnit): PricedUnit | null {
  return pricedUnits.find(({ name }) => name === atLeast) ?? null;
}

/**
 * The price of a unit in a list: its own, or that of the whole that it is part of, or of a part that costs more. Nobody
 * who forgets a price sells below it.
 */
export function priceOf<Price extends string>(list: ByPrice<Price, Price, Price | null>, unit: PricedUnit): Price {
  const own = list[unit.price];
  if (own !== null) {
    return own;
  }
  const whole = list[wholeOf(unit).price] as Price;
  const other = dearerThan(unit);
  const least = other === null ? whole : priceOf(list, other);
  return least !== whole && comparable(least) > comparable(whole) ? least : whole;
}

/** More decimal places than any price has. */
const placesMax = 12;
const comparable = (price: string): bigint => decimalToScaled(parseDecimal(price), placesMax);

/** An object with a member for each count. */
export type ByCount<Bigint, Integer> = {
  readonly [Unit in CountedUnit as Unit["count"]]: {
    readonly bigint: Bigint;
    readonly integer: Integer;
  }[(typeof unitMeasures)[Unit["measure"]]["column"]];
};

export function byCount<Bigint, Integer>(members: {
  readonly bigint: Bigint;
  readonly integer: Integer;
}): ByCount<Bigint, Integer> {
  return Object.fromEntries(
    countedUnits.map(({ count, measure }) => [count, members[unitMeasures[measure].column]]),
  ) as unknown as ByCount<Bigint, Integer>;
}

export function byTokenCount<Member>(member: Member): Readonly<Record<TokenColumn, Member>> {
  return Object.fromEntries(tokenColumns.map((column) => [column, member])) as Record<TokenColumn, Member>;
}

/** A column name in camel case: `cache_read` becomes `cacheRead`. */
/** The name of a new price in an act: without `_usd` at the end, which would make it an amount. */
type PriceEffect = PriceColumn extends infer Price
  ? Price extends `${infer Name}_usd`
    ? `price_${Name}`
    : `price_${Price & string}`
  : never;

export function priceEffect(price: PriceColumn): PriceEffect {
  return `price_${price.replace(/_usd$/, "")}` as PriceEffect;
}
