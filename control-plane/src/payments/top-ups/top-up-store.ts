import type { Decimal } from "@sluice/contracts/money";
import type { CardSender } from "@sluice/contracts/payments";
import type { PlanNames } from "@sluice/contracts/plan-texts";
import type { TopUpStatus, topUpStops } from "@sluice/contracts/top-ups";
import { and, asc, eq, exists, inArray, isNotNull, isNull, lt, ne, notExists, or, sql } from "drizzle-orm";
import { fromNow, now } from "../../db/expressions.ts";
import { userProfile as profile } from "../../db/schema/accounts.ts";
import { salesOrder as order, refund } from "../../db/schema/billing.ts";
import { organisationMember as member } from "../../db/schema/organisations.ts";
import { topUpAttempt as attempt, autoTopUp as topUp } from "../../db/schema/top-ups.ts";
import type { Queryable } from "../../platform/db.ts";
import type { Checkout } from "../gateways/model.ts";
import type { SavedMethod } from "../gateways/port.ts";
import type { OrderPlace } from "../orders/order-store.ts";
import { isPaying } from "../orders/payer-store.ts";
import { namesOfBought } from "../plans/plan-names-store.ts";

export type TopUpStop = (typeof topUpStops)[number];

export type NewTopUp = OrderPlace & {
  readonly topUpNo: string;
  readonly planCode: string;
  readonly planName: string;
  readonly chosenUsd: Decimal | null;
  readonly priceUsd: Decimal;
  readonly thresholdQuota: bigint;
  readonly monthMaxUsd: Decimal;
  readonly account: CardSender;
};

export type TopUp = NewTopUp & {
  readonly id: bigint;
  readonly planNames: PlanNames;
  readonly status: TopUpStatus;
  readonly stopReason: TopUpStop | null;
  readonly checkoutReference: string | null;
  readonly checkoutUrl: string | null;
  readonly gatewayCustomerId: string | null;
  readonly gatewayMethodId: string | null;
  readonly failures: number;
  readonly createdAt: Date;
};

const columns = {
  id: topUp.id,
  topUpNo: topUp.topUpNo,
  userId: topUp.userId,
  organisationId: topUp.organisationId,
  planCode: topUp.planCode,
  planName: topUp.planName,
  planNames: namesOfBought(topUp.planCode, topUp.planName),
  chosenUsd: topUp.chosenUsd,
  priceUsd: topUp.priceUsd,
  thresholdQuota: topUp.thresholdQuota,
  monthMaxUsd: topUp.monthMaxUsd,
  account: topUp.account,
  status: topUp.status,
  stopReason: topUp.stopReason,
  checkoutReference: topUp.checkoutReference,
  checkoutUrl: topUp.checkoutUrl,
  gatewayCustomerId: topUp.gatewayCustomerId,
  gatewayMethodId: topUp.gatewayMethodId,
  failures: topUp.failures,
  createdAt: topUp.createdAt,
};

const isKept = inArray(topUp.status, ["pending", "on", "stopped"]);
const isOf = ({ userId, organisationId }: OrderPlace) =>
  organisationId === null
    ? and(eq(topUp.userId, userId), isNull(topUp.organisationId))
    : eq(topUp.organisationId, organisationId);

/** The one that a wallet has, if any. */
export async function findTopUpOf(db: Queryable, place: OrderPlace): Promise<TopUp | null> {
  const [row] = await db.drizzle
    .select(columns)
    .from(topUp)
    .where(and(isOf(place), isKept));
  return (row ?? null) as TopUp | null;
}

export async function findTopUp(db: Queryable, id: bigint): Promise<TopUp | null> {
  const [row] = await db.drizzle.select(columns).from(topUp).where(eq(topUp.id, id));
  return (row ?? null) as TopUp | null;
}

/** The same, locked until the end of the transaction. */
export async function lockTopUp(tx: Queryable, id: bigint): Promise<TopUp> {
  const [row] = await tx.drizzle.select(columns).from(topUp).where(eq(topUp.id, id)).for("update");
  if (row === undefined) {
    throw new Error(`top-up ${id} is missing`);
  }
  return row as TopUp;
}

/** Null when the wallet has one already. */
export async function insertTopUp(tx: Queryable, made: NewTopUp): Promise<TopUp | null> {
  const [row] = await tx.drizzle.insert(topUp).values(made).onConflictDoNothing().returning(columns);
  return (row ?? null) as TopUp | null;
}

export async function saveSetupPage(db: Queryable, id: bigint, { url, reference }: Checkout): Promise<void> {
  await db.drizzle
    .update(topUp)
    .set({ checkoutUrl: url, checkoutReference: reference, updatedAt: now })
    .where(eq(topUp.id, id));
}

/** Switches a pending one on, with the method that the customer has saved. */
export async function saveMethod(db: Queryable, id: bigint, { customerId, methodId }: SavedMethod): Promise<void> {
  await db.drizzle
    .update(topUp)
    .set({ status: "on", gatewayCustomerId: customerId, gatewayMethodId: methodId, updatedAt: now })
    .where(and(eq(topUp.id, id), eq(topUp.status, "pending")));
}

export async function saveStatus(
  tx: Queryable,
  id: bigint,
  to: { readonly status: TopUpStatus; readonly stopReason?: TopUpStop; readonly failures?: number },
): Promise<void> {
  const { status, stopReason = null, failures } = to;
  await tx.drizzle
    .update(topUp)
    .set({ status, stopReason, updatedAt: now, ...(failures === undefined ? {} : { failures }) })
    .where(eq(topUp.id, id));
}

export async function saveFailures(tx: Queryable, id: bigint, failures: number): Promise<void> {
  await tx.drizzle.update(topUp).set({ failures, updatedAt: now }).where(eq(topUp.id, id));
}

/** Those whose page was opened: whether a method was saved has to be asked. */
export async function selectPending(db: Queryable, limit: number): Promise<TopUp[]> {
  const rows = await db.drizzle
    .select(columns)
    .from(topUp)
    .where(and(eq(topUp.status, "pending"), isNotNull(topUp.checkoutReference)))
    .orderBy(asc(topUp.id))
    .limit(limit);
  return rows as TopUp[];
}

/** Those that are over, while the gateway has their method or may have their page; first the ones that were asked about longest ago. */
export async function selectUnforgotten(db: Queryable, limit: number): Promise<TopUp[]> {
  const rows = await db.drizzle
    .select(columns)
    .from(topUp)
    .where(
      and(
        inArray(topUp.status, ["removed", "abandoned"]),
        isNull(topUp.detachedAt),
        or(isNotNull(topUp.gatewayMethodId), isNotNull(topUp.checkoutReference)),
      ),
    )
    .orderBy(asc(topUp.updatedAt), asc(topUp.id))
    .limit(limit);
  return rows as TopUp[];
}

export async function markAsked(db: Queryable, id: bigint): Promise<void> {
  await db.drizzle.update(topUp).set({ updatedAt: now }).where(eq(topUp.id, id));
}

export async function markForgotten(db: Queryable, id: bigint): Promise<void> {
  await db.drizzle.update(topUp).set({ detachedAt: now, updatedAt: now }).where(eq(topUp.id, id));
}

/**
 * Removes those whose customers have closed their accounts, or may no longer pay for the organisation: they could not
 * remove their methods themselves. Returns their numbers.
 */
export async function removeLeft(db: Queryable): Promise<string[]> {
  const closed = db.drizzle
    .select({ id: profile.id })
    .from(profile)
    .where(and(eq(profile.id, topUp.userId), eq(profile.status, "closed")));
  const paying = db.drizzle
    .select({ id: member.id })
    .from(member)
    .where(and(eq(member.organisationId, topUp.organisationId), eq(member.userId, topUp.userId), isPaying));
  const rows = await db.drizzle
    .update(topUp)
    .set({
      status: sql`case when ${isNull(topUp.gatewayMethodId)} then 'abandoned' else 'removed' end`,
      ...{ stopReason: null, updatedAt: now },
    })
    .where(and(isKept, or(exists(closed), and(isNotNull(topUp.organisationId), notExists(paying)))))
    .returning({ topUpNo: topUp.topUpNo });
  return rows.map(({ topUpNo }) => topUpNo);
}

/** Whether money of a charge went back or may do so, or a paid one waits for a decision. */
export async function hasMoneyBack(tx: Queryable, id: bigint): Promise<boolean> {
  const live = tx.drizzle
    .select({ id: refund.id })
    .from(refund)
    .where(and(eq(refund.orderId, order.id), ne(refund.status, "failed")));
  const rows = await tx.drizzle
    .select({ id: attempt.id })
    .from(attempt)
    .innerJoin(order, eq(order.id, attempt.orderId))
    .where(
      and(
        eq(attempt.topUpId, id),
        or(isNotNull(order.reviewReason), inArray(order.status, ["review", "refunded"]), exists(live)),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

/** Those that are on, whose balance is below the threshold, and that no charge is open for. After a failure, the order can be paid for a day before another one is placed. */
export async function selectLow(db: Queryable, limit: number): Promise<bigint[]> {
  const rows = await db.sql<{ id: bigint }>`
    select t.id from auto_top_up t
    join user_profile p on p.id = t.user_id
    left join organisation o on o.id = t.organisation_id
    join budget b on b.gateway_user_id = coalesce(o.gateway_user_id, p.gateway_user_id)
    where t.status = 'on' and p.status = 'active' and coalesce(o.status, 'active') = 'active'
      and b.granted - (b.used - b.period_base) - b.reserved < t.threshold_quota
      and not exists (
        select from top_up_attempt a join sales_order s on s.id = a.order_id
        where a.top_up_id = t.id and (a.state = 'open' or (a.state = 'failed' and s.status = 'pending')))
    order by t.id limit ${limit}::integer`;
  return rows.map(({ id }) => id);
}

/** What was charged since a time, or may still be: an order of a failed charge can be paid until it expires. */
export async function sumCharged(db: Queryable, topUpId: bigint, since: Date): Promise<Decimal> {
  const [row] = await db.sql<{ sum: Decimal }>`
    select coalesce(sum(o.amount_usd), 0)::numeric(14, 2)::text as sum
    from top_up_attempt a join sales_order o on o.id = a.order_id
    where a.top_up_id = ${topUpId}::bigint and a.created_at >= ${since}::timestamptz
      and o.status not in ('cancelled', 'expired')`;
  return row?.sum ?? ("0.00" as Decimal);
}

export type Attempt = {
  readonly id: bigint;
  readonly topUpId: bigint;
  readonly orderNo: string;
  readonly gatewayPaymentId: string | null;
  readonly createdAt: Date;
};

const attemptColumns = {
  id: attempt.id,
  topUpId: attempt.topUpId,
  orderNo: order.orderNo,
  gatewayPaymentId: attempt.gatewayPaymentId,
  createdAt: attempt.createdAt,
};

/** Null when a charge of the wallet is open. */
export async function insertAttempt(
  tx: Queryable,
  made: { readonly topUpId: bigint; readonly orderId: bigint; readonly createdAt: Date },
): Promise<bigint | null> {
  const [row] = await tx.drizzle.insert(attempt).values(made).onConflictDoNothing().returning({ id: attempt.id });
  return row?.id ?? null;
}

/** The open charges that nobody asks about at this moment. */
export async function selectOpen(db: Queryable, limit: number): Promise<Attempt[]> {
  return await db.drizzle
    .select(attemptColumns)
    .from(attempt)
    .innerJoin(order, eq(order.id, attempt.orderId))
    .where(and(eq(attempt.state, "open"), or(isNull(attempt.askingUntil), lt(attempt.askingUntil, now))))
    .orderBy(asc(attempt.id))
    .limit(limit);
}

const askingSeconds = 60;

/**
 * Lets one process at a time ask about an open charge.
 * @returns whether it is the first that asks; null if it may not
 */
export async function beginAsking(tx: Queryable, id: bigint): Promise<boolean | null> {
  const isFree = or(isNull(attempt.askingUntil), lt(attempt.askingUntil, now));
  const [row] = await tx.drizzle
    .select({ askingUntil: attempt.askingUntil })
    .from(attempt)
    .where(and(eq(attempt.id, id), eq(attempt.state, "open"), isFree))
    .for("update");
  if (row === undefined) {
    return null;
  }
  await tx.drizzle
    .update(attempt)
    .set({ askingUntil: fromNow(askingSeconds, "seconds") })
    .where(eq(attempt.id, id));
  return row.askingUntil === null;
}

export async function keepPayment(db: Queryable, id: bigint, gatewayPaymentId: string): Promise<void> {
  await db.drizzle.update(attempt).set({ gatewayPaymentId, updatedAt: now }).where(eq(attempt.id, id));
}

/** Records that nobody knows what became of a charge. False when that was recorded before. */
export async function markUnclear(db: Queryable, id: bigint, at: Date): Promise<boolean> {
  const rows = await db.drizzle
    .update(attempt)
    .set({ unclearSince: at, updatedAt: now })
    .where(and(eq(attempt.id, id), isNull(attempt.unclearSince)))
    .returning({ id: attempt.id });
  return rows.length > 0;
}

export type AttemptOfOrder = {
  readonly id: bigint;
  readonly topUpId: bigint;
  readonly state: "open" | "paid" | "failed";
  readonly gatewayPaymentId: string | null;
  readonly error: string | null;
  readonly unclearSince: Date | null;
  readonly createdAt: Date;
};

/** The charge that an order was placed for, if it was. */
export async function findAttemptOf(db: Queryable, orderNo: string): Promise<AttemptOfOrder | null> {
  const { id, topUpId, state, gatewayPaymentId, error, unclearSince, createdAt } = attempt;
  const [row] = await db.drizzle
    .select({ id, topUpId, state, gatewayPaymentId, error, unclearSince, createdAt })
    .from(attempt)
    .innerJoin(order, eq(order.id, attempt.orderId))
    .where(eq(order.orderNo, orderNo));
  return row ?? null;
}

/** Ends an open charge. False when that was done before. */
export async function endAttempt(
  tx: Queryable,
  id: bigint,
  to: { readonly state: "paid" | "failed"; readonly error?: string; readonly gatewayPaymentId?: string },
): Promise<boolean> {
  const rows = await tx.drizzle
    .update(attempt)
    .set({ ...to, updatedAt: now })
    .where(and(eq(attempt.id, id), eq(attempt.state, "open")))
    .returning({ id: attempt.id });
  return rows.length > 0;
}
