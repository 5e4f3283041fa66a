import { grantQuota, lockUserQuota } from "../../gateway/quota/grant-store.ts";
import type { Transaction } from "../../platform/db.ts";
import { creditChangeType, creditReference, type Order } from "../model.ts";
import { markCredited, type Owner } from "../orders/order-store.ts";
import { findPeriodOfOrder } from "../renewals/period-store.ts";
import {
  endOf,
  insertSubscription,
  keepAtEnd,
  lockActiveSubscriptions,
  type RenewedPeriod,
  shiftSubscription,
} from "../subscriptions/subscription-store.ts";
import { countSubscriptions, endSubscription } from "../subscriptions/subscriptions.ts";

/**
 * Credits a paid order's quota to its owner, and begins or extends the subscription of a monthly plan. The caller holds
 * the lock of the order and has found that it is not credited yet; a second credit is an error.
 */
export async function creditOrder(
  tx: Transaction,
  { order, owner, at }: { readonly order: Order; readonly owner: Owner; readonly at: Date },
  afterLedger: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const quota = await lockUserQuota(tx, owner.gatewayUserId);
  const period = order.planKind === "monthly" ? await periodOf(tx, order, at) : null;
  if (order.planKind === "monthly") {
    await endOverdue(tx, { order, owner, at, period });
  }
  const isCredited = await grantQuota(tx, {
    budgetId: quota.budgetId,
    amount: order.quota,
    changeType: creditChangeType(order.planKind),
    reference: creditReference(order.orderNo),
  });
  if (!isCredited) {
    throw new Error(`order ${order.orderNo} was credited before`);
  }
  // The time of a credit is within the month that it pays for, even if our clock is behind the gateway's.
  await markCredited(tx, order.id, period !== null && period.start > at ? period.start : at);
  await afterLedger();
  if (order.planKind === "monthly") {
    await subscribe(tx, { order, owner, at, period }, quota.consumed);
  }
}

type Crediting = {
  readonly order: Order;
  readonly owner: Owner;
  readonly at: Date;
  readonly period: RenewedPeriod | null;
};

/** The month that the invoice of a renewal paid for. One that is over by now gives a month from its payment instead. */
async function periodOf(tx: Transaction, order: Order, at: Date): Promise<RenewedPeriod | null> {
  const period = await findPeriodOfOrder(tx, order.id);
  return period !== null && period.end > at ? period : null;
}

/** Ends an expired subscription that no job has ended yet, before its successor begins. */
async function endOverdue(tx: Transaction, { order, owner, at, period }: Crediting): Promise<void> {
  const running = await lockActiveSubscriptions(tx, owner.gatewayUserId);
  const isRenewed = period !== null;
  // A payment may arrive a little before its month begins by our clock.
  const moment = isRenewed && period.start > at ? period.start : at;
  const over = running.find(
    (each) => each.planCode === order.planCode && (isRenewed ? each.periodEnd : endOf(each)) <= moment,
  );
  if (over !== undefined) {
    await endSubscription(tx, { subscription: over, at: moment, mayWait: false, isRenewed });
  }
}

async function subscribe(tx: Transaction, crediting: Crediting, consumed: bigint): Promise<void> {
  const { order, owner, at, period } = crediting;
  const running = await countSubscriptions(tx, owner.gatewayUserId, consumed);
  const same = running.find((each) => each.planCode === order.planCode);
  if (same === undefined) {
    const { planCode, quota, groupName, organisationId } = order;
    await insertSubscription(tx, {
      ...{ gatewayUserId: owner.gatewayUserId, userId: organisationId === null ? owner.userId : null },
      ...{ planCode, quota, groupName, countedTo: consumed, at, period },
    });
    return;
  }
  await shiftSubscription(tx, same.id, { reference: creditReference(order.orderNo), quota: order.quota, months: 1 });
  await keepAtEnd(tx, same.id, order.groupName);
}
