import { and, asc, desc, eq, gt, isNull, sql } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { userProfile as profile, session } from "../../db/schema/accounts.ts";
import { plan, subscription } from "../../db/schema/billing.ts";
import { budget, gatewayUser } from "../../db/schema/gateway-keys.ts";
import { ledgerAccount } from "../../db/schema/ledger.ts";
import { passkey } from "../../db/schema/passkeys.ts";
import { userIdentity as identity } from "../../db/schema/sign-in.ts";
import type { Queryable } from "../../platform/db.ts";

export type AccountFacts = {
  readonly locale: string;
  readonly verification_email_sent_at: Date | null;
  readonly gateway_status: "enabled" | "disabled";
};

export type BalanceFacts = {
  readonly granted: bigint;
  readonly used: bigint;
  readonly reserved: bigint;
  readonly leased: bigint;
  readonly remaining: bigint;
  readonly ledger: bigint;
};

const balanceColumns = {
  granted: budget.granted,
  used: budget.used,
  reserved: budget.reserved,
  leased: budget.leased,
  remaining: sql<bigint>`${budget.granted} - (${budget.used} - ${budget.periodBase}) - ${budget.reserved}`,
  ledger: sql<bigint>`coalesce(${ledgerAccount.balance}, 0)`,
};

/** The balance of an account; null if unknown. */
export async function findBalance(db: Queryable, gatewayUserId: bigint): Promise<BalanceFacts | null> {
  const [row] = await db.drizzle
    .select(balanceColumns)
    .from(budget)
    .leftJoin(ledgerAccount, eq(ledgerAccount.gatewayUserId, budget.gatewayUserId))
    .where(eq(budget.gatewayUserId, gatewayUserId));
  return row ?? null;
}

/** A user's balance and the fields that the list omits; null if unknown. */
export async function findAccount(
  db: Queryable,
  userId: bigint,
): Promise<{ readonly account: AccountFacts; readonly balance: BalanceFacts; readonly gatewayUserId: bigint } | null> {
  const [row] = await db.drizzle
    .select({
      gatewayUserId: profile.gatewayUserId,
      account: {
        locale: profile.locale,
        verification_email_sent_at: profile.verificationEmailSentAt,
        gateway_status: gatewayUser.status,
      },
      balance: balanceColumns,
    })
    .from(profile)
    .innerJoin(gatewayUser, eq(gatewayUser.id, profile.gatewayUserId))
    .innerJoin(budget, eq(budget.gatewayUserId, profile.gatewayUserId))
    .leftJoin(ledgerAccount, eq(ledgerAccount.gatewayUserId, profile.gatewayUserId))
    .where(eq(profile.id, userId));
  return row ?? null;
}

export type Spent = { readonly calls: bigint; readonly completed: bigint; readonly settled_quota: bigint };

/** Settled calls of the last day, 7 days and 30 days, from the quarter-hour sums. */
export async function sumSpent(
  db: Queryable,
  gatewayUserId: bigint,
  at: Date,
): Promise<{ readonly last_day: Spent; readonly last_7_days: Spent; readonly last_30_days: Spent }> {
  const rows = await db.sql<Spent & { days: number }>`
    select d.days, coalesce(sum(r.calls), 0)::bigint as calls, coalesce(sum(r.completed), 0)::bigint as completed,
      coalesce(sum(r.settled_quota), 0)::bigint as settled_quota
    from (values (1), (7), (30)) d (days)
    left join usage_rollup r on r.slice = 'user' and r.gateway_user_id = ${gatewayUserId}::bigint
      and r.starts_at >= ${at}::timestamptz - make_interval(days => d.days) and r.starts_at <= ${at}::timestamptz
    group by d.days`;
  const of = (days: number): Spent => {
    const { calls = 0n, completed = 0n, settled_quota = 0n } = rows.find((row) => row.days === days) ?? {};
    return { calls, completed, settled_quota };
  };
  return { last_day: of(1), last_7_days: of(7), last_30_days: of(30) };
}

const linesMax = 100;

/** A user's subscriptions, newest first. */
export async function selectSubscriptions(db: Queryable, userId: bigint): Promise<readonly unknown[]> {
  return await db.drizzle
    .select({
      plan_code: subscription.planCode,
      plan_name: sql<string>`coalesce(${plan.name}, ${subscription.planCode})`,
      status: subscription.status,
      period_start: subscription.periodStart,
      period_end: subscription.periodEnd,
      quota_granted: subscription.quotaGranted,
      quota_left: subscription.quotaLeft,
      is_cancelled_at_end: subscription.isCancelledAtEnd,
    })
    .from(subscription)
    .leftJoin(plan, eq(plan.planCode, subscription.planCode))
    .where(eq(subscription.userId, userId))
    .orderBy(desc(subscription.id))
    .limit(linesMax);
}

/** The accounts at other services with which a user logs in, oldest first. */
export async function selectSignIns(db: Queryable, userId: bigint): Promise<readonly unknown[]> {
  return await db.drizzle
    .select({
      sign_in_id: identity.id,
      issuer: identity.issuer,
      email: identity.email,
      created_at: identity.createdAt,
      last_used_at: identity.lastUsedAt,
    })
    .from(identity)
    .where(eq(identity.userId, userId))
    .orderBy(asc(identity.id))
    .limit(linesMax);
}

/** The passkeys with which a user logs in, oldest first. */
export async function selectPasskeys(db: Queryable, userId: bigint): Promise<readonly unknown[]> {
  return await db.drizzle
    .select({
      passkey_id: passkey.id,
      name: passkey.name,
      is_synced: passkey.isSynced,
      created_at: passkey.createdAt,
      last_used_at: passkey.lastUsedAt,
    })
    .from(passkey)
    .where(eq(passkey.userId, userId))
    .orderBy(asc(passkey.id))
    .limit(linesMax);
}

/** A user's valid sessions, newest first. */
export async function selectSessions(db: Queryable, userId: bigint): Promise<readonly unknown[]> {
  return await db.drizzle
    .select({
      session_id: session.id,
      ip: session.ip,
      user_agent: session.userAgent,
      method: session.loginMethod,
      created_at: session.createdAt,
      seen_at: session.seenAt,
      expires_at: session.expiresAt,
    })
    .from(session)
    .where(and(eq(session.userId, userId), isNull(session.revokedAt), gt(session.expiresAt, now)))
    .orderBy(desc(session.id))
    .limit(linesMax);
}

/** The groups that a user may use, the one first that keys without a group of their own use. */
export async function selectGroups(db: Queryable, gatewayUserId: bigint): Promise<readonly unknown[]> {
  return await db.sql`
    select g.name, m.source, trim_scale(g.multiplier) as multiplier, g.rank, m.ends_at,
      g.name = c.group_name as is_chosen
    from group_of_user m
    join user_group g on g.name = m.group_name
    cross join key_group(${gatewayUserId}::bigint, null) c
    where m.gateway_user_id = ${gatewayUserId}::bigint
    order by g.name = c.group_name desc, g.rank desc, g.name, m.source
    limit ${linesMax}`;
}
