import { grantQuota, lockUserQuota } from "../../gateway/quota/grant-store.ts";
import type { Transaction } from "../../platform/db.ts";
import { creditChangeType, creditReference, type Order } from "../model.ts";
import { markCredited, type Owner } from "../orders/order-store.ts";
import {
  insertSubscription,
  keepAtEnd,
  lockActiveSubscriptions,
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
  if (order.planKind === "monthly") {
    await endOverdue(tx, { order, owner, at });
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
  await markCredited(tx, order.id, at);
  await afterLedger();
  if (order.planKind === "monthly") {
    await subscribe(tx, { order, owner, at }, quota.consumed);
  }
}

type Crediting = { readonly order: Order; readonly owner: Owner; readonly at: Date };

/** Ends an expired subscription that no job has ended yet, before its successor begins. */
async function endOverdue(tx: Transaction, { order, owner, at }: Crediting): Promise<void> {
  const running = await lockActiveSubscriptions(tx, owner.userId);
  const over = running.find((each) => each.planCode === order.planCode && each.periodEnd <= at);
  if (over !== undefined) {
    await endSubscription(tx, { subscription: over, gatewayUserId: owner.gatewayUserId, at, mayWait: false });
  }
}

async function subscribe(tx: Transaction, { order, owner, at }: Crediting, consumed: bigint): Promise<void> {
  const running = await countSubscriptions(tx, owner.userId, consumed);
  const same = running.find((each) => each.planCode === order.planCode);
  if (same === undefined) {
    const { planCode, quota, groupName } = order;
    await insertSubscription(tx, { userId: owner.userId, planCode, quota, groupName, countedTo: consumed, at });
    return;
  }
  await shiftSubscription(tx, same.id, { reference: creditReference(order.orderNo), quota: order.quota, months: 1 });
  await keepAtEnd(tx, same.id, order.groupName);
}
