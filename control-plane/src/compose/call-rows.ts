import type { Log } from "../platform/log.ts";
import type { JoinedRows, RowSummaries, RowWaiter } from "../platform/spool/model.ts";
import type { Spool, SpoolOptions } from "../platform/spool/spool.ts";
import type { AnyTrace, ReportedCall } from "../trace/model.ts";
import { fromCallRecord, writeRecordedTrace } from "../trace/recorded-trace.ts";
import { traceRowCodec } from "../trace/service.ts";
import { readCallRecord, recordKind, toUsageFields } from "../usage/log/call-record.ts";
import { writeCallRecord } from "../usage/log/call-record-bytes.ts";
import { ChargeSums, usageRowCodec } from "../usage/log/commit-usage.ts";
import type { RecordedCall, UsageRow } from "../usage/log/model.ts";

/** A finished call's rows, which the spool keeps until they are in the database. */
export type CallRows = { usage: UsageRow | RecordedCall; trace: AnyTrace };

/** What a commit has to know of some of them besides their text. */
export type CallsSummary = {
  readonly usageDays: Set<string>;
  readonly charges: ChargeSums;
  readonly traceDays: Set<string>;
};

export type CallSpool = Spool<CallRows, CallsSummary>;
export type CallSpoolOptions = SpoolOptions<CallRows, CallsSummary>;

/** Both rows of an ordinary call are one record. */
const callRecords: JoinedRows<CallRows> = {
  kind: recordKind,
  begin: ({ kind, row }, out) => kind === "usage" && "toRow" in row && writeCallRecord(row, out),
  add: ({ kind, row }, first, out) =>
    kind === "trace" &&
    first.kind === "usage" &&
    "toRow" in row &&
    "toRow" in first.row &&
    writeRecordedTrace(row, first.row, out),
  read: (value) => {
    const record = readCallRecord(value);
    const usage = { kind: "usage", row: usageRowCodec.decode(toUsageFields(record)) } as const;
    return record.hasTrace ? [usage, { kind: "trace", row: fromCallRecord(record) }] : [usage];
  },
};

export const callSummaries: RowSummaries<CallRows, CallsSummary> = {
  begin: () => ({ usageDays: new Set(), charges: new ChargeSums(), traceDays: new Set() }),
  add: (summary, { kind, row }) => {
    if (kind === "usage") {
      addDay(summary.usageDays, row.day);
      summary.charges.add(row);
    } else {
      addDay(summary.traceDays, row.day);
    }
  },
  merge: (summary, { usageDays, charges, traceDays }) => {
    summary.charges.merge(charges);
    addAll(summary.usageDays, usageDays);
    addAll(summary.traceDays, traceDays);
  },
};

/** Nearly all rows of a batch are of one day, and asking takes half as long as adding. */
function addDay(days: Set<string>, day: string): void {
  if (!days.has(day)) {
    days.add(day);
  }
}

function addAll(days: Set<string>, more: ReadonlySet<string>): void {
  for (const day of more) {
    addDay(days, day);
  }
}

/** How the spool keeps rows of calls. */
export const callForms = {
  codecs: { usage: usageRowCodec, trace: traceRowCodec },
  joined: callRecords,
  summaries: callSummaries,
} satisfies Partial<CallSpoolOptions>;

/** The trace of a call as it is recorded; no call waits for it. */
export class TraceEntry implements RowWaiter {
  readonly kind = "trace";
  readonly row: ReportedCall;
  readonly #log: Log;

  constructor(log: Log, row: ReportedCall) {
    this.#log = log;
    this.row = row;
  }

  onWritten(): void {
    // Nothing is left to do.
  }

  onLost(error: unknown): void {
    this.#log.error("trace.row_lost", { requestId: this.row.requestId, error });
  }
}
