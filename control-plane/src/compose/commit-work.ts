import { createPartitions } from "../db/partitions.ts";
import type { Database } from "../platform/db.ts";
import { toErrorMessage } from "../platform/db-error-message.ts";
import { jsonLists } from "../platform/spool/json-lists.ts";
import { recordedTraces, writeTraces } from "../trace/write-store.ts";
import { recordKind } from "../usage/log/call-record.ts";
import { writeUsage } from "../usage/log/commit-usage.ts";
import type { BudgetCharge } from "../usage/log/model.ts";
import type { CallsOrder, CommitNews, CommitOrder } from "./call-commits.ts";

/** What the second thread does with rows of calls: the counterpart of `CallCommits`. */
export function openCommitWork(db: Database, report: (news: CommitNews) => void): (order: CommitOrder) => void {
  db.onReachabilityChange((isReachable) => report({ topic: "commits", kind: "reachable", isReachable }));
  return ({ number, calls }) => {
    report({ topic: "commits", kind: "begun", number });
    commitCalls(db, calls).then(
      (charges) => report({ topic: "commits", kind: "done", number, charges }),
      (error: unknown) => report({ topic: "commits", kind: "failed", number, error: toErrorMessage(error) }),
    );
  };
}

/** Writes usage rows, charges and traces in one transaction. */
export function commitCalls(db: Database, calls: CallsOrder): Promise<BudgetCharge[]> {
  const lists = jsonLists(calls.texts, [recordKind, "usage", "trace"]);
  const records = { form: "records", ...lists[recordKind], alsoInserts: recordedTraces } as const;
  const rows = { form: "rows", ...lists.usage } as const;
  return writeUsage(
    {
      db,
      replicaId: calls.replicaId,
      alongside: (tx, isNew) => writeTraces(tx, lists.trace, isNew),
      isNew: calls.isNew,
      createPartitions: (days) => createPartitions(db, [...days, ...calls.traceDays]),
    },
    { ...calls.usage, lists: [records, rows].filter(({ count }) => count > 0) },
  );
}
