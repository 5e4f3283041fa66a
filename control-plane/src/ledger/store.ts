import type { GatewayUserId } from "@sluice/contracts/ids";
import type { Queryable } from "../platform/db.ts";
import type { LedgerEntry, StatementLine } from "./model.ts";

type EntryRow = {
  id: bigint;
  change_type: string;
  reference: string;
  note: string | null;
  amount: bigint;
  balance_after: bigint;
  created_at: Date;
};

/** Entries of a user's account below an id, newest first. The cost of a batch of calls is one of them. */
export async function selectEntries(
  db: Queryable,
  gatewayUserId: GatewayUserId,
  page: { readonly below: bigint | null; readonly limit: number },
): Promise<LedgerEntry[]> {
  const rows = await db.sql<EntryRow>`
    select e.id, p.change_type, p.reference, p.note, e.amount + coalesce(e.delta_amount, 0) as amount, e.balance_after,
      e.created_at
    from ledger_account a
    join ledger_entry e on e.account_id = a.id
    join ledger_posting p on p.id = e.posting_id
    where a.gateway_user_id = ${gatewayUserId}::bigint and e.usage_request_id is null
      and (${page.below}::bigint is null or e.id < ${page.below}::bigint)
    order by e.id desc limit ${page.limit}::int`;
  return rows.map((row) => ({
    id: row.id,
    changeType: row.change_type,
    reference: row.reference,
    note: row.note,
    amount: row.amount,
    balanceAfter: row.balance_after,
    createdAt: row.created_at,
  }));
}

/** The balance of a user's account; 0 before its first posting. */
export async function selectBalance(db: Queryable, gatewayUserId: GatewayUserId): Promise<bigint> {
  const [row] = await db.sql<{ balance: bigint }>`
    select balance from ledger_account where gateway_user_id = ${gatewayUserId}::bigint`;
  return row?.balance ?? 0n;
}

/** What a posting moved on a user's account, or null when there is none under this reference. */
export async function selectPosted(
  db: Queryable,
  changeType: string,
  reference: string,
): Promise<{ readonly gatewayUserId: GatewayUserId; readonly amount: bigint; readonly balanceAfter: bigint } | null> {
  const [row] = await db.sql<{ gateway_user_id: bigint; amount: bigint; balance_after: bigint }>`
    select a.gateway_user_id, e.amount, e.balance_after
    from ledger_posting p
    join ledger_entry e on e.posting_id = p.id
    join ledger_account a on a.id = e.account_id
    where p.change_type = ${changeType} and p.reference = ${reference} and a.gateway_user_id is not null`;
  return row === undefined
    ? null
    : {
        gatewayUserId: row.gateway_user_id as GatewayUserId,
        amount: row.amount,
        balanceAfter: row.balance_after,
      };
}

/** The balance of an account before a moment. */
export async function selectSumBefore(db: Queryable, gatewayUserId: GatewayUserId, before: Date): Promise<bigint> {
  const [row] = await db.sql<{ total: bigint }>`
    select coalesce(sum(e.amount + coalesce(e.delta_amount, 0)), 0)::bigint as total
    from ledger_account a join ledger_entry e on e.account_id = a.id
    where a.gateway_user_id = ${gatewayUserId}::bigint and e.usage_request_id is null and e.created_at < ${before}::timestamptz`;
  return row?.total ?? 0n;
}

/** The lines of a period, in chronological order. */
export async function selectStatementLines(
  db: Queryable,
  gatewayUserId: GatewayUserId,
  time: { readonly from: Date; readonly to: Date; readonly linesMax: number },
): Promise<StatementLine[]> {
  const rows = await db.sql<{ day: string; change_type: string; reference: string; amount: bigint }>`
    with entry as (
      select e.id, (e.created_at at time zone 'UTC')::date::text as day, p.change_type,
        e.amount + coalesce(e.delta_amount, 0) as amount,
        case p.change_type when 'usage_quota' then '' else p.reference end as reference
      from ledger_account a
      join ledger_entry e on e.account_id = a.id
      join ledger_posting p on p.id = e.posting_id
      where a.gateway_user_id = ${gatewayUserId}::bigint and e.usage_request_id is null
        and e.created_at >= ${time.from}::timestamptz and e.created_at < ${time.to}::timestamptz
    )
    select day, change_type, reference, sum(amount)::bigint as amount from entry
    group by day, change_type, reference order by day, min(id) limit ${time.linesMax}::int`;
  return rows.map((row) => ({
    day: row.day,
    changeType: row.change_type,
    reference: row.reference,
    amount: row.amount,
  }));
}
