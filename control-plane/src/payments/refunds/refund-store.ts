import type { Decimal } from "@sluice/contracts/money";
import { and, asc, eq, lte, ne, sql } from "drizzle-orm";
import { fromNow, now, plusOne } from "../../db/expressions.ts";
import { salesOrder as order, refund } from "../../db/schema/billing.ts";
import type { Queryable } from "../../platform/db.ts";

export type Refund = {
  readonly id: bigint;
  readonly refundNo: string;
  readonly orderId: bigint;
  readonly orderNo: string;
  readonly amountUsd: Decimal;
  readonly quota: bigint;
  readonly status: "pending" | "done" | "failed";
  readonly reason: string;
  readonly gatewayRefundId: string | null;
  readonly error: string | null;
};

const selectRefunds = (db: Queryable) =>
  db.drizzle
    .select({
      id: refund.id,
      refundNo: refund.refundNo,
      orderId: refund.orderId,
      orderNo: order.orderNo,
      amountUsd: refund.amountUsd,
      quota: refund.quota,
      status: refund.status,
      reason: refund.reason,
      gatewayRefundId: refund.gatewayRefundId,
      error: refund.error,
    })
    .from(refund)
    .innerJoin(order, eq(order.id, refund.orderId));

export async function findRefund(db: Queryable, refundNo: string): Promise<Refund | null> {
  const [row] = await selectRefunds(db).where(eq(refund.refundNo, refundNo));
  return row ?? null;
}

/** An order's refunds that were paid or may still be. The caller holds the lock of the order. */
export async function listLiveRefunds(db: Queryable, orderId: bigint): Promise<Refund[]> {
  return await selectRefunds(db)
    .where(and(eq(refund.orderId, orderId), ne(refund.status, "failed")))
    .orderBy(asc(refund.id));
}

export async function insertRefund(
  tx: Queryable,
  made: Pick<Refund, "refundNo" | "orderId" | "amountUsd" | "quota" | "reason">,
): Promise<void> {
  await tx.drizzle.insert(refund).values({ ...made, status: "pending" });
}

export async function closeRefund(
  tx: Queryable,
  id: bigint,
  end: Pick<Refund, "status" | "gatewayRefundId" | "error">,
): Promise<void> {
  await tx.drizzle
    .update(refund)
    .set({ ...end, askingUntil: null, updatedAt: now })
    .where(eq(refund.id, id));
}

const isPending = eq(refund.status, "pending");

/** No gateway request takes longer than this, including its retries. */
const askingSeconds = 300;

/**
 * Claims a pending refund for asking the gateway, and counts that before the gateway gets the request. Null when it is
 * not pending, and while another caller asks.
 */
export async function beginAsking(db: Queryable, refundNo: string): Promise<{ readonly isFirst: boolean } | null> {
  const [row] = await db.drizzle
    .update(refund)
    .set({ asks: plusOne(refund.asks), askingUntil: fromNow(askingSeconds, "seconds"), updatedAt: now })
    .where(and(eq(refund.refundNo, refundNo), isPending, sql`coalesce(${refund.askingUntil}, now()) <= now()`))
    .returning({ asks: refund.asks });
  return row === undefined ? null : { isFirst: row.asks === 1 };
}

/** Records what is known of a refund after the gateway was asked, if that does not end it. */
export type StillPending = {
  /** False when the gateway never got the request, so that the next one counts as the first again. */
  readonly wasAsked: boolean;
  /** The gateway's message, if it needs a person. */
  readonly error: string | null;
};

/** Moves it to the end of the queue. */
export async function keepPending(tx: Queryable, id: bigint, { wasAsked, error }: StillPending): Promise<void> {
  await tx.drizzle
    .update(refund)
    .set({ asks: sql`${refund.asks} - ${wasAsked ? 0 : 1}::int`, error, askingUntil: null, updatedAt: now })
    .where(eq(refund.id, id));
}

/** The wait doubles with each request to the gateway, up to this limit. */
const waitMinutesMax = 60;

/** Refunds whose outcome the gateway has not reported yet, and which are due to be asked about again. */
export async function listWaitingRefunds(db: Queryable, at: Date, limit: number): Promise<string[]> {
  const moment = sql`${at}::timestamptz`;
  const wait = sql`least(power(2, least(${refund.asks}, 10) - 1), ${waitMinutesMax}::int) * interval '1 minute'`;
  const rows = await db.drizzle
    .select({ refundNo: refund.refundNo })
    .from(refund)
    .where(
      and(
        isPending,
        sql`coalesce(${refund.askingUntil}, ${moment}) <= ${moment}`,
        lte(refund.updatedAt, sql`${moment} - ${wait}`),
      ),
    )
    .orderBy(asc(refund.updatedAt), asc(refund.id))
    .limit(limit);
  return rows.map(({ refundNo }) => refundNo);
}
