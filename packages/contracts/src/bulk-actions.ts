import { z } from "zod";
import { bulkActionNames } from "./bulk-action-table.ts";
import { groupName } from "./groups.ts";
import { namedRowsMax } from "./list-limits.ts";
import { rowIdText } from "./lists.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";

const chosen = {
  action: z.enum(bulkActionNames),
  /** The ids of the rows; a repeated one counts once. */
  rows: z.array(rowIdText).min(1, "Choose at least one row.").max(namedRowsMax, `Choose at most ${namedRowsMax} rows.`),
};

export const bulkPreviewInput = z.strictObject(chosen);
/** The group for actions that take one. The reason is in the audit log of each row. */
export const bulkRunInput = strictObject(() => ({
  ...chosen,
  group_name: groupName.optional(),
  reason: reasonText(200),
}));
export type BulkRunInput = z.output<typeof bulkRunInput>;

const previewedRow = strictObject(() => ({
  row: z.string(),
  name: z.string(),
  /** Why nothing would be done with it; null for a row that would be changed. */
  skipped_because: z.string().nullable(),
}));
/** What would happen. */
export const bulkPreviewResponse = strictObject(() => ({
  rows: z.array(previewedRow),
  changes: z.int(),
  skips: z.int(),
}));

/**
 * `waiting`: another super-admin has to approve it. `skipped`: there was nothing to do, or the time was over. `failed`:
 * it was refused; the note says why.
 */
export const bulkOutcomes = ["done", "waiting", "skipped", "failed"] as const;
export const bulkRunResponse = strictObject(() => ({
  rows: z.array(
    z.strictObject({
      row: z.string(),
      name: z.string(),
      outcome: z.enum(bulkOutcomes),
      note: z.string().nullable(),
    }),
  ),
  counts: z.strictObject({ done: z.int(), waiting: z.int(), skipped: z.int(), failed: z.int() }),
}));
