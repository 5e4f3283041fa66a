import type { Decimal } from "@sluice/contracts/money";
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

type RefundRow = {
  id: bigint;
  refund_no: string;
  order_id: bigint;
  order_no: string;
  amount_usd: string;
  quota: bigint;
  status: Refund["status"];
  reason: string;
  gateway_refund_id: string | null;
  error: string | null;
};

function toRefund(row: RefundRow): Refund {
  return {
    id: row.id,
    refundNo: row.refund_no,
    orderId: row.order_id,
    orderNo: row.order_no,
    amountUsd: row.amount_usd as Decimal,
    quota: row.quota,
    status: row.status,
    reason: row.reason,
    gatewayRefundId: row.gateway_refund_id,
    error: row.error,
  };
}

export async function findRefund(db: Queryable, refundNo: string): Promise<Refund | null> {
  const [row] = await db.sql<RefundRow>`
    select r.*, o.order_no from refund r join sales_order o on o.id = r.order_id where r.refund_no = ${refundNo}`;
  return row === undefined ? null : toRefund(row);
}

/** An order's refunds that were paid or may still be. The caller holds the lock of the order. */
export async function listLiveRefunds(db: Queryable, orderId: bigint): Promise<Refund[]> {
  const rows = await db.sql<RefundRow>`
    select r.*, o.order_no from refund r join sales_order o on o.id = r.order_id
    where r.order_id = ${orderId}::bigint and r.status <> 'failed' order by r.id`;
  return rows.map(toRefund);
}

export async function insertRefund(
  tx: Queryable,
  refund: Pick<Refund, "refundNo" | "orderId" | "amountUsd" | "quota" | "reason">,
): Promise<void> {
  await tx.sql`
    insert into refund (refund_no, order_id, amount_usd, quota, status, reason)
    values (${refund.refundNo}, ${refund.orderId}::bigint, ${refund.amountUsd}::numeric, ${refund.quota}::bigint,
      'pending', ${refund.reason})`;
}

export async function closeRefund(
  tx: Queryable,
  id: bigint,
  end: Pick<Refund, "status" | "gatewayRefundId" | "error">,
): Promise<void> {
  await tx.sql`
    update refund set status = ${end.status}, gateway_refund_id = ${end.gatewayRefundId}::text,
      error = ${end.error}::text, asking_until = null, updated_at = now()
    where id = ${id}::bigint`;
}

/** Longer than any gateway request takes, with its retries. */
const askingSeconds = 300;

/**
 * Claims a pending refund for asking the gateway, and counts that before the gateway gets the request. Null when it is
 * not pending, and while another caller asks.
 */
export async function beginAsking(db: Queryable, refundNo: string): Promise<{ readonly isFirst: boolean } | null> {
  const [row] = await db.sql<{ asks: number }>`
    update refund set asks = asks + 1, asking_until = now() + make_interval(secs => ${askingSeconds}::int),
      updated_at = now()
    where refund_no = ${refundNo} and status = 'pending' and coalesce(asking_until, now()) <= now() returning asks`;
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
  await tx.sql`
    update refund set asks = asks - ${wasAsked ? 0 : 1}::int, error = ${error}::text, asking_until = null,
      updated_at = now()
    where id = ${id}::bigint`;
}

/** The wait doubles with each request to the gateway, up to this. */
const waitMinutesMax = 60;

/** Refunds whose outcome the gateway has not reported yet, and which are due to be asked about again. */
export async function listWaitingRefunds(db: Queryable, at: Date, limit: number): Promise<string[]> {
  const rows = await db.sql<{ refund_no: string }>`
    select refund_no from refund
    where status = 'pending' and coalesce(asking_until, ${at}::timestamptz) <= ${at}::timestamptz
      and updated_at <= ${at}::timestamptz
        - least(power(2, least(asks, 10) - 1), ${waitMinutesMax}::int) * interval '1 minute'
    order by updated_at, id limit ${limit}::int`;
  return rows.map((row) => row.refund_no);
}
