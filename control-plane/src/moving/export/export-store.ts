import type { Queryable } from "../../platform/db.ts";

/** The kinds of lines, in the order in which they are written: each refers to those before it alone. */
export const exportedKinds = [
  "user",
  "organisation",
  "member",
  "project",
  "key",
  "balance",
  "usage",
  "earlier_usage",
] as const;
export type ExportedKind = (typeof exportedKinds)[number];

const rowsAtOnce = 1_000;

/** What each kind of lines has. No column here holds a secret: keys are their SHA-256, passwords stay. */
const statements: Readonly<Record<ExportedKind, string>> = {
  user: `
    select p.id, p.gateway_user_id as account_id, p.email, p.email_verified_at, p.username, p.display_name, p.status,
      p.locale, u.group_name as "group", u.rate_multiplier as multiplier, p.created_at
    from user_profile p join gateway_user u on u.id = p.gateway_user_id order by p.id`,
  organisation: `
    select o.id, o.gateway_user_id as account_id, o.name, o.status, u.group_name as "group", u.rate_multiplier as multiplier,
      o.created_at
    from organisation o join gateway_user u on u.id = o.gateway_user_id order by o.id`,
  member: `
    select m.id, m.organisation_id, m.user_id, m.role, case when b.is_enforced then b.granted end as spend_per_month,
      m.created_at as joined_at, m.left_at
    from organisation_member m left join budget b on b.member_id = m.id order by m.id`,
  project: `
    select j.id, j.organisation_id, j.name, j.status, case when b.is_enforced then b.granted end as spend_per_month,
      j.created_at
    from organisation_project j left join budget b on b.project_id = j.id order by j.id`,
  key: `
    select k.id, k.gateway_user_id as account_id, k.member_id, k.project_id, encode(k.key_hash, 'hex') as sha256,
      k.key_prefix as prefix, k.key_last_four as last_four, k.name, k.status, k.lock_reason, k.expires_at, k.allowed_models,
      k.allowed_ips, k.group_name as "group", k.requests_per_minute, k.tokens_per_minute, k.concurrency_max,
      case when b.is_enforced then b.granted end as quota_limit,
      case when not b.is_enforced then null when b.period_ends_at <= now() then 0 else b.used - b.period_base end as quota_used,
      case when b.is_enforced then b.period end as reset_period, k.limit_key_id as shares_limits_of, k.first_used_at, k.created_at
    from api_key k left join budget b on b.api_key_id = coalesce(k.limit_key_id, k.id) order by k.id`,
  balance: `
    select b.gateway_user_id as account_id, b.granted, b.used, b.reserved,
      b.granted - (b.used - b.period_base) - b.reserved as remaining
    from budget b where b.gateway_user_id is not null order by b.gateway_user_id`,
  usage: `
    select s.gateway_user_id as account_id, s.api_key_id as key_id, (s.starts_at at time zone 'UTC')::date::text as day,
      s.model, sum(s.calls)::bigint as calls, sum(s.input_tokens)::bigint as input_tokens,
      sum(s.output_tokens)::bigint as output_tokens, sum(s.settled_quota)::bigint as quota
    from usage_user_sum s where s.grain = 'hours'
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
  earlier_usage: `
    select gateway_user_id as account_id, instance, day::text as day, model, calls, input_tokens, output_tokens, quota
    from imported_usage order by gateway_user_id, instance, day, model`,
};

/** The moment that the transaction sees. */
export async function momentOf(tx: Queryable): Promise<Date> {
  const [row] = await tx.sql<{ at: Date }>`select now() as at`;
  if (row === undefined) {
    throw new Error("the database does not say what time it is");
  }
  return row.at;
}

type ExportedRow = Readonly<Record<string, unknown>>;

/** The rows of one kind, page by page, so that the largest table takes no more memory than the smallest. */
export async function* exportedPages(tx: Queryable, kind: ExportedKind): AsyncIterable<readonly ExportedRow[]> {
  const cursor = `exported_${kind}`;
  await tx.query(`declare ${cursor} no scroll cursor for ${statements[kind]}`, []);
  for (;;) {
    const page = await tx.query<ExportedRow>(`fetch ${rowsAtOnce} from ${cursor}`, []);
    yield page;
    if (page.length < rowsAtOnce) {
      await tx.query(`close ${cursor}`, []);
      return;
    }
  }
}
