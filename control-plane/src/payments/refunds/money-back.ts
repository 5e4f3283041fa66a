import type { Transaction } from "../../platform/db.ts";
import { isReversed, type Order } from "../model.ts";
import { listLiveRefunds } from "./refund-store.ts";

/**
 * Whether the money of an order that was not credited went back, or may be on its way: then it must not be credited,
 * unless a person decides to. The caller holds the lock of the order.
 */
export async function isMoneyBack(tx: Transaction, order: Order): Promise<boolean> {
  const isSaid = order.status === "refunded" || order.resolution === "refund" || isReversed(order);
  return isSaid || (await listLiveRefunds(tx, order.id)).length > 0;
}
