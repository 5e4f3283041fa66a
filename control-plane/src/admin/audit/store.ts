import type { Queryable } from "../../platform/db.ts";
import type { AuditEntry } from "./model.ts";

export async function insertAuditEntry(db: Queryable, entry: AuditEntry): Promise<void> {
  const { actor, before, after } = entry;
  await db.sql`
    insert into audit_log (actor_kind, actor_id, actor_name, action, subject_kind, subject_id, before, after, reason,
      request_id, ip)
    values (${actor.kind}, ${actor.id}::bigint, ${actor.name}, ${entry.action}, ${entry.subjectKind},
      ${entry.subjectId}, ${toJson(before)}::text::jsonb, ${toJson(after)}::text::jsonb, ${entry.reason ?? null},
      ${entry.requestId ?? null}, ${entry.ip ?? null})`;
}

function toJson(value: unknown): string | null {
  return value === null || value === undefined
    ? null
    : JSON.stringify(value, (_, each) => (typeof each === "bigint" ? each.toString() : each));
}
