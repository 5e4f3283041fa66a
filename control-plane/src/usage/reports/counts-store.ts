import { and, gte, lt, sql } from "drizzle-orm";
import { equalsConstant } from "../../db/expressions.ts";
import { mailLog } from "../../db/schema/mail.ts";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { Span } from "./range.ts";

/** Registrations by bar; a bar without any has no row. `bar` counts from 0. */
export async function countNewUsersByBar(
  db: Queryable,
  { from, to }: Span,
  starts: readonly Date[],
): Promise<{ bar: number; users: bigint }[]> {
  return await db.sql<{ bar: number; users: bigint }>`
    select width_bucket(created_at, ${arrayLiteral(starts)}::timestamptz[]) - 1 as bar, count(*) as users
    from user_profile where created_at >= ${from}::timestamptz and created_at < ${to}::timestamptz
    group by 1 order by 1`;
}

export async function countNewUsers(db: Queryable, span: Span): Promise<bigint> {
  const [row] = await countNewUsersByBar(db, span, [span.from]);
  return row?.users ?? 0n;
}

/** Failed emails among those that were queued in a span. */
export async function countDeadMails(db: Queryable, { from, to }: Span): Promise<bigint> {
  const [row] = await db.drizzle
    .select({ mails: sql<bigint>`count(*)` })
    .from(mailLog)
    .where(and(equalsConstant(mailLog.status, "dead"), gte(mailLog.createdAt, from), lt(mailLog.createdAt, to)));
  return row?.mails ?? 0n;
}

export type StateOfNow = {
  readonly pending_orders: bigint;
  readonly orders_in_review: bigint;
  readonly pending_leads: bigint;
  readonly channels: Record<string, number>;
  readonly keys: Record<string, number>;
  readonly nodes: bigint;
  readonly healthy_nodes: bigint;
  readonly payloads: bigint;
  readonly payloads_at: Date | null;
  readonly read_at: Date;
};

/** Current counts, whatever the range. */
export async function readState(db: Queryable): Promise<StateOfNow> {
  const [row] = await db.sql<StateOfNow>`
    select
      (select count(*) from sales_order where status = 'pending') as pending_orders,
      (select count(*) from sales_order where status = 'review') as orders_in_review,
      (select count(*) from enterprise_lead where status = 'pending') as pending_leads,
      (select coalesce(jsonb_object_agg(status, n), '{}')
        from (select status, count(*) as n from channel group by status) c) as channels,
      (select coalesce(jsonb_object_agg(part.state, part.n), '{}')
        from (
          select status, count(*) as n, count(*) filter (where status = 'active' and expires_at <= now()) as expired
          from api_key group by status
        ) k, lateral (values (k.status, k.n - k.expired), ('expired', k.expired)) part (state, n)
        where part.n > 0) as keys,
      (select count(*) from exit_node where status <> 'disabled') as nodes,
      (select count(*) from exit_node where status <> 'disabled' and health_ok) as healthy_nodes,
      (select coalesce(sum(c.payloads), 0)::bigint from payload_day_count c join payload_day_key k on k.day = c.day
        where k.wrapped is not null) as payloads,
      (select max(counted_at) from payload_day_count) as payloads_at,
      now() as read_at`;
  if (row === undefined) {
    throw new Error("the database did not say how things stand");
  }
  return row;
}

export type NodeState = {
  readonly node_code: string;
  readonly name: string;
  readonly region: string;
  readonly status: string;
  readonly is_serving: boolean;
  readonly health_ok: boolean | null;
  readonly latency_ms: number | null;
  readonly checked_at: Date | null;
};

/** Exit nodes that are not disabled, with the result of their last check. */
export async function listNodeStates(db: Queryable): Promise<NodeState[]> {
  return await db.sql<NodeState>`
    select node_code, name, region, status, is_serving, health_ok, health_latency_ms as latency_ms,
      health_checked_at as checked_at
    from exit_node where status <> 'disabled' order by node_code limit 200`;
}

export async function readNow(db: Queryable): Promise<Date> {
  const [row] = await db.sql<{ now: Date }>`select now() as now`;
  if (row === undefined) {
    throw new Error("the database did not say what time it is");
  }
  return row.now;
}
