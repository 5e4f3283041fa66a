import type { UserId } from "@sluice/contracts/ids";
import type { Database, Transaction } from "../../platform/db.ts";
import {
  findOwner,
  listPaidWithoutOwner,
  listWaitingOwners,
  lockAddress,
  lockOrder,
  readNow,
  setOwner,
} from "../orders/order-store.ts";
import { isMoneyBack } from "../refunds/money-back.ts";
import { creditOrder } from "./credit-order.ts";

/**
 * Credits everything that was paid anonymously under an address, now that a user has proved to own it. Call it in the
 * transaction of the verification, after that was recorded.
 * @returns how many orders were credited
 */
export async function creditPaidOrders(tx: Transaction, userId: UserId, at?: Date): Promise<number> {
  const owner = await findOwner(tx, userId);
  if (owner === null) {
    return 0;
  }
  await lockAddress(tx, owner.email);
  let credited = 0;
  for (const orderNo of await listPaidWithoutOwner(tx, owner.email)) {
    const order = await lockOrder(tx, orderNo);
    const isOpen = order?.userId === null && order.status === "settled";
    if (isOpen && !(await isMoneyBack(tx, order))) {
      await setOwner(tx, order.id, owner.userId);
      await creditOrder(tx, { order, owner, at: at ?? (await readNow(tx)) });
      credited += 1;
    }
  }
  return credited;
}

const ownersPerRunMax = 200;

/**
 * Credits every paid order without an owner whose address has been verified since, in any way. Returns how many orders
 * were credited.
 */
export async function creditWaitingOwners(db: Database): Promise<number> {
  let credited = 0;
  for (const userId of await listWaitingOwners(db, ownersPerRunMax)) {
    credited += await db.withTransaction((tx) => creditPaidOrders(tx, userId));
  }
  return credited;
}
