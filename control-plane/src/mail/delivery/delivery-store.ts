import type { Locale } from "@sluice/contracts/locales";
import { and, asc, eq, isNotNull, lt, lte, or, sql } from "drizzle-orm";
import { now as databaseNow, equalsConstant, plusOne } from "../../db/expressions.ts";
import { mailInbox, mailLog } from "../../db/schema/mail.ts";
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
  /** Counts the claims of the email. Only its current holder knows the current number. */
  readonly attempts: number;
  /** Attempts that failed because of our own configuration. */
  readonly faults: number;
  readonly expiresAt: Date | null;
};

/** This condition is text without parameters, like the condition of the index of due emails. */
const isUnsent = sql`${mailLog.status} in ('queued', 'sending')`;

/**
 * Claims the email that has been due the longest, or one whose holder has not come back. While an email is held, its
 * next attempt is due at the end of the lease, so that one condition finds both.
 */
export async function claimDueMail(db: Queryable, now: Date, leaseUntil: Date): Promise<ClaimedMail | null> {
  const due = db.drizzle
    .select({ id: mailLog.id })
    .from(mailLog)
    .where(and(isUnsent, lte(mailLog.nextAttemptAt, now)))
    .orderBy(asc(mailLog.nextAttemptAt))
    .limit(1)
    .for("update", { skipLocked: true });
  const [row] = await db.drizzle
    .update(mailLog)
    .set({
      status: "sending",
      attempts: plusOne(mailLog.attempts),
      leaseUntil,
      nextAttemptAt: leaseUntil,
      updatedAt: databaseNow,
    })
    .where(eq(mailLog.id, due))
    .returning({
      id: mailLog.id,
      dedupeKey: mailLog.dedupeKey,
      template: mailLog.template,
      locale: mailLog.locale,
      userId: mailLog.userId,
      to: mailLog.toAddress,
      variablesSealed: mailLog.variablesSealed,
      attempts: mailLog.attempts,
      faults: mailLog.faults,
      expiresAt: mailLog.expiresAt,
    });
  return (row ?? null) as ClaimedMail | null;
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
  // An admin can send a dead email again, so its content is kept for a while.
  const isDone = isSent || mark.status === "dropped";
  const isFault = mark.status === "queued" && mark.isFault === true;
  const outcome = isSent
    ? {
        subject: mark.subject,
        sentAt: mark.at,
        lastError: null,
        failedAt: null,
        ...(mark.providerId === null ? {} : { providerId: mark.providerId }),
      }
    : { lastError: mark.error, failedAt: databaseNow };
  const written = await tx.drizzle
    .update(mailLog)
    .set({
      ...outcome,
      status: mark.status,
      leaseUntil: null,
      updatedAt: databaseNow,
      ...(isFault ? { faults: plusOne(mailLog.faults) } : {}),
      ...(mark.status === "queued" ? { nextAttemptAt: mark.nextAttemptAt } : {}),
      ...(isDone ? { variablesSealed: null } : {}),
    })
    .where(and(eq(mailLog.id, mail.id), eq(mailLog.status, "sending"), eq(mailLog.attempts, mail.attempts)));
  return rowsWritten(written) > 0;
}

/** Stores the message that the user sees in the console: the subject, which never contains a link. */
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
  const { at, ...rest } = record;
  await tx.drizzle
    .insert(mailInbox)
    .values({ ...rest, createdAt: at })
    .onConflictDoNothing({ target: mailInbox.mailId });
}

/** Removes emails finished before this time, and the users' messages about them; at most this many. */
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
 * Empties dead emails that have expired, or that nobody has resent since this time; a token must not be kept forever.
 */
export async function forgetDeadVariables(db: Queryable, now: Date, before: Date): Promise<number> {
  const written = await db.drizzle
    .update(mailLog)
    .set({ variablesSealed: null, updatedAt: databaseNow })
    .where(
      and(
        equalsConstant(mailLog.status, "dead"),
        isNotNull(mailLog.variablesSealed),
        or(lte(mailLog.expiresAt, now), lt(mailLog.updatedAt, before)),
      ),
    );
  return rowsWritten(written);
}
