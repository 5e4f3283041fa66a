import type { MailLogEntry, MailStatus } from "@sluice/contracts/mail";
import type { Queryable, Transaction } from "../../platform/db.ts";

export type MailLogFilter = {
  readonly status: MailStatus | null;
  readonly template: string | null;
  readonly userId: bigint | null;
  /** Only what is older than the mail with this id. */
  readonly before: bigint | null;
  readonly limit: number;
};

/** The newest first. Neither bodies nor variables are read. */
export async function listMails(db: Queryable, filter: MailLogFilter): Promise<MailLogEntry[]> {
  return await db.sql<MailLogEntry>`
    select id, template, locale, user_id, to_address as "to", source, status, attempts, subject, provider_id, last_error,
      case when status in ('queued', 'sending') then next_attempt_at end as next_attempt_at, expires_at, created_at, sent_at
    from mail_log
    where (${filter.before}::bigint is null or id < ${filter.before}::bigint)
      and (${filter.status}::text is null or status = ${filter.status}::text)
      and (${filter.template}::text is null or template = ${filter.template}::text)
      and (${filter.userId}::bigint is null or user_id = ${filter.userId}::bigint)
    order by id desc limit ${filter.limit}::int`;
}

export type DeadMail = {
  readonly template: string;
  readonly attempts: number;
  readonly lastError: string | null;
};

/**
 * Puts a dead mail back into the queue, with all its attempts before it.
 * @returns what it died of, or null when it is not dead, over, or what it says is not kept any more
 */
export async function reviveMail(tx: Transaction, id: bigint, now: Date): Promise<DeadMail | null> {
  const [dead] = await tx.sql<{ template: string; attempts: number; last_error: string | null }>`
    select template, attempts, last_error from mail_log
    where id = ${id}::bigint and status = 'dead' and variables_sealed is not null
      and (expires_at is null or expires_at > ${now})
    for update`;
  if (dead === undefined) {
    return null;
  }
  await tx.sql`
    update mail_log set status = 'queued', attempts = 0, next_attempt_at = ${now}, updated_at = now()
    where id = ${id}::bigint`;
  return { template: dead.template, attempts: dead.attempts, lastError: dead.last_error };
}
