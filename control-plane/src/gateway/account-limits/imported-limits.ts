import type { GatewayUserId } from "@sluice/contracts/ids";
import type { Transaction } from "../../platform/db.ts";
import { putLimits } from "./store.ts";

export type ImportedLimits = {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrencyMax: number | null;
  /** Quota. */
  readonly spendPerDay: bigint | null;
  readonly spendPerMonth: bigint | null;
};

/** Gives an account the limits that it had in another gateway. */
export async function putImportedLimits(
  tx: Transaction,
  gatewayUserId: GatewayUserId,
  { requestsPerMinute, tokensPerMinute, concurrencyMax, spendPerDay, spendPerMonth }: ImportedLimits,
): Promise<void> {
  const toNumber = (quota: bigint | null): number | null => (quota === null ? null : Number(quota));
  await putLimits(
    tx,
    { scope: "user", gatewayUserId },
    {
      requests_per_minute: requestsPerMinute,
      tokens_per_minute: tokensPerMinute,
      concurrency_max: concurrencyMax,
      spend_per_day: toNumber(spendPerDay),
      spend_per_month: toNumber(spendPerMonth),
    },
  );
}
