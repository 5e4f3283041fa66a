import { usdOfQuota } from "@sluice/contracts/money";

/** Quota from a response as US dollars, exact. */
export const toUsd = (quota: number | string): string => usdOfQuota(BigInt(quota));
