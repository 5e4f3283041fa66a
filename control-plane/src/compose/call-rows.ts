import type { RowSummaries } from "../platform/spool/model.ts";
import type { Spool, SpoolOptions } from "../platform/spool/spool.ts";
import type { SpooledTrace, TraceRow } from "../trace/model.ts";
import { traceRowCodec } from "../trace/service.ts";
import { ChargeSums, usageRowCodec } from "../usage/log/commit-usage.ts";
import type { UsageRow } from "../usage/log/model.ts";

/** A finished call's rows, which the spool keeps until they are in the database. */
export type CallRows = { usage: UsageRow; trace: TraceRow | SpooledTrace };

/** What a commit has to know of some of them besides their text. */
export type CallsSummary = {
  usageCount: number;
  readonly usageDays: Set<string>;
  readonly charges: ChargeSums;
  readonly traceDays: Set<string>;
};

export type CallSpool = Spool<CallRows, CallsSummary>;
export type CallSpoolOptions = SpoolOptions<CallRows, CallsSummary>;

export const callCodecs: CallSpoolOptions["codecs"] = { usage: usageRowCodec, trace: traceRowCodec };

export const callSummaries: RowSummaries<CallRows, CallsSummary> = {
  begin: () => ({ usageCount: 0, usageDays: new Set(), charges: new ChargeSums(), traceDays: new Set() }),
  add: (summary, { kind, row }) => {
    if (kind === "usage") {
      summary.usageCount += 1;
      summary.usageDays.add(row.day);
      summary.charges.add(row);
    } else {
      summary.traceDays.add(row.day);
    }
  },
  merge: (summary, { usageCount, usageDays, charges, traceDays }) => {
    summary.usageCount += usageCount;
    summary.charges.merge(charges);
    addAll(summary.usageDays, usageDays);
    addAll(summary.traceDays, traceDays);
  },
};

function addAll(days: Set<string>, more: ReadonlySet<string>): void {
  for (const day of more) {
    days.add(day);
  }
}
