import type { GatewayUserId } from "@sluice/contracts/ids";
import { grantQuota, lockUserQuota } from "../../gateway/quota/grant-store.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import { countConsumption, leftOf } from "../model.ts";
import { readNow } from "../orders/order-store.ts";
import {
  endOf,
  lockActiveSubscriptions,
  markEnded,
  type Subscription,
  saveCount,
  selectOverdue,
  takeUnused,
} from "./subscription-store.ts";

/** How long to wait, at the end of a period, for quota that replicas hold; after that it is not taken. */
const graceMs = 15 * 60_000;
const endedPerRunMax = 200;

/**
 * An account's running subscriptions with what is left of each now. Anything that changes one, or their order, does this
 * first. The caller holds the lock of the account's quota and read `consumed` under it.
 */
export async function countSubscriptions(
  tx: Transaction,
  account: GatewayUserId,
  consumed: bigint,
): Promise<Subscription[]> {
  const running = countConsumption(await lockActiveSubscriptions(tx, account), consumed);
  for (const each of running) {
    await saveCount(tx, each);
  }
  return running;
}

export type Ending = {
  readonly subscription: Pick<Subscription, "id" | "gatewayUserId">;
  readonly at: Date;
  /** Whether the subscription may stay active for a while, until quota that is lent to replicas has come back. */
  readonly mayWait: boolean;
  /** Its next month was paid, so that it is kept no longer. */
  readonly isRenewed?: boolean;
};

/**
 * Takes the unused quota of an expired period, and at most what the account has left. While replicas hold slices of the
 * quota, only the rest is taken and the subscription stays for the next round, so that no running call loses the quota
 * it was admitted on, and none of it outlives the period either.
 */
export async function endSubscription(tx: Transaction, ending: Ending): Promise<void> {
  const { at, mayWait, isRenewed = false } = ending;
  const { id, gatewayUserId } = ending.subscription;
  const quota = await lockUserQuota(tx, gatewayUserId);
  const running = await countSubscriptions(tx, gatewayUserId, quota.consumed);
  // Another round may have ended it in the meantime.
  const subscription = running.find((each) => each.id === id);
  if (subscription === undefined) {
    return;
  }
  const end = isRenewed ? subscription.periodEnd : endOf(subscription);
  if (end > at) {
    return;
  }
  const unused = leftOf(subscription);
  const remaining = quota.remaining > 0n ? quota.remaining : 0n;
  const taken = unused < remaining ? unused : remaining;
  if (taken > 0n) {
    await grantQuota(tx, {
      budgetId: quota.budgetId,
      amount: -taken,
      changeType: "subscription_expiry",
      reference: `subscription:${id}:${subscription.period}`,
    });
    await takeUnused(tx, id, taken);
  }
  const isInGrace = at.getTime() - end.getTime() < graceMs;
  if (!(taken < unused && quota.leased > 0n && mayWait && isInGrace)) {
    await markEnded(tx, id);
  }
}

/** Ends expired subscriptions, each in its own transaction; returns how many were processed. */
export async function endOverdueSubscriptions(db: Database, time?: Date): Promise<number> {
  const at = time ?? (await readNow(db));
  const overdue = await selectOverdue(db, at, endedPerRunMax);
  for (const each of overdue) {
    await db.withTransaction((tx) => endSubscription(tx, { subscription: each, at, mayWait: true }));
  }
  return overdue.length;
}
