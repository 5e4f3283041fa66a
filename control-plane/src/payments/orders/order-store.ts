import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import { and, asc, desc, eq, inArray, isNotNull, isNull, lt, lte, ne, notExists, sql } from "drizzle-orm";
import { equalsConstant, equalsInAnyCase, now } from "../../db/expressions.ts";
import { userProfile as profile } from "../../db/schema/accounts.ts";
import { salesOrder as order, payment, refund } from "../../db/schema/billing.ts";
import { coupon, couponUse } from "../../db/schema/coupons.ts";
import { organisationMember as member, organisation } from "../../db/schema/organisations.ts";
import type { Queryable } from "../../platform/db.ts";
import { takeAdvisoryLock } from "../../platform/db-locks.ts";
import type { BuyerTax } from "../invoices/tax.ts";
import {
  type Order,
  type PaidNotice,
  type PayChannel,
  type Payment,
  type ReviewReason,
  reversalMark,
} from "../model.ts";
import type { OrderTerms } from "../plans/plan-amount.ts";
import { namesOfBought } from "../plans/plan-names-store.ts";

const columns = {
  id: order.id,
  orderNo: order.orderNo,
  planCode: order.planCode,
  planName: order.planName,
  planNames: namesOfBought(order.planCode, order.planName),
  planKind: order.planKind,
  quota: order.quota,
  groupName: order.groupName,
  amountUsd: order.amountUsd,
  chosenUsd: order.chosenUsd,
  currency: order.currency,
  taxRate: order.taxRate,
  taxNote: order.taxNote,
  couponCode: coupon.code,
  discountUsd: couponUse.discountUsd,
  userId: order.userId,
  organisationId: order.organisationId,
  gatewayUserId: sql<GatewayUserId | null>`coalesce(${organisation.gatewayUserId}, ${profile.gatewayUserId})`,
  email: order.email,
  payChannel: order.payChannel,
  sender: order.sender,
  vendor: order.vendor,
  status: order.status,
  isPaidLate: order.isPaidLate,
  isMock: order.isMock,
  reviewReason: order.reviewReason,
  resolution: order.resolution,
  expiresAt: order.expiresAt,
  settledAt: order.settledAt,
  creditedAt: order.creditedAt,
  createdAt: order.createdAt,
};

const selectOrdersWithOwners = (db: Queryable) =>
  db.drizzle
    .select(columns)
    .from(order)
    .leftJoin(profile, eq(profile.id, order.userId))
    .leftJoin(organisation, eq(organisation.id, order.organisationId))
    .leftJoin(couponUse, eq(couponUse.orderId, order.id))
    .leftJoin(coupon, eq(coupon.id, couponUse.couponId));

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
  const [row] = await selectOrdersWithOwners(db).where(eq(order.orderNo, orderNo));
  return (row ?? null) as Order | null;
}

/**
 * The order under this number, locked until the end of the transaction. Everything that changes an order locks it
 * first.
 */
export async function lockOrder(tx: Queryable, orderNo: string): Promise<Order | null> {
  const locked = await tx.drizzle.select({ id: order.id }).from(order).where(eq(order.orderNo, orderNo)).for("update");
  // The order is read by a separate statement: the one that waited for the lock would still see the previous owner.
  return locked.length === 0 ? null : await findOrder(tx, orderNo);
}

export type NewOrder = {
  readonly orderNo: string;
  readonly planCode: string;
  /** The version of the plan that the terms are made from. */
  readonly planVersion: number;
  readonly terms: OrderTerms;
  readonly tax: BuyerTax | null;
  /** After how many hours it expires unpaid. */
  readonly openHours: number;
  readonly userId: UserId | null;
  readonly organisationId: bigint | null;
  readonly email: string | null;
  readonly payChannel: PayChannel;
  readonly sender: string | null;
  readonly vendor: string | null;
  readonly idempotencyKey: string | null;
  readonly claimCodeHash: Uint8Array | null;
  readonly visitorId: string | null;
  readonly at: Date;
};

/** Places an order. Null when the idempotency key is taken, or the plan was changed meanwhile. */
export async function insertOrder(tx: Queryable, made: NewOrder): Promise<Order | null> {
  const buyer = made.tax?.buyer ?? null;
  const rows = await tx.sql<{ order_no: string }>`
    insert into sales_order (order_no, plan_code, plan_name, plan_kind, quota, group_name, amount_usd, chosen_usd, currency, tax_rate, tax_note, buyer, user_id, organisation_id, email,
      pay_channel, sender, vendor, idempotency_key, claim_code_hash, visitor_id, created_at, updated_at, expires_at)
    select ${made.orderNo}, plan_code, name, kind, ${made.terms.quota}::bigint, group_name, ${made.terms.amountUsd}::numeric,
      ${made.terms.chosenUsd}::numeric, 'USD', ${made.tax?.rate ?? null}::numeric, ${made.tax?.note ?? null}::text,
      ${buyer === null ? null : JSON.stringify(buyer)}::text::jsonb, ${made.userId}::bigint, ${made.organisationId}::bigint,
      ${made.email}::text, ${made.payChannel}, ${made.sender}::text, ${made.vendor}::text,
      ${made.idempotencyKey}::text, ${made.claimCodeHash}::bytea, ${made.visitorId}::text, ${made.at}::timestamptz, ${made.at}::timestamptz,
      ${made.at}::timestamptz + make_interval(hours => ${made.openHours}::int)
    from plan
    where plan_code = ${made.planCode} and status = 'active' and version = ${made.planVersion}::integer
    on conflict (coalesce(user_id, 0), idempotency_key) do nothing
    returning order_no`;
  return rows.length === 0 ? null : await findOrder(tx, made.orderNo);
}

/** The order that the user, or an anonymous caller, placed under this idempotency key. */
export async function findOrderByKey(db: Queryable, userId: UserId | null, key: string): Promise<Order | null> {
  const isSame = sql`coalesce(${order.userId}, 0) = coalesce(${userId}::bigint, 0)`;
  const [row] = await selectOrdersWithOwners(db).where(and(isSame, eq(order.idempotencyKey, key)));
  return (row ?? null) as Order | null;
}

const paymentColumns = {
  orderId: payment.orderId,
  gateway: payment.gateway,
  account: payment.account,
  transactionId: payment.transactionId,
  amountUsd: payment.amountUsd,
  currency: payment.currency,
};

export async function findPaymentOfOrder(db: Queryable, orderId: bigint): Promise<Payment | null> {
  const [row] = await db.drizzle.select(paymentColumns).from(payment).where(eq(payment.orderId, orderId));
  return row ?? null;
}

export async function findPaymentByTransaction(
  db: Queryable,
  { gateway, transactionId }: PaidNotice,
): Promise<Payment | null> {
  const [row] = await db.drizzle
    .select(paymentColumns)
    .from(payment)
    .where(and(eq(payment.gateway, gateway), eq(payment.transactionId, transactionId)));
  return row ?? null;
}

/** Records a payment of an order. Returns false when its transaction was recorded for another order in the meantime. */
export async function insertPayment(tx: Queryable, orderId: bigint, notice: PaidNotice): Promise<boolean> {
  const { gateway, account, transactionId, amountUsd, currency } = notice;
  const rows = await tx.drizzle
    .insert(payment)
    .values({ orderId, gateway, account, transactionId, amountUsd, currency })
    .onConflictDoNothing({ target: [payment.gateway, payment.transactionId] })
    .returning({ id: payment.id });
  return rows.length > 0;
}

export async function markSettled(
  tx: Queryable,
  orderId: bigint,
  how: { readonly isLate: boolean; readonly isMock: boolean; readonly at: Date },
): Promise<void> {
  await tx.drizzle
    .update(order)
    .set({ status: "settled", isPaidLate: how.isLate, isMock: how.isMock, settledAt: how.at, updatedAt: now })
    .where(eq(order.id, orderId));
}

/** Records when the quota of an order was credited to its owner. */
export async function markCredited(tx: Queryable, orderId: bigint, at: Date): Promise<void> {
  await tx.drizzle.update(order).set({ creditedAt: at, updatedAt: now }).where(eq(order.id, orderId));
}

const decidedAgain: ReadonlySet<ReviewReason> = new Set<ReviewReason>([
  "paid_too_late",
  "paid_while_in_review",
  "coupon_used_up",
  "account_closed",
]);

/**
 * Marks an order for review by a person. Only an order that is waiting for its payment changes its status; a final
 * status stays, except for an order that was paid correctly but much too late, with a coupon that was used up or for a closed
 * account, or was refunded before, whose payment needs a decision. If money went back, the reason keeps saying so.
 */
export async function markForReview(tx: Queryable, orderId: bigint, reason: ReviewReason): Promise<void> {
  const isDecidedAgain = decidedAgain.has(reason);
  await tx.drizzle
    .update(order)
    .set({
      status: isDecidedAgain
        ? "review"
        : sql`case when ${order.status} = 'pending' then 'review' else ${order.status} end`,
      reviewReason: sql`case when starts_with(${order.reviewReason}, ${reversalMark}) then ${order.reviewReason}
        else ${reason}::text end`,
      updatedAt: now,
    })
    .where(eq(order.id, orderId));
}

/** Gives an order without an owner to a user. */
export async function setOwner(tx: Queryable, orderId: bigint, userId: UserId): Promise<void> {
  await tx.drizzle
    .update(order)
    // The key was unique among those of all anonymous callers; among the user's own keys it has no meaning.
    .set({ userId, idempotencyKey: null, updatedAt: now })
    .where(and(eq(order.id, orderId), isNull(order.userId)));
}

export type Owner = {
  readonly userId: UserId;
  readonly gatewayUserId: GatewayUserId;
  readonly email: string;
  readonly locale: string;
};

const ownerColumns = {
  userId: profile.id,
  gatewayUserId: profile.gatewayUserId,
  email: profile.email,
  locale: profile.locale,
};

export async function findOwner(db: Queryable, userId: UserId): Promise<Owner | null> {
  const [row] = await db.drizzle.select(ownerColumns).from(profile).where(eq(profile.id, userId));
  return (row ?? null) as Owner | null;
}

/** The user of an order, with the account that it credits: an organisation's if it was placed for one. */
export async function findOwnerOf(
  db: Queryable,
  { userId, gatewayUserId }: Pick<Order, "userId" | "gatewayUserId">,
): Promise<Owner | null> {
  const owner = userId === null ? null : await findOwner(db, userId);
  return owner === null ? null : { ...owner, gatewayUserId: gatewayUserId ?? owner.gatewayUserId };
}

/**
 * Whether nobody is left who could use what an order credits: the account is closed, or nobody belongs to the organisation
 * any more. An account that is open stays so until the end of the transaction.
 */
export async function isForNobody(
  tx: Queryable,
  { userId, organisationId }: Pick<Order, "userId" | "organisationId">,
): Promise<boolean> {
  if (organisationId !== null) {
    const members = await tx.drizzle
      .select({ id: member.id })
      .from(member)
      .where(and(eq(member.organisationId, organisationId), isNull(member.leftAt)))
      .limit(1);
    return members.length === 0;
  }
  if (userId === null) {
    return false;
  }
  const [row] = await tx.drizzle
    .select({ status: profile.status })
    .from(profile)
    .where(eq(profile.id, userId))
    .for("share");
  return row?.status === "closed";
}

const isVerified = and(isNotNull(profile.emailVerifiedAt), ne(profile.status, "closed"));

/** The user who has verified this address. */
export async function findVerifiedOwner(db: Queryable, email: string): Promise<Owner | null> {
  const [row] = await db.drizzle
    .select(ownerColumns)
    .from(profile)
    .where(and(equalsInAnyCase(profile.email, email), isVerified));
  return (row ?? null) as Owner | null;
}

/**
 * Serializes work on one address until the end of the transaction: an order that is being paid and the verification of
 * its address each look for what the other writes, and one of them has to see it.
 */
export async function lockAddress(tx: Queryable, email: string): Promise<void> {
  await takeAdvisoryLock(tx, `billing address: ${email.toLowerCase()}`);
}

/** The order is paid, not refunded, and has no owner. */
const waitsForOwner = and(
  isNull(order.userId),
  eq(order.status, "settled"),
  sql`${order.resolution} is distinct from 'refund'`,
  sql`not starts_with(coalesce(${order.reviewReason}, ''), ${reversalMark})`,
);

/** Numbers of paid orders without an owner that name this address. */
export async function listPaidWithoutOwner(db: Queryable, email: string): Promise<string[]> {
  const rows = await db.drizzle
    .select({ orderNo: order.orderNo })
    .from(order)
    .where(and(equalsInAnyCase(order.email, email), waitsForOwner))
    .orderBy(asc(order.id));
  return rows.map(({ orderNo }) => orderNo);
}

/** Verified users whose address names a paid order without an owner. */
export async function listWaitingOwners(db: Queryable, limit: number): Promise<UserId[]> {
  const liveRefund = db.drizzle
    .select({ id: refund.id })
    .from(refund)
    .where(and(eq(refund.orderId, order.id), ne(refund.status, "failed")));
  const rows = await db.drizzle
    .selectDistinct({ id: profile.id })
    .from(order)
    .innerJoin(profile, sql`lower(${profile.email}) = lower(${order.email})`)
    .where(and(waitsForOwner, isVerified, notExists(liveRefund)))
    .limit(limit);
  return rows.map(({ id }) => id as UserId);
}

/** Whose orders: those of a person for that person's own account, or those for an organisation, by any of its members. */
export type OrderPlace = { readonly userId: UserId; readonly organisationId: bigint | null };

/** The condition that an order belongs to a place. */
export const ordersOf = ({ userId, organisationId }: OrderPlace) =>
  organisationId === null
    ? and(eq(order.userId, userId), isNull(order.organisationId))
    : eq(order.organisationId, organisationId);

/** The orders of a place below an id, newest first. */
export async function selectOrders(
  db: Queryable,
  place: OrderPlace,
  page: { readonly below: bigint | null; readonly limit: number },
): Promise<Order[]> {
  const rows = await selectOrdersWithOwners(db)
    .where(and(ordersOf(place), page.below === null ? undefined : lt(order.id, page.below)))
    .orderBy(desc(order.id))
    .limit(page.limit);
  return rows as Order[];
}

/** Whether this is the claim code of an anonymous order. */
export async function isClaimCode(db: Queryable, orderId: bigint, hash: Uint8Array): Promise<boolean> {
  const rows = await db.drizzle
    .select({ id: order.id })
    .from(order)
    .where(and(eq(order.id, orderId), eq(order.claimCodeHash, hash)));
  return rows.length > 0;
}

export async function markCancelled(tx: Queryable, orderId: bigint): Promise<void> {
  await tx.drizzle.update(order).set({ status: "cancelled", updatedAt: now }).where(eq(order.id, orderId));
}

export async function markRefunded(tx: Queryable, orderId: bigint): Promise<void> {
  await tx.drizzle.update(order).set({ status: "refunded", updatedAt: now }).where(eq(order.id, orderId));
}

/** Expires up to `limit` orders that nobody paid in time; returns their ids. */
export async function expireOrders(tx: Queryable, at: Date, limit: number): Promise<bigint[]> {
  const overdue = tx.drizzle
    .select({ id: order.id })
    .from(order)
    .where(and(equalsConstant(order.status, "pending"), lte(order.expiresAt, at)))
    .orderBy(asc(order.expiresAt))
    .limit(limit)
    .for("update", { skipLocked: true });
  const rows = await tx.drizzle
    .update(order)
    .set({ status: "expired", updatedAt: now })
    .where(inArray(order.id, overdue))
    .returning({ id: order.id });
  return rows.map(({ id }) => id);
}
