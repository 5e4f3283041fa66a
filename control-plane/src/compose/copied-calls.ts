import type { CallPartitions } from "../db/partitions.ts";
import type { Transaction } from "../platform/db.ts";
import { CopyRows } from "../platform/db-copy-rows.ts";
import type { LineTaker } from "../platform/spool/json-lists.ts";
import { commonTrace, copyTrace, copyTracesSql } from "../trace/copy-store.ts";
import { recordKind } from "../usage/log/call-record.ts";
import { commonUsage, copyUsage, copyUsageSql } from "../usage/log/copy-store.ts";
import { RecordReader } from "../usage/log/record-reader.ts";

/** Reads one record at a time, for all that are copied. */
const reader = new RecordReader({
  start: Buffer.from(`["${recordKind}",`),
  common: commonUsage,
  end: commonTrace,
});

/**
 * Rows of new calls in the form of `COPY`, which takes the database half as long as an insert that reads them from JSON. They
 * are made from the records in a spool, without parsing what calls have in common.
 */
export class CopiedCalls implements LineTaker {
  readonly #usage = new CopyRows();
  readonly #traces = new CopyRows();

  clear(): void {
    this.#usage.clear();
    this.#traces.clear();
  }

  /** Takes a line of a spool. @returns false for one that has to be inserted */
  take(text: Buffer, from: number, to: number): boolean {
    // Without the bracket that ends the line.
    if (!reader.read(text, from, to - 1)) {
      return false;
    }
    const before = this.#usage.length;
    if (!copyUsage(text, reader, this.#usage)) {
      this.#usage.cut(before);
      return false;
    }
    copyTrace(text, reader, this.#traces);
    return true;
  }

  /**
   * Writes all rows that were taken.
   * @param partitions those of the day, if all rows are of one; else the database finds the partition of each row
   * @throws SQL.PostgresError, see `isUniqueViolation` if not all of them were new
   */
  async write(tx: Transaction, partitions: CallPartitions | null): Promise<void> {
    if (this.#traces.count > 0) {
      await tx.copyIn(copyTracesSql(partitions?.traceRecord ?? "trace_record"), this.#traces.whole);
    }
    if (this.#usage.count > 0) {
      await tx.copyIn(copyUsageSql(partitions?.usageLog ?? "usage_log"), this.#usage.whole);
    }
  }
}
