import type { Queryable } from "@sluice/control-plane/platform/db.ts";
import { toUsageOrder } from "@sluice/control-plane/usage/log/commit-usage.ts";
import type { EncodedUsageRow } from "@sluice/control-plane/usage/log/row-codec.ts";
import { insertUsage } from "@sluice/control-plane/usage/log/usage-store.ts";

/** Writes usage rows without charging them. */
export async function insertUsageRows(db: Queryable, rows: readonly EncodedUsageRow[]): Promise<void> {
  for (const list of toUsageOrder(rows).lists) {
    await insertUsage(db, list);
  }
}
