import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { Span } from "./range.ts";

/** Payments and refunds; amounts in US dollars. What the development mock settled is not revenue. */
export type MoneySums = {
  readonly payments: bigint;
  readonly revenue_usd: string;
  readonly refunds: bigint;
  readonly refunds_usd: string;
  readonly net_usd: string;
};

export type MoneyPart = MoneySums & { readonly key: string | null; readonly name: string | null };

/**
 * One row for each payment at its time, and one for each refund at the time when the gateway had paid it back. Only
 * this query defines revenue.
 */
const flows = `
  select p.created_at as at, p.order_id, p.gateway, 1 as payments, p.amount_usd as revenue, 0 as refunds, 0::numeric as refunded
  from payment p
  where p.gateway <> 'mock' and p.created_at >= $1::timestamptz and p.created_at < $2::timestamptz
  union all
  select r.updated_at, r.order_id, p.gateway, 0, 0, 1, r.amount_usd
  from refund r join payment p on p.order_id = r.order_id
  where p.gateway <> 'mock' and r.status = 'done' and r.updated_at >= $1::timestamptz and r.updated_at < $2::timestamptz`;

const sums = `sum(payments)::bigint as payments, sum(revenue)::numeric(20,2)::text as revenue_usd,
  sum(refunds)::bigint as refunds, sum(refunded)::numeric(20,2)::text as refunds_usd,
  sum(revenue - refunded)::numeric(20,2)::text as net_usd`;

export const noMoney: MoneySums = {
  payments: 0n,
  revenue_usd: "0.00",
  refunds: 0n,
  refunds_usd: "0.00",
  net_usd: "0.00",
};

/** Sums of money by bar; a bar without payments and refunds has no row. `bar` counts from 0. */
export async function sumMoneyByBar(
  db: Queryable,
  { from, to }: Span,
  starts: readonly Date[],
): Promise<(MoneySums & { bar: number })[]> {
  return await db.query<MoneySums & { bar: number }>(
    `select width_bucket(at, $3::timestamptz[]) - 1 as bar, ${sums} from (${flows}) flow group by 1 order by 1`,
    [from, to, arrayLiteral(starts)],
  );
}

export async function sumMoney(db: Queryable, span: Span): Promise<MoneySums> {
  const [row] = await sumMoneyByBar(db, span, [span.from]);
  return row ?? noMoney;
}

const groupings = {
  plan: ["o.plan_code", "max(o.plan_name)", "join sales_order o on o.id = flow.order_id"],
  gateway: ["flow.gateway", "flow.gateway", ""],
} as const;

/** Sums of money by plan or by gateway, the largest first. */
export async function sumMoneyBy(db: Queryable, { from, to }: Span, by: keyof typeof groupings): Promise<MoneyPart[]> {
  const [key, name, joined] = groupings[by];
  return await db.query<MoneyPart>(
    `select ${key} as key, ${name} as name, ${sums} from (${flows}) flow ${joined}
     group by ${key} order by sum(revenue) desc, 1`,
    [from, to],
  );
}

/** What the development mock settled, in US dollars. */
export async function sumMock(db: Queryable, { from, to }: Span): Promise<string> {
  const [row] = await db.sql<{ usd: string }>`
    select coalesce(sum(amount_usd), 0)::numeric(20,2)::text as usd from payment
    where gateway = 'mock' and created_at >= ${from}::timestamptz and created_at < ${to}::timestamptz`;
  return row?.usd ?? "0.00";
}

export type RecentPayment = {
  readonly order_no: string;
  readonly plan_name: string;
  readonly email: string | null;
  readonly gateway: string;
  readonly amount_usd: string;
  readonly at: Date;
};

/** The newest payments, including the mock's, whatever the range. */
export async function selectRecentPayments(db: Queryable, limit: number): Promise<RecentPayment[]> {
  return await db.sql<RecentPayment>`
    select o.order_no, o.plan_name, coalesce(u.email, o.email) as email, p.gateway, p.amount_usd, p.created_at as at
    from payment p join sales_order o on o.id = p.order_id left join user_profile u on u.id = o.user_id
    order by p.created_at desc, p.id desc limit ${limit}::integer`;
}
