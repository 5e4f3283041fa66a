import { and, eq, isNull, sql } from "drizzle-orm";
import { fromNow, now } from "../../db/expressions.ts";
import { salesOrder as order } from "../../db/schema/billing.ts";
import type { Queryable } from "../../platform/db.ts";
import type { Checkout } from "../gateways/model.ts";

/** A caller that takes longer than this to open a checkout is assumed dead. */
const openingSeconds = 60;

/** Lets one caller at a time open an order's checkout; refuses if the order already has one. */
export async function beginOpening(db: Queryable, orderNo: string): Promise<boolean> {
  const rows = await db.drizzle
    .update(order)
    .set({ openingUntil: fromNow(openingSeconds, "seconds") })
    .where(
      and(eq(order.orderNo, orderNo), isNull(order.checkoutUrl), sql`coalesce(${order.openingUntil}, now()) <= now()`),
    )
    .returning({ id: order.id });
  return rows.length > 0;
}

/** Stores the checkout of an order, or records that none was opened. */
export async function endOpening(db: Queryable, orderNo: string, checkout: Checkout | null): Promise<void> {
  const opened = checkout === null ? {} : { checkoutUrl: checkout.url, gatewayReference: checkout.reference };
  await db.drizzle
    .update(order)
    .set({ ...opened, openingUntil: null, updatedAt: now })
    .where(eq(order.orderNo, orderNo));
}

/** The checkout that was opened for an order; null while there is none. */
export async function findCheckout(db: Queryable, orderNo: string): Promise<Checkout | null> {
  const [row] = await db.drizzle
    .select({ url: order.checkoutUrl, reference: order.gatewayReference })
    .from(order)
    .where(eq(order.orderNo, orderNo));
  const { url = null, reference = null } = row ?? {};
  return url === null || reference === null ? null : { url, reference };
}
