import { sql } from "drizzle-orm";
import { auditLog } from "../../db/schema/admins.ts";
import type { Queryable } from "../../platform/db.ts";
import type { AuditChange, AuditOrigin } from "./model.ts";

export async function insertAuditEntry(
  db: Queryable,
  { actor, requestId, ip }: AuditOrigin,
  action: string,
  { subjectKind, subjectId, before, after, reason }: AuditChange,
): Promise<void> {
  await db.drizzle.insert(auditLog).values({
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    actorToken: actor.token,
    action,
    subjectKind,
    subjectId: String(subjectId),
    before: sql`${toJson(before)}::text::jsonb`,
    after: sql`${toJson(after)}::text::jsonb`,
    reason: reason || null,
    requestId,
    ip,
  });
}

function toJson(value: unknown): string | null {
  return value === null || value === undefined
    ? null
    : JSON.stringify(value, (_, each) => (typeof each === "bigint" ? each.toString() : each));
}
