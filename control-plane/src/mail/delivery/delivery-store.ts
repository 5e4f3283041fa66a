import type { Locale } from "@sluice/contracts/locales";
import { type Queryable, rowsWritten, type Transaction } from "../../platform/db.ts";
import type { MailTemplateName } from "../model.ts";

/** An email that this process holds until its lease ends. */
export type ClaimedMail = {
  readonly id: bigint;
  readonly dedupeKey: string;
  readonly template: MailTemplateName;
  readonly locale: Locale;
  readonly userId: bigint | null;
  readonly to: string;
  readonly variablesSealed: Uint8Array | null;
  /** Counts the claims. The email's holder knows the number; an earlier holder has another one. */
  readonly attempts: number;
  /** Attempts that failed because of our own configuration. */
  readonly faults: number;
  readonly expiresAt: Date | null;
};

type Row = {
  id: bigint;
  dedupe_key: string;
  template: string;
  locale: string;
  user_id: bigint | null;
  to_address: string;
  variables_sealed: Uint8Array | null;
  attempts: number;
  faults: number;
  expires_at: Date | null;
};

/**
 * Claims the email that has been due the longest, or one whose holder has not come back. While an email is held, its
 * next attempt is due at the end of the lease, so that one condition finds both.
 */
export async function claimDueMail(db: Queryable, now: Date, leaseUntil: Date): Promise<ClaimedMail | null> {
  const [row] = await db.sql<Row>`
    update mail_log set status = 'sending', attempts = attempts + 1, lease_until = ${leaseUntil},
      next_attempt_at = ${leaseUntil}, updated_at = now()
    where id = (select id from mail_log where status in ('queued', 'sending') and next_attempt_at <= ${now}
      order by next_attempt_at limit 1 for update skip locked)
    returning id, dedupe_key, template, locale, user_id, to_address, variables_sealed, attempts, faults, expires_at`;
  if (row === undefined) {
    return null;
  }
  return {
    id: row.id,
    dedupeKey: row.dedupe_key,
    template: row.template as MailTemplateName,
    locale: row.locale as Locale,
    userId: row.user_id,
    to: row.to_address,
    variablesSealed: row.variables_sealed,
    attempts: row.attempts,
    faults: row.faults,
    expiresAt: row.expires_at,
  };
}

/** The result of an attempt, as recorded. */
export type Mark =
  | { readonly status: "sent"; readonly at: Date; readonly subject: string; readonly providerId: string | null }
  | { readonly status: "queued"; readonly nextAttemptAt: Date; readonly error: string; readonly isFault?: true }
  | { readonly status: "dead"; readonly error: string }
  | { readonly status: "dropped"; readonly error: string };

/** @returns false, with nothing written, when another process holds the email by now */
export async function markMail(tx: Transaction, mail: ClaimedMail, mark: Mark): Promise<boolean> {
  const isSent = mark.status === "sent";
  // An admin can resend a dead email, so its content is kept for a while.
  const isDone = isSent || mark.status === "dropped";
  const result = await tx.sql`
    update mail_log set status = ${mark.status}, lease_until = null, updated_at = now(),
      faults = faults + ${mark.status === "queued" && mark.isFault === true ? 1 : 0}::int,
      next_attempt_at = coalesce(${mark.status === "queued" ? mark.nextAttemptAt : null}::timestamptz, next_attempt_at),
      variables_sealed = case when ${isDone} then null else variables_sealed end,
      subject = coalesce(${isSent ? mark.subject : null}, subject),
      provider_id = coalesce(${isSent ? mark.providerId : null}, provider_id),
      sent_at = coalesce(${isSent ? mark.at : null}::timestamptz, sent_at),
      last_error = ${isSent ? null : mark.error}, failed_at = case when ${isSent} then null else now() end
    where id = ${mail.id}::bigint and status = 'sending' and attempts = ${mail.attempts}::int`;
  return rowsWritten(result) > 0;
}

/** What the user sees in the console: the subject, which never contains a link. */
export async function insertInboxRecord(
  tx: Transaction,
  record: {
    readonly mailId: bigint;
    readonly userId: bigint;
    readonly template: string;
    readonly subject: string;
    readonly at: Date;
  },
): Promise<void> {
  await tx.sql`
    insert into mail_inbox (user_id, mail_id, template, subject, created_at)
    values (${record.userId}::bigint, ${record.mailId}::bigint, ${record.template}, ${record.subject}, ${record.at})
    on conflict (mail_id) do nothing`;
}

/** Removes emails finished this long ago, with the users' messages about them; at most this many. */
export async function deleteOldMails(db: Queryable, before: Date, limit: number): Promise<number> {
  const result = await db.sql`
    with old as (
      select id from mail_log where created_at < ${before} and status in ('sent', 'dropped', 'dead')
      order by created_at limit ${limit}::int for update skip locked
    ), shown as (delete from mail_inbox where mail_id in (select id from old) returning mail_id)
    delete from mail_log where id in (select id from old) and (select count(*) from shown) >= 0`;
  return rowsWritten(result);
}

/**
 * Empties dead emails that have expired, or that nobody has resent for this long; a token must not be kept for ever.
 */
export async function forgetDeadVariables(db: Queryable, now: Date, before: Date): Promise<number> {
  return rowsWritten(
    await db.sql`
      update mail_log set variables_sealed = null, updated_at = now()
      where status = 'dead' and variables_sealed is not null and (expires_at <= ${now} or updated_at < ${before})`,
  );
}
