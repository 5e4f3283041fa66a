import type { InboxEntry } from "@sluice/contracts/mail";
import { type Queryable, rowsWritten } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";

/** Messages to this user, newest first. */
export async function listInbox(
  db: Queryable,
  userId: bigint,
  page: { readonly before: bigint | null; readonly limit: number },
): Promise<InboxEntry[]> {
  return await db.sql<InboxEntry>`
    select id, template, subject, read_at, created_at from mail_inbox
    where user_id = ${userId}::bigint and (${page.before}::bigint is null or id < ${page.before}::bigint)
    order by id desc limit ${page.limit}::int`;
}

const unreadShownMax = 100;

/** How many are unread; counting stops at a hundred. */
export async function countUnread(db: Queryable, userId: bigint): Promise<number> {
  const [row] = await db.sql<{ count: number }>`
    select count(*)::int as count from (select 1 from mail_inbox
      where user_id = ${userId}::bigint and read_at is null limit ${unreadShownMax}::int) unread`;
  return row?.count ?? 0;
}

/** @returns how many of them were unread until now; other users' messages are not touched */
export async function markRead(db: Queryable, userId: bigint, ids: readonly bigint[], now: Date): Promise<number> {
  return rowsWritten(
    await db.sql`
      update mail_inbox set read_at = ${now}
      where user_id = ${userId}::bigint and read_at is null and id = any(${arrayLiteral(ids)}::text::bigint[])`,
  );
}
