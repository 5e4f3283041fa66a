import { mailLog } from "../db/schema/mail.ts";
import type { Queryable } from "../platform/db.ts";

export type QueuedMail = {
  readonly dedupeKey: string;
  readonly template: string;
  readonly locale: string;
  readonly userId: bigint | null;
  readonly to: string;
  readonly variablesSealed: Uint8Array;
  readonly source: string;
  readonly now: Date;
  readonly expiresAt: Date | null;
};

/** @returns false when an email with this key exists already */
export async function insertMail(db: Queryable, mail: QueuedMail): Promise<boolean> {
  const { to, now, ...rest } = mail;
  const rows = await db.drizzle
    .insert(mailLog)
    .values({ ...rest, toAddress: to, nextAttemptAt: now })
    .onConflictDoNothing({ target: mailLog.dedupeKey })
    .returning({ id: mailLog.id });
  return rows.length > 0;
}
