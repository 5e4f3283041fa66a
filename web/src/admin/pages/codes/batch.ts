import type { codeBatchList } from "@sluice/contracts/codes";
import type { RowOf } from "@sluice/contracts/lists";

export type Batch = RowOf<typeof codeBatchList>;

export const batchesPath = "/backend/admin/code-batch/";

/** Saves the codes of a batch as a file with one column. */
export function saveCodes(batchId: string, codes: readonly string[]): void {
  const address = URL.createObjectURL(new Blob([["code", ...codes, ""].join("\r\n")], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `codes-${batchId}.csv`;
  link.click();
  URL.revokeObjectURL(address);
}
