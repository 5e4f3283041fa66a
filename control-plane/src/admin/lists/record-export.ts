import type { Database } from "../../platform/db.ts";
import type { ExportRecord } from "../../platform/list-query/endpoints.ts";
import { writeAudit } from "../audit/service.ts";

/** Writes down who took which rows out of the system, before they leave. */
export const exportRecorder =
  (db: Database) =>
  async ({ admin, list, format, rows, query, requestId, ip }: ExportRecord): Promise<void> => {
    await db.withTransaction((tx) =>
      writeAudit(tx, {
        actor: { kind: "admin", id: admin.adminId, name: admin.username },
        action: "list.export",
        subjectKind: "list",
        subjectId: list,
        before: null,
        after: { format, rows, query },
        requestId,
        ip,
      }),
    );
  };
