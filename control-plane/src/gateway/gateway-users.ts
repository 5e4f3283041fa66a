import type { BudgetId, GatewayUserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import type { Queryable } from "../platform/db.ts";
import { insertGatewayUser, updateGatewayUser } from "./keys/store.ts";
import { grantQuota } from "./quota/grant-store.ts";

/** Creates a gateway user with its first quota. */
export async function addGatewayUser(
  tx: Queryable,
  groupName: string,
  grant: { readonly amount: bigint; readonly changeType: string },
): Promise<{ gatewayUserId: GatewayUserId; budgetId: BudgetId }> {
  const user = await insertGatewayUser(tx, groupName);
  if (grant.amount > 0n) {
    const reference = `${grant.changeType}:user:${user.gatewayUserId}`;
    await grantQuota(tx, { budgetId: user.budgetId, reference, ...grant });
  }
  return user;
}

/** Changes whether a user's keys work, and the price multiplier; absent fields stay. */
export async function changeGatewayUser(
  tx: Queryable,
  id: GatewayUserId,
  change: { readonly isEnabled?: boolean; readonly rateMultiplier?: Decimal },
): Promise<void> {
  const { isEnabled = null, rateMultiplier = null } = change;
  if (isEnabled !== null || rateMultiplier !== null) {
    await updateGatewayUser(tx, id, { isEnabled, rateMultiplier });
  }
}
