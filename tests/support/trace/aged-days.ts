import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import type { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { open, seal } from "@sluice/control-plane/platform/crypto/seal.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { dayKeyContext } from "@sluice/control-plane/trace/payload-keys.ts";

const dayMs = 86_400_000;

export const dayBeforeNow = (days: number): string => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

/**
 * Makes everything of the trace that many days older, as if the time had passed: rows move to their earlier partitions,
 * and the keys are wrapped for their earlier days. No process may run meanwhile: it would continue with the keys of today.
 * @returns the earlier days that have payloads
 */
export async function ageTraces(db: Database, masterKey: MasterKey, days: number): Promise<string[]> {
  const keys = await db.sql<{ day: string; earlier: string; key_id: string; wrapped: Uint8Array }>`
    select day::text as day, (day - ${days}::int)::text as earlier, key_id, wrapped from payload_day_key
    where wrapped is not null`;
  for (const table of ["trace_record", "payload_segment", "payload_record"] as const) {
    await createMissingPartitions(
      db,
      table,
      keys.map(({ earlier }) => earlier),
    );
    await db.query(`update ${table} set day = day - $1::int`, [days]);
  }
  await db.sql`update trace_record set started_at = started_at - make_interval(days => ${days}::int)`;
  for (const { day, earlier, key_id: keyId, wrapped } of keys) {
    const secret = open(masterKey.opening, wrapped, dayKeyContext(day, keyId));
    const sealed = seal(masterKey.sealing, secret, dayKeyContext(earlier, keyId));
    await db.sql`
      update payload_day_key set day = ${earlier}::text::date, wrapped = ${sealed} where key_id = ${keyId}::text`;
  }
  const rows = await db.sql<{ day: string }>`select distinct day::text as day from payload_segment order by 1`;
  return rows.map(({ day }) => day);
}
