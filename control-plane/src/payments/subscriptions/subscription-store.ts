import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import { type Queryable, rowsWritten } from "../../platform/db.ts";
import type { MonthlyQuota } from "../model.ts";

export type Subscription = MonthlyQuota & {
  readonly userId: UserId;
  readonly planCode: string;
  readonly status: "active" | "cancelled" | "expired";
  readonly periodStart: Date;
  readonly quotaGranted: bigint;
  readonly period: number;
  readonly isCancelledAtEnd: boolean;
};

type SubscriptionRow = {
  id: bigint;
  user_id: bigint;
  plan_code: string;
  status: Subscription["status"];
  period_start: Date;
  period_end: Date;
  quota_granted: bigint;
  quota_left: bigint;
  counted_to: bigint;
  period: number;
  is_cancelled_at_end: boolean;
};

function toSubscription(row: SubscriptionRow): Subscription {
  return {
    id: row.id,
    userId: row.user_id as UserId,
    planCode: row.plan_code,
    status: row.status,
    periodStart: row.period_start,
    periodEnd: row.period_end,
    quotaGranted: row.quota_granted,
    quotaLeft: row.quota_left,
    countedTo: row.counted_to,
    period: row.period,
    isCancelledAtEnd: row.is_cancelled_at_end,
  };
}

/** A user's running subscriptions, locked. The caller holds the lock of the user's budget, so that none is added. */
export async function lockActiveSubscriptions(tx: Queryable, userId: UserId): Promise<Subscription[]> {
  const rows = await tx.sql<SubscriptionRow>`
    select * from subscription where user_id = ${userId}::bigint and status = 'active' order by id for update`;
  return rows.map(toSubscription);
}

/** All subscriptions of a user, newest first. */
export async function listSubscriptions(db: Queryable, userId: UserId): Promise<Subscription[]> {
  const rows = await db.sql<SubscriptionRow>`
    select * from subscription where user_id = ${userId}::bigint order by id desc limit 100`;
  return rows.map(toSubscription);
}

/** Running subscriptions whose period is over, with their owners' gateway users. */
export async function selectOverdue(
  db: Queryable,
  at: Date,
  limit: number,
): Promise<{ readonly subscription: Subscription; readonly gatewayUserId: GatewayUserId }[]> {
  const rows = await db.sql<SubscriptionRow & { gateway_user_id: bigint }>`
    select s.*, p.gateway_user_id from subscription s join user_profile p on p.id = s.user_id
    where s.status = 'active' and s.period_end <= ${at}::timestamptz order by s.period_end limit ${limit}::int`;
  return rows.map((row) => ({
    subscription: toSubscription(row),
    gatewayUserId: row.gateway_user_id as GatewayUserId,
  }));
}

/** Whether one was running. */
export async function cancelAtEnd(tx: Queryable, userId: UserId, planCode: string): Promise<boolean> {
  const rows = await tx.sql`
    update subscription set is_cancelled_at_end = true, updated_at = now()
    where user_id = ${userId}::bigint and plan_code = ${planCode} and status = 'active' returning 1`;
  return rows.length > 0;
}

/** Begins a subscription of one month. */
export async function insertSubscription(
  tx: Queryable,
  begun: {
    readonly userId: UserId;
    readonly planCode: string;
    readonly quota: bigint;
    readonly countedTo: bigint;
    readonly at: Date;
  },
): Promise<void> {
  await tx.sql`
    insert into subscription (user_id, plan_code, period_start, period_end, quota_granted, quota_left, counted_to)
    values (${begun.userId}::bigint, ${begun.planCode}, ${begun.at}::timestamptz,
      (${begun.at}::timestamptz at time zone 'UTC' + interval '1 month') at time zone 'UTC',
      ${begun.quota}::bigint, ${begun.quota}::bigint, ${begun.countedTo}::bigint)`;
}

/** Records what was counted. */
export async function saveCount(tx: Queryable, { id, quotaLeft, countedTo }: MonthlyQuota): Promise<void> {
  await tx.sql`
    update subscription set quota_left = ${quotaLeft}::bigint, counted_to = ${countedTo}::bigint, updated_at = now()
    where id = ${id}::bigint`;
}

export type SubscriptionChange = {
  /** The reason for the change; each reason changes it once. */
  readonly reference: string;
  readonly quota: bigint;
  readonly months: number;
};

/**
 * Adds quota and months to a running one, or takes them, once for each reference. The end is counted from the start, so
 * that a short month in between costs no days: a subscription that began on 31 January and was paid twice ends on 31
 * March.
 */
export async function shiftSubscription(tx: Queryable, id: bigint, change: SubscriptionChange): Promise<void> {
  if (!(await insertChange(tx, id, change))) {
    return;
  }
  await tx.sql`
    update subscription set quota_granted = quota_granted + ${change.quota}::bigint,
      quota_left = quota_left + ${change.quota}::bigint, period = period + 1,
      months = months + ${change.months}::int,
      period_end =
        (period_start at time zone 'UTC' + make_interval(months => months + ${change.months}::int)) at time zone 'UTC',
      updated_at = now()
    where id = ${id}::bigint`;
}

/** Whether the change is a new one. */
async function insertChange(tx: Queryable, id: bigint, change: SubscriptionChange): Promise<boolean> {
  const written = await tx.sql`
    insert into subscription_change (reference, subscription_id, quota, months)
    values (${change.reference}, ${id}::bigint, ${change.quota}::bigint, ${change.months}::int)
    on conflict (reference) do nothing`;
  return rowsWritten(written) > 0;
}

/**
 * Gives quota back to the last one that was running at a given time and has ended since, once for each reference: it
 * counts what was granted, and has none left.
 */
export async function regrantEnded(
  tx: Queryable,
  to: {
    readonly reference: string;
    readonly userId: UserId;
    readonly planCode: string;
    readonly at: Date;
    readonly quota: bigint;
  },
): Promise<void> {
  const [ended] = await tx.sql<{ id: bigint }>`
    select id from subscription where user_id = ${to.userId}::bigint and plan_code = ${to.planCode}
      and status <> 'active' and period_start <= ${to.at}::timestamptz order by period_start desc, id desc limit 1`;
  const { reference, quota } = to;
  if (ended !== undefined && (await insertChange(tx, ended.id, { reference, quota, months: 0 }))) {
    await tx.sql`
      update subscription set quota_granted = quota_granted + ${quota}::bigint, updated_at = now()
      where id = ${ended.id}::bigint`;
  }
}

/** A user who pays again does not want it to end. */
export async function keepAtEnd(tx: Queryable, id: bigint): Promise<void> {
  await tx.sql`update subscription set is_cancelled_at_end = false where id = ${id}::bigint`;
}

/** Takes what was not used in time; each part has its own number. */
export async function takeUnused(tx: Queryable, id: bigint, quota: bigint): Promise<void> {
  await tx.sql`
    update subscription set quota_left = quota_left - ${quota}::bigint, period = period + 1, updated_at = now()
    where id = ${id}::bigint`;
}

export async function markEnded(tx: Queryable, id: bigint): Promise<void> {
  await tx.sql`
    update subscription set status = case when is_cancelled_at_end then 'cancelled' else 'expired' end,
      updated_at = now()
    where id = ${id}::bigint and status = 'active'`;
}
