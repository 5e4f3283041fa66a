/** When the budget of a key can begin again, as in packages/contracts, whose values would bring zod along. */
export const resetPeriods = ["none", "daily", "weekly", "monthly"] as const;
