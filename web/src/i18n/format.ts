import { directionOf, type Locale } from "@sluice/contracts/locales";
import { dayMs } from "./days.ts";
import { formatTagOf } from "./locale.ts";

/** 500,000 quota are worth 1 USD; packages/contracts defines that, and a test compares. */
const quotaPerUsd = 500_000n;
const usdPlaces = 6;
const smallPlaces = 4;

/**
 * Everything that is formatted differently in each language. Dates are shown in an IANA zone, by default the browser's.
 */
export type Formats = {
  readonly number: (value: number | bigint) => string;
  readonly compact: (value: number) => string;
  readonly percent: (share: number) => string;
  /** US dollars from exact decimal text, with all its decimals, at least two. */
  readonly usd: (decimal: string) => string;
  /** US dollars to the last decimal, for values that someone recomputes. */
  readonly usdExact: (decimal: string) => string;
  /** A decimal number from text, with all its decimals. */
  readonly decimal: (text: string) => string;
  /** US dollars with always six decimals, so that the points in a column align. */
  readonly usdColumn: (decimal: string) => string;
  /** The value of quota in such a column. */
  readonly quotaColumn: (quota: number | string | bigint) => string;
  /** The value of quota at a glance: with cents from a dollar on, with four decimals below that. */
  readonly quotaRounded: (quota: number | string | bigint) => string;
  /** The value of quota in US dollars. */
  readonly quota: (quota: number | string | bigint) => string;
  readonly date: (time: string | Date) => string;
  readonly dateTime: (time: string | Date) => string;
  /** A relative time such as "3 minutes ago", compared with a given time. */
  readonly relative: (time: string | Date, now: number) => string;
  readonly milliseconds: (value: number) => string;
  /** Words as a list, with the commas of the language. */
  readonly list: (words: readonly string[]) => string;
};

/** The exact dollars of an amount of quota, as decimal text. */
export function usdOfQuota(quota: number | string | bigint): string {
  const amount = BigInt(quota);
  const scaled = ((amount < 0n ? -amount : amount) * 10n ** BigInt(usdPlaces)) / quotaPerUsd;
  const digits = scaled.toString().padStart(usdPlaces + 1, "0");
  const fraction = digits.slice(-usdPlaces).replace(/0{1,4}$/, "");
  return `${amount < 0n ? "-" : ""}${digits.slice(0, -usdPlaces)}.${fraction}`;
}

const relativeUnits: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000_000],
  ["month", 2_592_000_000],
  ["day", dayMs],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** In these languages, `Intl` abbreviates a second to more than its symbol. */
const writesSigns: ReadonlySet<Locale> = new Set(["en", "de"]);

function placesOf(decimal: string): number {
  return decimal.split(".")[1]?.length ?? 0;
}

/** Formatters are cached, and created when they are first used: that takes a millisecond, and a table needs them in every cell. */
const made = new Map<string, Formats>();
const madeMax = 64;

/** The formatters of a language; cached by zone. */
export function formatsOf(locale: Locale, zone?: string): Formats {
  const key = `${locale} ${zone ?? ""}`;
  const known = made.get(key);
  if (known !== undefined) {
    return known;
  }
  if (made.size >= madeMax) {
    made.clear();
  }
  const formats = makeFormats(locale, zone);
  made.set(key, formats);
  return formats;
}

function onceMade<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

function makeFormats(locale: Locale, zone?: string): Formats {
  const tag = formatTagOf(locale);
  const number = onceMade(() => new Intl.NumberFormat(tag));
  const compact = onceMade(() => new Intl.NumberFormat(tag, { notation: "compact", maximumFractionDigits: 1 }));
  const percent = onceMade(() => new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: 1 }));
  // In Arabic, the text direction would tear the letters of "US$" apart.
  const usdOf = (minimumFractionDigits: number, maximumFractionDigits: number): Intl.NumberFormat =>
    new Intl.NumberFormat(locale === "ar" ? "en" : tag, {
      style: "currency",
      currency: "USD",
      currencyDisplay: "narrowSymbol",
      minimumFractionDigits,
      maximumFractionDigits,
    });
  const usd = onceMade(() => usdOf(2, usdPlaces));
  const usdSix = onceMade(() => usdOf(usdPlaces, usdPlaces));
  const usdCents = onceMade(() => usdOf(2, 2));
  const usdSmall = onceMade(() => usdOf(2, smallPlaces));
  const zoned = zone === undefined ? {} : { timeZone: zone };
  const date = onceMade(() => new Intl.DateTimeFormat(tag, { dateStyle: "medium", ...zoned }));
  const dateTime = onceMade(() => new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "medium", ...zoned }));
  const relative = onceMade(() => new Intl.RelativeTimeFormat(tag, { numeric: "auto" }));
  // The formatter gets the text unchanged, so that no amount becomes a float.
  const formatUsd = (decimal: string, format = usd()): string => {
    const text = format.format(decimal as Intl.StringNumericLiteral);
    // The sign and the number stay together in right-to-left text.
    return directionOf(locale) === "rtl" ? `\u2066${text}\u2069` : text;
  };
  const unitOf = (unit: string) =>
    onceMade(() => new Intl.NumberFormat(tag, { style: "unit", unit, unitDisplay: "short" }));
  const units = { ms: unitOf("millisecond"), s: unitOf("second") };
  const timeSpan = (value: number, sign: keyof typeof units): string =>
    writesSigns.has(locale) ? `${number().format(value)} ${sign}` : units[sign]().format(value);
  return {
    number: (value) => number().format(value),
    compact: (value) => compact().format(value),
    percent: (share) => percent().format(share),
    usd: (decimal) => formatUsd(decimal),
    usdExact: (decimal) => {
      const places = Math.max(2, placesOf(decimal));
      return formatUsd(decimal, usdOf(places, places));
    },
    decimal: (text) => {
      const places = placesOf(text);
      const format = new Intl.NumberFormat(tag, { minimumFractionDigits: places, maximumFractionDigits: places });
      return format.format(text as Intl.StringNumericLiteral);
    },
    usdColumn: (decimal) => formatUsd(decimal, usdSix()),
    quotaColumn: (quota) => formatUsd(usdOfQuota(quota), usdSix()),
    quotaRounded: (quota) => {
      const decimal = usdOfQuota(quota);
      const rounded = /^-?0\./.test(decimal) ? formatUsd(decimal, usdSmall()) : formatUsd(decimal, usdCents());
      // A non-zero amount is never shown as zero.
      return BigInt(quota) !== 0n && !/[1-9]/.test(rounded) ? formatUsd(decimal) : rounded;
    },
    quota: (quota) => formatUsd(usdOfQuota(quota)),
    date: (time) => date().format(new Date(time)),
    dateTime: (time) => dateTime().format(new Date(time)),
    relative: (time, now) => {
      const difference = new Date(time).getTime() - now;
      const [unit, size] = relativeUnits.find(([, each]) => Math.abs(difference) >= each) ?? ["second" as const, 1_000];
      return relative().format(Math.round(difference / size), unit);
    },
    milliseconds: (value) =>
      value < 1_000 ? timeSpan(Math.round(value), "ms") : timeSpan(Math.round(value / 100) / 10, "s"),
    list: (words) => new Intl.ListFormat(tag, { style: "narrow" }).format(words),
  };
}
