import type { Database } from "../../platform/db.ts";
import type { ExportRecord } from "../../platform/list-query/endpoints.ts";
import { audit, byAdmin } from "../audit/service.ts";

/** Records who exports which rows, before they leave the system. */
export const exportRecorder =
  (db: Database) =>
  async ({ admin, list, format, rows, query, requestId, ip }: ExportRecord): Promise<void> => {
    await db.withTransaction((tx) =>
      audit(tx, byAdmin(admin, { requestId, ip }), "list.export", {
        subjectKind: "list",
        subjectId: list,
        after: { format, rows, query },
      }),
    );
  };
