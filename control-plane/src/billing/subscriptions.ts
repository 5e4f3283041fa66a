import type { GatewayUserId } from "@sluice/contracts/ids";
import { changeQuota, lockQuotaOfUser } from "../gateway/service.ts";
import type { Database, Transaction } from "../platform/db.ts";
import { consumedOf, usedAtStartAfter } from "./model.ts";
import { readNow } from "./order-store.ts";
import {
  lockActiveSubscriptions,
  markEnded,
  reduceGrant,
  type Subscription,
  selectOverdue,
  setUsedAtStart,
} from "./subscription-store.ts";

/** Quota that replicas hold at the end of a period is waited for; longer than this it does not take them. */
const graceMs = 15 * 60_000;

export type Ending = {
  readonly subscription: Subscription;
  readonly gatewayUserId: GatewayUserId;
  readonly at: Date;
  /** Whether it may stay active for a while, until quota that is lent to replicas has come back. */
  readonly mayWait: boolean;
};

/**
 * Takes what is unused of a period that is over: what was granted less what was consumed, and at most what is left. While
 * replicas hold slices of the quota, only the rest is taken and the subscription stays for the next round, so that no
 * running call loses the quota it was let in on, and none of it outlives the period either.
 */
export async function endSubscription(tx: Transaction, ending: Ending): Promise<void> {
  const { gatewayUserId, at, mayWait } = ending;
  const { id, userId } = ending.subscription;
  const quota = await lockQuotaOfUser(tx, gatewayUserId);
  const running = await lockActiveSubscriptions(tx, userId);
  // Another round may have been quicker.
  const subscription = running.find((each) => each.id === id);
  if (subscription === undefined || subscription.periodEnd > at) {
    return;
  }
  const unused = subscription.quotaGranted - consumedOf(subscription, quota.consumed);
  const taken = unused < quota.remaining ? unused : quota.remaining;
  if (taken > 0n) {
    await changeQuota(tx, {
      budgetId: quota.budgetId,
      amount: -taken,
      changeType: "subscription_expiry",
      reference: `subscription:${id}:${subscription.period}`,
    });
    await reduceGrant(tx, id, taken);
  }
  const isLent = unused > (taken > 0n ? taken : 0n) && quota.leased > 0n;
  if (isLent && mayWait && at.getTime() - subscription.periodEnd.getTime() < graceMs) {
    return;
  }
  await markEnded(tx, id);
  const ended = { ...subscription, quotaGranted: subscription.quotaGranted - (taken > 0n ? taken : 0n) };
  for (const other of running.filter((each) => each.id !== id)) {
    const from = usedAtStartAfter(ended, other, quota.consumed);
    if (from !== other.usedAtStart) {
      await setUsedAtStart(tx, other.id, from);
    }
  }
}

const endedPerRunMax = 200;

/** Ends the subscriptions whose time is over, each in a transaction of its own; returns how many were looked at. */
export async function endOverdueSubscriptions(db: Database, time?: Date): Promise<number> {
  const at = time ?? (await readNow(db));
  const overdue = await selectOverdue(db, at, endedPerRunMax);
  for (const each of overdue) {
    await db.withTransaction((tx) => endSubscription(tx, { ...each, at, mayWait: true }));
  }
  return overdue.length;
}
