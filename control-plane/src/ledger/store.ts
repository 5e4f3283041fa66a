import type { GatewayUserId } from "@sluice/contracts/ids";
import { and, desc, eq, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { ledgerAccount as account, ledgerEntry as entry, ledgerPosting as posting } from "../db/schema/ledger.ts";
import type { Queryable } from "../platform/db.ts";
import type { LedgerEntry, StatementLine } from "./model.ts";

/** The amount of an entry, together with the entries of calls before it in the same posting. */
const wholeAmount = sql<bigint>`${entry.amount} + coalesce(${entry.deltaAmount}, 0)`;

/**
 * Selects the entries that lists show; every other entry is part of one of these. The account is looked up first: joined,
 * the database would take a large one for an average one, and read and sort all of its entries.
 */
const isShown = (gatewayUserId: GatewayUserId) =>
  and(
    eq(entry.accountId, sql`(select ${account.id} from ${account} where ${account.gatewayUserId} = ${gatewayUserId})`),
    isNull(entry.usageRequestId),
  );

/** Entries of a user's account below an id, newest first. The cost of a batch of calls is one of them. */
export async function selectEntries(
  db: Queryable,
  gatewayUserId: GatewayUserId,
  page: { readonly below: bigint | null; readonly limit: number },
): Promise<LedgerEntry[]> {
  return await db.drizzle
    .select({
      id: entry.id,
      changeType: posting.changeType,
      reference: posting.reference,
      note: posting.note,
      amount: wholeAmount,
      balanceAfter: entry.balanceAfter,
      createdAt: entry.createdAt,
    })
    .from(entry)
    .innerJoin(posting, eq(posting.id, entry.postingId))
    .where(and(isShown(gatewayUserId), page.below === null ? undefined : lt(entry.id, page.below)))
    .orderBy(desc(entry.id))
    .limit(page.limit);
}

/** The balance of a user's account; 0 before its first posting. */
export async function selectBalance(db: Queryable, gatewayUserId: GatewayUserId): Promise<bigint> {
  const [row] = await db.drizzle
    .select({ balance: account.balance })
    .from(account)
    .where(eq(account.gatewayUserId, gatewayUserId));
  return row?.balance ?? 0n;
}

/** What a posting moved on a user's account, or null when there is none under this reference. */
export async function selectPosted(
  db: Queryable,
  changeType: string,
  reference: string,
): Promise<{ readonly gatewayUserId: GatewayUserId; readonly amount: bigint; readonly balanceAfter: bigint } | null> {
  const [row] = await db.drizzle
    .select({ gatewayUserId: account.gatewayUserId, amount: entry.amount, balanceAfter: entry.balanceAfter })
    .from(posting)
    .innerJoin(entry, eq(entry.postingId, posting.id))
    .innerJoin(account, eq(account.id, entry.accountId))
    .where(and(eq(posting.changeType, changeType), eq(posting.reference, reference), isNotNull(account.gatewayUserId)));
  return row === undefined ? null : { ...row, gatewayUserId: row.gatewayUserId as GatewayUserId };
}

/** The balance of an account before a moment. */
export async function selectSumBefore(db: Queryable, gatewayUserId: GatewayUserId, before: Date): Promise<bigint> {
  const [row] = await db.drizzle
    .select({ total: sql<bigint>`coalesce(sum(${wholeAmount}), 0)::bigint` })
    .from(entry)
    .where(and(isShown(gatewayUserId), lt(entry.createdAt, before)));
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
