import type { InboxEntry } from "@sluice/contracts/mail";
import { and, desc, eq, isNull, lt } from "drizzle-orm";
import { countOfRows, isAnyOf } from "../../db/expressions.ts";
import { mailInbox as inbox } from "../../db/schema/mail.ts";
import { type Queryable, rowsWritten } from "../../platform/db.ts";

/** Messages to this user, newest first. */
export async function listInbox(
  db: Queryable,
  userId: bigint,
  page: { readonly before: bigint | null; readonly limit: number },
): Promise<InboxEntry[]> {
  return await db.drizzle
    .select({
      id: inbox.id,
      template: inbox.template,
      subject: inbox.subject,
      read_at: inbox.readAt,
      created_at: inbox.createdAt,
    })
    .from(inbox)
    .where(and(eq(inbox.userId, userId), page.before === null ? undefined : lt(inbox.id, page.before)))
    .orderBy(desc(inbox.id))
    .limit(page.limit);
}

const unreadShownMax = 100;

/** How many are unread; counting stops at a hundred. */
export async function countUnread(db: Queryable, userId: bigint): Promise<number> {
  const unread = db.drizzle
    .select({ id: inbox.id })
    .from(inbox)
    .where(and(eq(inbox.userId, userId), isNull(inbox.readAt)))
    .limit(unreadShownMax)
    .as("unread");
  const [row] = await db.drizzle.select({ count: countOfRows }).from(unread);
  return row?.count ?? 0;
}

/** @returns how many of them were unread until now; other users' messages do not change */
export async function markRead(db: Queryable, userId: bigint, ids: readonly bigint[], now: Date): Promise<number> {
  const written = await db.drizzle
    .update(inbox)
    .set({ readAt: now })
    .where(and(eq(inbox.userId, userId), isNull(inbox.readAt), isAnyOf(inbox.id, ids)));
  return rowsWritten(written);
}
