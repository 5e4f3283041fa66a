import type { Plan } from "./plan.ts";

const centsOf = (usd: string): bigint => {
  const [whole = "0", fraction = ""] = usd.split(".");
  return BigInt(whole + fraction.padEnd(2, "0"));
};

/** What an amount in US dollars adds, in quota; null for one that can't be chosen. The server decides again. */
export function quotaOfAmount(plan: Plan, text: string): bigint | null {
  const { own_amount: bounds } = plan;
  if (bounds === null || !/^\d{1,6}(\.\d{1,2})?$/.test(text)) {
    return null;
  }
  const cents = centsOf(text);
  const isOffered =
    cents >= centsOf(bounds.min_usd) && cents <= centsOf(bounds.max_usd) && cents % centsOf(bounds.step_usd) === 0n;
  return isOffered ? (BigInt(plan.quota) * cents) / centsOf(plan.price_usd) : null;
}
