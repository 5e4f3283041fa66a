import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import type { Queryable } from "../../platform/db.ts";
import { advisoryLockKey } from "../../platform/db-locks.ts";
import {
  type Order,
  type PaidNotice,
  type PayChannel,
  type Payment,
  type ReviewReason,
  reversalMark,
} from "../model.ts";

type OrderRow = {
  id: bigint;
  order_no: string;
  plan_code: string;
  plan_name: string;
  plan_kind: Order["planKind"];
  quota: bigint;
  amount_usd: string;
  currency: string;
  user_id: bigint | null;
  gateway_user_id: bigint | null;
  email: string | null;
  pay_channel: PayChannel;
  sender: string | null;
  vendor: string | null;
  status: Order["status"];
  is_paid_late: boolean;
  is_mock: boolean;
  review_reason: string | null;
  resolution: Order["resolution"];
  expires_at: Date;
  settled_at: Date | null;
  credited_at: Date | null;
  created_at: Date;
};

function toOrder(row: OrderRow): Order {
  return {
    id: row.id,
    orderNo: row.order_no,
    planCode: row.plan_code,
    planName: row.plan_name,
    planKind: row.plan_kind,
    quota: row.quota,
    amountUsd: row.amount_usd as Decimal,
    currency: row.currency,
    userId: row.user_id as UserId | null,
    gatewayUserId: row.gateway_user_id as GatewayUserId | null,
    email: row.email,
    payChannel: row.pay_channel,
    sender: row.sender,
    vendor: row.vendor,
    status: row.status,
    isPaidLate: row.is_paid_late,
    isMock: row.is_mock,
    reviewReason: row.review_reason,
    resolution: row.resolution,
    expiresAt: row.expires_at,
    settledAt: row.settled_at,
    creditedAt: row.credited_at,
    createdAt: row.created_at,
  };
}

/** The database's time: replicas whose clocks differ must agree on what has ended. */
export async function readNow(db: Queryable): Promise<Date> {
  const [row] = await db.sql<{ now: Date }>`select now() as now`;
  if (row === undefined) {
    throw new Error("the database did not say what time it is");
  }
  return row.now;
}

/** The order under this number, or null. */
export async function findOrder(db: Queryable, orderNo: string): Promise<Order | null> {
  const [row] = await db.sql<OrderRow>`
    select o.*, p.gateway_user_id from sales_order o left join user_profile p on p.id = o.user_id
    where o.order_no = ${orderNo}`;
  return row === undefined ? null : toOrder(row);
}

/** The same, locked until the end of the transaction. Everything that changes an order does this first. */
export async function lockOrder(tx: Queryable, orderNo: string): Promise<Order | null> {
  const locked = await tx.sql`select 1 from sales_order where order_no = ${orderNo} for update`;
  // A separate statement: one that waited for the lock would still see the previous owner.
  return locked.length === 0 ? null : await findOrder(tx, orderNo);
}

export type NewOrder = {
  readonly orderNo: string;
  readonly planCode: string;
  readonly userId: UserId | null;
  readonly email: string | null;
  readonly payChannel: PayChannel;
  readonly sender: string | null;
  readonly vendor: string | null;
  readonly idempotencyKey: string | null;
  readonly claimCodeHash: Uint8Array | null;
  readonly visitorId: string | null;
  readonly at: Date;
};

/** Places an order on the plan's current terms. Null when the idempotency key is taken, or no such plan is offered. */
export async function insertOrder(tx: Queryable, order: NewOrder): Promise<Order | null> {
  const rows = await tx.sql<{ order_no: string }>`
    insert into sales_order (order_no, plan_code, plan_name, plan_kind, quota, amount_usd, currency, user_id, email,
      pay_channel, sender, vendor, idempotency_key, claim_code_hash, visitor_id, created_at, updated_at, expires_at)
    select ${order.orderNo}, plan_code, name, kind, quota, price_usd, 'USD', ${order.userId}::bigint,
      ${order.email}::text, ${order.payChannel}, ${order.sender}::text, ${order.vendor}::text,
      ${order.idempotencyKey}::text, ${order.claimCodeHash}::bytea, ${order.visitorId}::text, ${order.at}::timestamptz, ${order.at}::timestamptz,
      ${order.at}::timestamptz + interval '24 hours'
    from plan
    where plan_code = ${order.planCode} and status = 'active'
    on conflict (coalesce(user_id, 0), idempotency_key) do nothing
    returning order_no`;
  return rows.length === 0 ? null : await findOrder(tx, order.orderNo);
}

/** The order that the user, or an anonymous caller, placed under this idempotency key. */
export async function findOrderByKey(db: Queryable, userId: UserId | null, key: string): Promise<Order | null> {
  const [row] = await db.sql<OrderRow>`
    select o.*, p.gateway_user_id from sales_order o left join user_profile p on p.id = o.user_id
    where coalesce(o.user_id, 0) = coalesce(${userId}::bigint, 0) and o.idempotency_key = ${key}`;
  return row === undefined ? null : toOrder(row);
}

type PaymentRow = {
  order_id: bigint;
  gateway: Payment["gateway"];
  account: string;
  transaction_id: string;
  amount_usd: string;
  currency: string;
};

function toPayment(row: PaymentRow | undefined): Payment | null {
  return row === undefined
    ? null
    : {
        orderId: row.order_id,
        gateway: row.gateway,
        account: row.account,
        transactionId: row.transaction_id,
        amountUsd: row.amount_usd as Decimal,
        currency: row.currency,
      };
}

export async function findPaymentOfOrder(db: Queryable, orderId: bigint): Promise<Payment | null> {
  const [row] = await db.sql<PaymentRow>`
    select order_id, gateway, account, transaction_id, amount_usd, currency from payment
    where order_id = ${orderId}::bigint`;
  return toPayment(row);
}

export async function findPaymentByTransaction(
  db: Queryable,
  { gateway, transactionId }: PaidNotice,
): Promise<Payment | null> {
  const [row] = await db.sql<PaymentRow>`
    select order_id, gateway, account, transaction_id, amount_usd, currency from payment
    where gateway = ${gateway} and transaction_id = ${transactionId}`;
  return toPayment(row);
}

/**
 * Whether this call recorded the payment; false when the transaction was recorded for another order in the meantime.
 */
export async function insertPayment(tx: Queryable, orderId: bigint, notice: PaidNotice): Promise<boolean> {
  const rows = await tx.sql`
    insert into payment (order_id, gateway, account, transaction_id, amount_usd, currency)
    values (${orderId}::bigint, ${notice.gateway}, ${notice.account}, ${notice.transactionId},
      ${notice.amountUsd}::numeric, ${notice.currency})
    on conflict (gateway, transaction_id) do nothing
    returning 1`;
  return rows.length > 0;
}

export async function markSettled(
  tx: Queryable,
  orderId: bigint,
  how: { readonly isLate: boolean; readonly isMock: boolean; readonly at: Date },
): Promise<void> {
  await tx.sql`
    update sales_order set status = 'settled', is_paid_late = ${how.isLate}, is_mock = ${how.isMock},
      settled_at = ${how.at}::timestamptz, updated_at = now()
    where id = ${orderId}::bigint`;
}

/** Records when its quota was credited to its owner. */
export async function markCredited(tx: Queryable, orderId: bigint, at: Date): Promise<void> {
  await tx.sql`
    update sales_order set credited_at = ${at}::timestamptz, updated_at = now() where id = ${orderId}::bigint`;
}

/**
 * Marks an order for review by a person. Only an order that is waiting for its payment changes its status; a final
 * status stays, except for an order that was paid correctly but much too late, or was refunded before, whose payment
 * needs a decision. If money went back, the reason keeps saying so.
 */
export async function markForReview(tx: Queryable, orderId: bigint, reason: ReviewReason): Promise<void> {
  await tx.sql`
    update sales_order set
      status = case when status = 'pending' or ${reason} in ('paid_too_late', 'paid_while_in_review') then 'review'
        else status end,
      review_reason = case when starts_with(review_reason, ${reversalMark}) then review_reason else ${reason} end,
      updated_at = now()
    where id = ${orderId}::bigint`;
}

/** Gives an order without an owner to a user. */
export async function setOwner(tx: Queryable, orderId: bigint, userId: UserId): Promise<void> {
  // The key was unique among those of anonymous callers; among the user's it has no meaning.
  await tx.sql`
    update sales_order set user_id = ${userId}::bigint, idempotency_key = null, updated_at = now()
    where id = ${orderId}::bigint and user_id is null`;
}

export type Owner = {
  readonly userId: UserId;
  readonly gatewayUserId: GatewayUserId;
  readonly email: string;
  readonly locale: string;
};

type OwnerRow = { id: bigint; gateway_user_id: bigint; email: string; locale: string };

function toOwner(row: OwnerRow | undefined): Owner | null {
  return row === undefined
    ? null
    : {
        userId: row.id as UserId,
        gatewayUserId: row.gateway_user_id as GatewayUserId,
        email: row.email,
        locale: row.locale,
      };
}

export async function findOwner(db: Queryable, userId: UserId): Promise<Owner | null> {
  const [row] = await db.sql<OwnerRow>`
    select id, gateway_user_id, email, locale from user_profile where id = ${userId}::bigint`;
  return toOwner(row);
}

/** The user who has verified this address. */
export async function findVerifiedOwner(db: Queryable, email: string): Promise<Owner | null> {
  const [row] = await db.sql<OwnerRow>`
    select id, gateway_user_id, email, locale from user_profile
    where lower(email) = lower(${email}) and email_verified_at is not null and status <> 'closed'`;
  return toOwner(row);
}

/**
 * Serializes work on one address until the end of the transaction: an order that is being paid and the verification of
 * its address each look for what the other writes, and one of them has to see it.
 */
export async function lockAddress(tx: Queryable, email: string): Promise<void> {
  await tx.sql`select pg_advisory_xact_lock(${advisoryLockKey(`billing address: ${email.toLowerCase()}`)}::bigint)`;
}

/** Numbers of paid orders without an owner that name this address. */
export async function listPaidWithoutOwner(db: Queryable, email: string): Promise<string[]> {
  const rows = await db.sql<{ order_no: string }>`
    select order_no from sales_order
    where user_id is null and lower(email) = lower(${email}) and status = 'settled'
      and resolution is distinct from 'refund' and not starts_with(coalesce(review_reason, ''), ${reversalMark})
    order by id`;
  return rows.map((row) => row.order_no);
}

/** Verified users whose address names a paid order without an owner. */
export async function listWaitingOwners(db: Queryable, limit: number): Promise<UserId[]> {
  const rows = await db.sql<{ id: bigint }>`
    select distinct p.id from sales_order o join user_profile p on lower(p.email) = lower(o.email)
    where o.user_id is null and o.status = 'settled' and o.resolution is distinct from 'refund'
      and not starts_with(coalesce(o.review_reason, ''), ${reversalMark})
      and p.email_verified_at is not null and p.status <> 'closed'
      and not exists (select 1 from refund r where r.order_id = o.id and r.status <> 'failed')
    limit ${limit}::int`;
  return rows.map((row) => row.id as UserId);
}

/** A user's orders below an id, newest first. */
export async function selectOrders(
  db: Queryable,
  userId: UserId,
  page: { readonly below: bigint | null; readonly limit: number },
): Promise<Order[]> {
  const rows = await db.sql<OrderRow>`
    select o.*, p.gateway_user_id from sales_order o join user_profile p on p.id = o.user_id
    where o.user_id = ${userId}::bigint and (${page.below}::bigint is null or o.id < ${page.below}::bigint)
    order by o.id desc limit ${page.limit}::int`;
  return rows.map(toOrder);
}

/** Whether this is the claim code of an anonymous order. */
export async function isClaimCode(db: Queryable, orderId: bigint, hash: Uint8Array): Promise<boolean> {
  const rows = await db.sql`select 1 from sales_order where id = ${orderId}::bigint and claim_code_hash = ${hash}`;
  return rows.length > 0;
}

export async function markCancelled(tx: Queryable, orderId: bigint): Promise<void> {
  await tx.sql`update sales_order set status = 'cancelled', updated_at = now() where id = ${orderId}::bigint`;
}

export async function markRefunded(tx: Queryable, orderId: bigint): Promise<void> {
  await tx.sql`update sales_order set status = 'refunded', updated_at = now() where id = ${orderId}::bigint`;
}

/** Expires up to `limit` orders that nobody paid in time; returns how many. */
export async function expireOrders(db: Queryable, at: Date, limit: number): Promise<number> {
  const rows = await db.sql`
    update sales_order set status = 'expired', updated_at = now() where id in (
      select id from sales_order where status = 'pending' and expires_at <= ${at}::timestamptz
      order by expires_at limit ${limit}::int for update skip locked
    ) returning 1`;
  return rows.length;
}
