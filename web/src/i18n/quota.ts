const quotaPerUsd = 500_000n;
const places = 6;

/** Quota from a typed amount in US dollars, rounded down to a whole number; null if it is not an amount. */
export function quotaOfUsd(text: string): bigint | null {
  const match = /^(\d{1,9})(?:[.,](\d{1,6}))?$/.exec(text.trim());
  if (match === null) {
    return null;
  }
  const micros = BigInt((match[1] ?? "0") + (match[2] ?? "").padEnd(places, "0"));
  return (micros * quotaPerUsd) / 10n ** BigInt(places);
}

/** The value of quota as a number, for charts only: it may be rounded. */
export function usdNumber(quota: number | string): number {
  return Number(quota) / Number(quotaPerUsd);
}
