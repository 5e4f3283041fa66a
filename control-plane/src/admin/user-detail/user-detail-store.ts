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

/** What the list of users omits, and the balance; null if there is no such user. */
export async function findAccount(
  db: Queryable,
  userId: bigint,
): Promise<{ readonly account: AccountFacts; readonly balance: BalanceFacts; readonly gatewayUserId: bigint } | null> {
  const [row] = await db.sql<AccountFacts & BalanceFacts & { gateway_user_id: bigint }>`
    select p.gateway_user_id, p.locale, p.verification_email_sent_at, g.status as gateway_status, b.granted, b.used,
      b.reserved, b.leased, b.granted - (b.used - b.period_base) - b.reserved as remaining,
      coalesce((select a.balance from ledger_account a where a.gateway_user_id = p.gateway_user_id), 0) as ledger
    from user_profile p
    join gateway_user g on g.id = p.gateway_user_id
    join budget b on b.gateway_user_id = p.gateway_user_id
    where p.id = ${userId}::bigint`;
  if (row === undefined) {
    return null;
  }
  const { gateway_user_id: gatewayUserId, locale, verification_email_sent_at, gateway_status, ...balance } = row;
  return { account: { locale, verification_email_sent_at, gateway_status }, balance, gatewayUserId };
}

export type Spent = { readonly calls: bigint; readonly completed: bigint; readonly settled_quota: bigint };

/** Settled calls of the last day, 7 days and 30 days, from the quarter-hour sums. */
export async function sumSpent(
  db: Queryable,
  gatewayUserId: bigint,
  now: Date,
): Promise<{ readonly last_day: Spent; readonly last_7_days: Spent; readonly last_30_days: Spent }> {
  const rows = await db.sql<Spent & { days: number }>`
    select d.days, coalesce(sum(r.calls), 0)::bigint as calls, coalesce(sum(r.completed), 0)::bigint as completed,
      coalesce(sum(r.settled_quota), 0)::bigint as settled_quota
    from (values (1), (7), (30)) d (days)
    left join usage_rollup r on r.slice = 'user' and r.gateway_user_id = ${gatewayUserId}::bigint
      and r.starts_at >= ${now}::timestamptz - make_interval(days => d.days) and r.starts_at <= ${now}::timestamptz
    group by d.days`;
  const of = (days: number): Spent => {
    const { calls = 0n, completed = 0n, settled_quota = 0n } = rows.find((row) => row.days === days) ?? {};
    return { calls, completed, settled_quota };
  };
  return { last_day: of(1), last_7_days: of(7), last_30_days: of(30) };
}

const linesMax = 100;

/** Newest first. */
export async function selectSubscriptions(db: Queryable, userId: bigint): Promise<readonly unknown[]> {
  return await db.sql`
    select plan_code, status, period_start, period_end, quota_granted, quota_left, is_cancelled_at_end
    from subscription where user_id = ${userId}::bigint order by id desc limit ${linesMax}::int`;
}

/** Those that have not ended, newest first. */
export async function selectSessions(db: Queryable, userId: bigint): Promise<readonly unknown[]> {
  return await db.sql`
    select id as session_id, ip, user_agent, created_at, seen_at, expires_at from session
    where user_id = ${userId}::bigint and revoked_at is null and expires_at > now()
    order by id desc limit ${linesMax}::int`;
}
