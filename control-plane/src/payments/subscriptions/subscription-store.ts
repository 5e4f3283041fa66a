import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { PlanNames } from "@sluice/contracts/plan-texts";
import { and, asc, desc, eq, isNotNull, isNull, lte, ne, or, sql } from "drizzle-orm";
import { equalsConstant, now, plus, plusOne } from "../../db/expressions.ts";
import { subscription, subscriptionChange } from "../../db/schema/billing.ts";
import { type Queryable, rowsWritten } from "../../platform/db.ts";
import type { MonthlyQuota } from "../model.ts";
import { currentName, currentNames } from "../plans/plan-names-store.ts";

export type Subscription = MonthlyQuota & {
  readonly gatewayUserId: GatewayUserId;
  readonly planCode: string;
  readonly status: "active" | "cancelled" | "expired";
  readonly periodStart: Date;
  readonly quotaGranted: bigint;
  readonly period: number;
  readonly isCancelledAtEnd: boolean;
  readonly groupName: string | null;
  /** Of a month that renews: it is kept until then, for the next payment. Null for any other. */
  readonly keptUntil: Date | null;
};

/** One with what its plan is called. */
export type NamedSubscription = Subscription & { readonly planName: string; readonly planNames: PlanNames };

/** When a month ends at the latest. */
export function endOf({ periodEnd, keptUntil }: Pick<Subscription, "periodEnd" | "keptUntil">): Date {
  return keptUntil !== null && keptUntil > periodEnd ? keptUntil : periodEnd;
}

const columns = {
  id: subscription.id,
  gatewayUserId: subscription.gatewayUserId,
  planCode: subscription.planCode,
  status: subscription.status,
  periodStart: subscription.periodStart,
  periodEnd: subscription.periodEnd,
  quotaGranted: subscription.quotaGranted,
  quotaLeft: subscription.quotaLeft,
  countedTo: subscription.countedTo,
  period: subscription.period,
  isCancelledAtEnd: subscription.isCancelledAtEnd,
  groupName: subscription.groupName,
  keptUntil: subscription.keptUntil,
};

const isActive = equalsConstant(subscription.status, "active");

/** An account's running subscriptions, locked. The caller holds the lock of its budget, so that none is added. */
export async function lockActiveSubscriptions(tx: Queryable, account: GatewayUserId): Promise<Subscription[]> {
  const rows = await tx.drizzle
    .select(columns)
    .from(subscription)
    .where(and(eq(subscription.gatewayUserId, account), isActive))
    .orderBy(asc(subscription.id))
    .for("update");
  return rows as Subscription[];
}

/** All subscriptions of an account, newest first. */
export async function listSubscriptions(db: Queryable, account: GatewayUserId): Promise<NamedSubscription[]> {
  const rows = await db.drizzle
    .select({
      ...columns,
      planName: currentName(subscription.planCode),
      planNames: currentNames(subscription.planCode),
    })
    .from(subscription)
    .where(eq(subscription.gatewayUserId, account))
    .orderBy(desc(subscription.id))
    .limit(100);
  return rows as NamedSubscription[];
}

/** Running subscriptions whose period is over and which wait for no payment. */
export async function selectOverdue(db: Queryable, at: Date, limit: number): Promise<Subscription[]> {
  const rows = await db.drizzle
    .select(columns)
    .from(subscription)
    .where(
      and(
        isActive,
        lte(subscription.periodEnd, at),
        or(isNull(subscription.keptUntil), lte(subscription.keptUntil, at)),
      ),
    )
    .orderBy(asc(subscription.periodEnd))
    .limit(limit);
  return rows as Subscription[];
}

/** Makes a subscription end with its period. Returns whether one was running. */
export async function cancelAtEnd(tx: Queryable, account: GatewayUserId, planCode: string): Promise<boolean> {
  const rows = await tx.drizzle
    .update(subscription)
    .set({ isCancelledAtEnd: true, updatedAt: now })
    .where(and(eq(subscription.gatewayUserId, account), eq(subscription.planCode, planCode), isActive))
    .returning({ id: subscription.id });
  return rows.length > 0;
}

export type Period = { readonly start: Date; readonly end: Date };

/** A month that renews, and until when it is kept for the next payment. */
export type RenewedPeriod = Period & { readonly keptUntil: Date };

/** Begins a subscription of one month. */
export async function insertSubscription(
  tx: Queryable,
  begun: {
    readonly gatewayUserId: GatewayUserId;
    /** Null for the account of an organisation. */
    readonly userId: UserId | null;
    readonly planCode: string;
    readonly quota: bigint;
    readonly groupName: string | null;
    readonly countedTo: bigint;
    readonly at: Date;
    /** The month that an invoice of a renewal names; null for a month from now. */
    readonly period: RenewedPeriod | null;
  },
): Promise<void> {
  const { gatewayUserId, userId, planCode, quota, groupName, countedTo, at, period } = begun;
  await tx.drizzle.insert(subscription).values({
    gatewayUserId,
    userId,
    planCode,
    periodStart: period?.start ?? at,
    periodEnd: period?.end ?? sql`(${at}::timestamptz at time zone 'UTC' + interval '1 month') at time zone 'UTC'`,
    keptUntil: period?.keptUntil ?? null,
    quotaGranted: quota,
    quotaLeft: quota,
    groupName,
    countedTo,
  });
}

/** Records how much of a subscription is left. */
export async function saveCount(tx: Queryable, { id, quotaLeft, countedTo }: MonthlyQuota): Promise<void> {
  await tx.drizzle.update(subscription).set({ quotaLeft, countedTo, updatedAt: now }).where(eq(subscription.id, id));
}

export type SubscriptionChange = {
  /** The reason for the change; a reason changes a subscription at most once. */
  readonly reference: string;
  readonly quota: bigint;
  readonly months: number;
};

/**
 * Adds quota and months to a running subscription, or takes them away, once for each reference. The end is counted from
 * the start, so that a short month in between costs no days: a subscription that began on 31 January and was paid twice
 * ends on 31 March. The end of a month that renews was set by the gateway, which counts from the first of all its months.
 */
export async function shiftSubscription(tx: Queryable, id: bigint, change: SubscriptionChange): Promise<void> {
  if (!(await insertChange(tx, id, change))) {
    return;
  }
  const months = sql`${subscription.months} + ${change.months}::int`;
  await tx.drizzle
    .update(subscription)
    .set({
      quotaGranted: plus(subscription.quotaGranted, change.quota),
      quotaLeft: plus(subscription.quotaLeft, change.quota),
      period: plusOne(subscription.period),
      months,
      periodEnd: sql`greatest((${subscription.periodStart} at time zone 'UTC' + make_interval(months => ${months})) at time zone 'UTC',
        case when ${subscription.keptUntil} is not null
          then (${subscription.periodEnd} at time zone 'UTC' + make_interval(months => ${change.months}::int)) at time zone 'UTC' end)`,
      keptUntil: sql`case when ${months} > 0 then ${subscription.keptUntil} end`,
      updatedAt: now,
    })
    .where(eq(subscription.id, id));
}

/** Whether the change is a new one. */
async function insertChange(tx: Queryable, id: bigint, change: SubscriptionChange): Promise<boolean> {
  const written = await tx.drizzle
    .insert(subscriptionChange)
    .values({ reference: change.reference, subscriptionId: id, quota: change.quota, months: change.months })
    .onConflictDoNothing({ target: subscriptionChange.reference });
  return rowsWritten(written) > 0;
}

/**
 * Gives quota back to the last subscription that was running at a given time and has ended since, once for each
 * reference. Its granted amount grows, and its remaining amount stays 0.
 */
export async function regrantEnded(
  tx: Queryable,
  to: {
    readonly reference: string;
    readonly gatewayUserId: GatewayUserId;
    readonly planCode: string;
    readonly at: Date;
    readonly quota: bigint;
  },
): Promise<void> {
  const [ended] = await tx.drizzle
    .select({ id: subscription.id })
    .from(subscription)
    .where(
      and(
        eq(subscription.gatewayUserId, to.gatewayUserId),
        eq(subscription.planCode, to.planCode),
        ne(subscription.status, "active"),
        lte(subscription.periodStart, to.at),
      ),
    )
    .orderBy(desc(subscription.periodStart), desc(subscription.id))
    .limit(1);
  const { reference, quota } = to;
  if (ended !== undefined && (await insertChange(tx, ended.id, { reference, quota, months: 0 }))) {
    await tx.drizzle
      .update(subscription)
      .set({ quotaGranted: plus(subscription.quotaGranted, quota), updatedAt: now })
      .where(eq(subscription.id, ended.id));
  }
}

/**
 * Cancels the pending end of a subscription, because anyone who pays again wants to keep it. If the plan has got another
 * group since, that is the account's from now on.
 */
export async function keepAtEnd(tx: Queryable, id: bigint, groupName: string | null): Promise<void> {
  await tx.drizzle
    .update(subscription)
    .set({ isCancelledAtEnd: false, ...(groupName === null ? {} : { groupName }) })
    .where(eq(subscription.id, id));
}

/** Takes what was not used in time; each part has its own number. */
export async function takeUnused(tx: Queryable, id: bigint, quota: bigint): Promise<void> {
  await tx.drizzle
    .update(subscription)
    .set({ quotaLeft: plus(subscription.quotaLeft, -quota), period: plusOne(subscription.period), updatedAt: now })
    .where(eq(subscription.id, id));
}

export async function markEnded(tx: Queryable, id: bigint): Promise<void> {
  await tx.drizzle
    .update(subscription)
    .set({
      status: sql`case when ${subscription.isCancelledAtEnd} then 'cancelled' else 'expired' end`,
      updatedAt: now,
    })
    .where(and(eq(subscription.id, id), isActive));
}

/** Keeps the month of a plan that renews until a time, at which it ends if nothing was paid by then. */
export async function keepMonth(tx: Queryable, account: GatewayUserId, planCode: string, until: Date): Promise<void> {
  await tx.drizzle
    .update(subscription)
    .set({ keptUntil: until, updatedAt: now })
    .where(
      and(
        eq(subscription.gatewayUserId, account),
        eq(subscription.planCode, planCode),
        isActive,
        isNotNull(subscription.keptUntil),
      ),
    );
}
