import type { ReplicaId } from "@sluice/contracts/ids";
import { eq, ne } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { usageQuarantine as quarantine } from "../../db/schema/gateway-usage.ts";
import type { Queryable } from "../../platform/db.ts";

/** Records how many usage rows in a replica's spool can't be written; the money check names them. */
export async function saveQuarantine(db: Queryable, replicaId: ReplicaId, rowCount: number): Promise<void> {
  if (rowCount === 0) {
    await db.drizzle.delete(quarantine).where(eq(quarantine.replicaId, replicaId));
    return;
  }
  await db.drizzle
    .insert(quarantine)
    .values({ replicaId, rowCount })
    .onConflictDoUpdate({
      target: quarantine.replicaId,
      set: { rowCount, changedAt: now },
      setWhere: ne(quarantine.rowCount, rowCount),
    });
}
