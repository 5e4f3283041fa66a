import type { SecretEntry } from "@sluice/contracts/secrets";
import { and, asc, desc, eq, isNull, sql } from "drizzle-orm";
import { excluded, now, plusOne } from "../../db/expressions.ts";
import { auditLog } from "../../db/schema/admins.ts";
import { exitNode } from "../../db/schema/exit-nodes.ts";
import { secret } from "../../db/schema/secrets.ts";
import type { Queryable } from "../../platform/db.ts";

/** Stores the encrypted value under the name; returns its version, 1 for a new name. */
export async function upsertSecret(db: Queryable, name: string, sealed: Uint8Array): Promise<number> {
  const [row] = await db.drizzle
    .insert(secret)
    .values({ name, sealed })
    .onConflictDoUpdate({
      target: secret.name,
      set: { sealed: excluded(secret.sealed), version: plusOne(secret.version), updatedAt: now },
    })
    .returning({ version: secret.version });
  return row?.version ?? 0;
}

export async function findSecret(db: Queryable, name: string): Promise<Uint8Array | null> {
  const [row] = await db.drizzle.select({ sealed: secret.sealed }).from(secret).where(eq(secret.name, name));
  return row?.sealed ?? null;
}

export async function selectSecrets(db: Queryable): Promise<SecretEntry[]> {
  const lastSave = db.drizzle
    .select({ name: auditLog.actorName })
    .from(auditLog)
    .where(
      and(
        eq(auditLog.subjectKind, "secret"),
        eq(auditLog.subjectId, secret.name),
        eq(auditLog.action, "secret.save"),
        sql`${auditLog.after}->>'version' = ${secret.version}::text`,
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(1);
  return await db.drizzle
    .select({
      name: secret.name,
      version: secret.version,
      created_at: secret.createdAt,
      updated_at: secret.updatedAt,
      set_by: sql<string | null>`(${lastSave})`,
    })
    .from(secret)
    .orderBy(asc(secret.name));
}

/** The version of a secret, which stays locked until the transaction ends; null if there is none. */
export async function lockSecret(tx: Queryable, name: string): Promise<number | null> {
  const [row] = await tx.drizzle
    .select({ version: secret.version })
    .from(secret)
    .where(eq(secret.name, name))
    .for("update");
  return row?.version ?? null;
}

export async function deleteSecret(tx: Queryable, name: string): Promise<void> {
  await tx.drizzle.delete(secret).where(eq(secret.name, name));
}

/** The codes of the exit nodes whose relay key it is. */
export async function selectNodesOf(db: Queryable, name: string): Promise<string[]> {
  const rows = await db.drizzle
    .select({ code: exitNode.nodeCode })
    .from(exitNode)
    .where(and(eq(exitNode.relayKeySecret, name), isNull(exitNode.archivedAt)))
    .orderBy(asc(exitNode.nodeCode));
  return rows.map(({ code }) => code);
}
