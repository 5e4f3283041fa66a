import { and, asc, eq, gt, inArray, isNotNull, isNull, or } from "drizzle-orm";
import { now as databaseNow, equalsConstant } from "../../db/expressions.ts";
import { mailLog } from "../../db/schema/mail.ts";
import type { Transaction } from "../../platform/db.ts";

export type DeadMail = {
  readonly template: string;
  readonly attempts: number;
  readonly lastError: string | null;
};

/** Dead mails whose content is still stored and that have not expired. */
const canBeRevived = (now: Date) =>
  and(
    equalsConstant(mailLog.status, "dead"),
    isNotNull(mailLog.variablesSealed),
    or(isNull(mailLog.expiresAt), gt(mailLog.expiresAt, now)),
  );

const queuedAgain = (now: Date) => ({
  status: "queued" as const,
  attempts: 0,
  faults: 0,
  nextAttemptAt: now,
  updatedAt: databaseNow,
});

/**
 * Puts a dead email back into the queue, with its earlier attempts.
 * @returns why it died, or null when it is not dead, has expired, or its content is no longer kept
 */
export async function reviveMail(tx: Transaction, id: bigint, now: Date): Promise<DeadMail | null> {
  const [dead] = await tx.drizzle
    .select({ template: mailLog.template, attempts: mailLog.attempts, lastError: mailLog.lastError })
    .from(mailLog)
    .where(and(eq(mailLog.id, id), canBeRevived(now)))
    .for("update");
  if (dead === undefined) {
    return null;
  }
  await tx.drizzle.update(mailLog).set(queuedAgain(now)).where(eq(mailLog.id, id));
  return dead;
}

/** Puts dead emails that can still be sent back into the queue, the oldest first. Returns their ids. */
export async function reviveMails(
  tx: Transaction,
  { template, now, limit }: { readonly template: string | null; readonly now: Date; readonly limit: number },
): Promise<bigint[]> {
  const dead = tx.drizzle
    .select({ id: mailLog.id })
    .from(mailLog)
    .where(and(canBeRevived(now), template === null ? undefined : eq(mailLog.template, template)))
    .orderBy(asc(mailLog.createdAt))
    .limit(limit)
    .for("update", { skipLocked: true });
  const rows = await tx.drizzle
    .update(mailLog)
    .set(queuedAgain(now))
    .where(inArray(mailLog.id, dead))
    .returning({ id: mailLog.id });
  return rows.map(({ id }) => id);
}
