import type { ResetPeriod } from "@sluice/contracts/key-fields";

/** How budgets that start over are written there. Thirty days are a calendar month in that program. */
const periods: Readonly<Record<string, ResetPeriod>> = {
  ...{ "24h": "daily", "1d": "daily", daily: "daily" },
  ...{ "7d": "weekly", "1w": "weekly", weekly: "weekly" },
  ...{ "30d": "monthly", "1mo": "monthly", monthly: "monthly" },
};

/** The period of a budget here: `none` for one that never starts over, null for one that has no counterpart. */
export function periodOf(duration: string): ResetPeriod | null {
  return duration === "" ? "none" : (periods[duration.toLowerCase()] ?? null);
}
