import type { GatewayUserId } from "@sluice/contracts/ids";
import { putImportedLimits } from "../gateway/account-limits/imported-limits.ts";
import { grantQuota, lockUserQuota } from "../gateway/quota/grant-store.ts";
import type { PeerLimits } from "./model.ts";
import type { Step } from "./run.ts";

/** The kind of change under which an account's first balance is in its ledger. */
export const opening = "import_opening";

/** Moves the difference to what was moved before; calls that were made there meanwhile make it smaller. */
export async function moveBalance({ tx }: Step, gatewayUserId: GatewayUserId, amount: bigint): Promise<void> {
  if (amount !== 0n) {
    const { budgetId } = await lockUserQuota(tx, gatewayUserId);
    // The row of the item, which this transaction writes, makes sure that each difference is moved once.
    await grantQuota(tx, { budgetId, amount, changeType: opening, reference: `${opening}:${Bun.randomUUIDv7()}` });
  }
}

/** Limits the account of a user or an organisation, in the run that makes it: later ones are changed here. */
export async function moveLimits({ tx }: Step, gatewayUserId: GatewayUserId, limits: PeerLimits | null): Promise<void> {
  if (limits !== null) {
    await putImportedLimits(tx, gatewayUserId, limits);
  }
}
