import { and, eq, sql } from "drizzle-orm";
import { salesOrder as order } from "../../db/schema/billing.ts";
import { renewal, renewalPeriod } from "../../db/schema/renewals.ts";
import type { Queryable } from "../../platform/db.ts";
import type { OrderTax } from "../invoices/tax.ts";
import type { Period, RenewedPeriod } from "../subscriptions/subscription-store.ts";
import type { Renewal } from "./model.ts";

/**
 * The month that an order was placed for by a renewal, with the days for which the renewal keeps a month after its end;
 * null for any other order.
 */
export async function findPeriodOfOrder(db: Queryable, orderId: bigint): Promise<RenewedPeriod | null> {
  const grace = sql`greatest(coalesce(${renewal.keptUntil} - ${renewal.periodEnd}, '0'), '0')`;
  const [row] = await db.drizzle
    .select({
      start: renewalPeriod.periodStart,
      end: renewalPeriod.periodEnd,
      keptUntil: sql<Date>`${renewalPeriod.periodEnd} + ${grace}`.mapWith(renewalPeriod.periodEnd),
    })
    .from(renewalPeriod)
    .innerJoin(renewal, eq(renewal.id, renewalPeriod.renewalId))
    .where(eq(renewalPeriod.orderId, orderId));
  return row ?? null;
}

/** Whether an invoice has an order already. */
export async function hasPeriod(db: Queryable, { account }: Renewal, invoiceId: string): Promise<boolean> {
  const rows = await db.drizzle
    .select({ id: renewalPeriod.id })
    .from(renewalPeriod)
    .where(and(eq(renewalPeriod.account, account), eq(renewalPeriod.invoiceId, invoiceId)));
  return rows.length > 0;
}

export type PeriodOrder = {
  readonly orderNo: string;
  readonly invoiceId: string;
  readonly period: Period;
  /** The tax that its price includes; null while the operator issues no invoices. */
  readonly tax: OrderTax | null;
  readonly at: Date;
};

/** Places the order of an invoice on the terms of its renewal, to be settled in the same transaction. */
export async function insertPeriodOrder(tx: Queryable, paid: Renewal, made: PeriodOrder): Promise<void> {
  const { userId, organisationId, planCode, planName, quota, groupName, priceUsd, account } = paid;
  const { orderNo, invoiceId, period, tax, at } = made;
  const [placed] = await tx.drizzle
    .insert(order)
    .values({
      ...{ orderNo, userId, organisationId, planCode, planName, planKind: "monthly", quota, groupName },
      amountUsd: priceUsd,
      ...{ payChannel: "cardpay", sender: account, vendor: "cardpay_card", gatewayReference: invoiceId },
      ...(tax === null ? {} : { taxRate: tax.rate, taxNote: tax.note }),
      // From a week after its month, a person decides about its payment.
      ...{ createdAt: at, updatedAt: at, expiresAt: period.end },
    })
    .returning({ id: order.id });
  if (placed === undefined) {
    throw new Error(`the order of invoice ${invoiceId} was not inserted`);
  }
  await tx.drizzle.insert(renewalPeriod).values({
    ...{ renewalId: paid.id, account, invoiceId, orderId: placed.id },
    ...{ periodStart: period.start, periodEnd: period.end },
  });
}
