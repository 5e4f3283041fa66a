import type { Transaction } from "../../platform/db.ts";

export type DeadMail = {
  readonly template: string;
  readonly attempts: number;
  readonly lastError: string | null;
};

/**
 * Puts a dead email back into the queue, with its earlier attempts.
 * @returns why it died, or null when it is not dead, has expired, or its content is no longer kept
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
    update mail_log set status = 'queued', attempts = 0, faults = 0, next_attempt_at = ${now}, updated_at = now()
    where id = ${id}::bigint`;
  return { template: dead.template, attempts: dead.attempts, lastError: dead.last_error };
}

/** Puts dead emails that can still be sent back into the queue, the oldest first. Returns their ids. */
export async function reviveMails(
  tx: Transaction,
  { template, now, limit }: { readonly template: string | null; readonly now: Date; readonly limit: number },
): Promise<bigint[]> {
  const rows = await tx.sql<{ id: bigint }>`
    update mail_log set status = 'queued', attempts = 0, faults = 0, next_attempt_at = ${now}, updated_at = now()
    where id in (
      select id from mail_log where status = 'dead' and variables_sealed is not null
        and (expires_at is null or expires_at > ${now}) and (${template}::text is null or template = ${template}::text)
      order by created_at limit ${limit}::int for update skip locked
    ) returning id`;
  return rows.map(({ id }) => id);
}
