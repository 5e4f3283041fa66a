import type { Queryable } from "../../platform/db.ts";
import type { AuditChange, AuditOrigin } from "./model.ts";

export async function insertAuditEntry(
  db: Queryable,
  { actor, requestId, ip }: AuditOrigin,
  action: string,
  { subjectKind, subjectId, before, after, reason }: AuditChange,
): Promise<void> {
  await db.sql`
    insert into audit_log (actor_kind, actor_id, actor_name, action, subject_kind, subject_id, before, after, reason,
      request_id, ip)
    values (${actor.kind}, ${actor.id}::bigint, ${actor.name}, ${action}, ${subjectKind}, ${String(subjectId)},
      ${toJson(before)}::text::jsonb, ${toJson(after)}::text::jsonb, ${reason || null}, ${requestId ?? null},
      ${ip ?? null})`;
}

function toJson(value: unknown): string | null {
  return value === null || value === undefined
    ? null
    : JSON.stringify(value, (_, each) => (typeof each === "bigint" ? each.toString() : each));
}
