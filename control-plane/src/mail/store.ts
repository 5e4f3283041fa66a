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

/** @returns false when an email with this key exists, including one from a transaction that has just committed */
export async function insertMail(db: Queryable, mail: QueuedMail): Promise<boolean> {
  const rows = await db.sql`
    insert into mail_log (dedupe_key, template, locale, user_id, to_address, variables_sealed, source, next_attempt_at,
      expires_at)
    values (${mail.dedupeKey}, ${mail.template}, ${mail.locale}, ${mail.userId}::bigint, ${mail.to},
      ${mail.variablesSealed}, ${mail.source}, ${mail.now}, ${mail.expiresAt})
    on conflict (dedupe_key) do nothing
    returning id`;
  return rows.length > 0;
}
