import { type CallPartitions, createPartitions, findCallPartitions } from "../db/partitions.ts";
import type { Database, Transaction } from "../platform/db.ts";
import { toErrorMessage } from "../platform/db-error-message.ts";
import { type JsonList, jsonLists } from "../platform/spool/json-lists.ts";
import { TextReceiver } from "../platform/spool/sent-texts.ts";
import { recordedTraces, writeTraces } from "../trace/write-store.ts";
import { recordKind } from "../usage/log/call-record.ts";
import { writeUsage } from "../usage/log/commit-usage.ts";
import type { BudgetCharge } from "../usage/log/model.ts";
import type { UsageList } from "../usage/log/usage-store.ts";
import type { CallsOrder, CommitNews, CommitOrder } from "./call-commits.ts";
import { CopiedCalls } from "./copied-calls.ts";

/** What the second thread does with rows of calls: the counterpart of `CallCommits`. */
export function openCommitWork(db: Database, report: (news: CommitNews) => void): (order: CommitOrder) => void {
  db.onReachabilityChange((isReachable) => report({ topic: "commits", kind: "reachable", isReachable }));
  const receiver = new TextReceiver();
  return ({ number, calls }) => {
    report({ topic: "commits", kind: "begun", number });
    const texts = calls.texts.map((text) => receiver.fromMessage(text));
    commitCalls(db, { ...calls, texts }).then(
      (charges) => report({ topic: "commits", kind: "done", number, charges }),
      (error: unknown) => report({ topic: "commits", kind: "failed", number, error: toErrorMessage(error) }),
    );
  };
}

/** Fewer bytes, some hundred calls, are inserted: both take the database the same for sixty. */
const copiedBytesMin = 40 * 1024;
/** Memory for rows that are copied, which commits use in turn. */
const idle: CopiedCalls[] = [];

/** Writes usage rows, charges and traces in one transaction. */
export async function commitCalls(db: Database, calls: CallsOrder): Promise<BudgetCharge[]> {
  if (!calls.isNew || calls.texts.reduce((sum, { length }) => sum + length, 0) < copiedBytesMin) {
    return await writeCalls(db, calls, jsonLists(calls.texts, kinds), null);
  }
  const copied = idle.pop() ?? new CopiedCalls();
  copied.clear();
  const charges = await writeCalls(db, calls, jsonLists(calls.texts, kinds, copied), copied);
  // After a failure the driver may still have it.
  idle.push(copied);
  return charges;
}

/** The partitions that were last found, by database. */
const found = new WeakMap<Database, CallPartitions>();

/** The partitions to copy calls into, if all calls are of one day. */
async function partitionsOf(db: Database, tx: Transaction, days: readonly string[]): Promise<CallPartitions | null> {
  const [day] = days;
  if (day === undefined || days.some((other) => other !== day)) {
    return null;
  }
  const known = found.get(db);
  if (known?.day === day) {
    return known;
  }
  const partitions = await findCallPartitions(tx, day);
  if (partitions !== null) {
    found.set(db, partitions);
  }
  return partitions;
}

/** @param lists the rows that are inserted if all are new: those that are not copied */
function writeCalls(
  db: Database,
  { replicaId, texts, usage, traceDays, isNew }: CallsOrder,
  lists: CallLists,
  copied: CopiedCalls | null,
): Promise<BudgetCharge[]> {
  let all = copied === null ? lists : null;
  const allLists = (): CallLists => {
    all ??= jsonLists(texts, kinds);
    return all;
  };
  return writeUsage(
    {
      db,
      replicaId,
      alongside: async (tx, areNew) => {
        if (areNew && copied !== null) {
          await copied.write(tx, await partitionsOf(db, tx, [...usage.days, ...traceDays]));
        }
        await writeTraces(tx, (areNew ? lists : allLists()).trace, areNew);
      },
      isNew,
      createPartitions: (days) => createPartitions(db, [...days, ...traceDays]),
    },
    {
      ...usage,
      get lists() {
        return usageLists(allLists());
      },
    },
    usageLists(lists),
  );
}

const kinds = [recordKind, "usage", "trace"] as const;
type CallLists = Readonly<Record<(typeof kinds)[number], JsonList>>;

function usageLists(lists: CallLists): readonly UsageList[] {
  const records = { form: "records", ...lists[recordKind], alsoInserts: recordedTraces } as const;
  const rows = { form: "rows", ...lists.usage } as const;
  return [records, rows].filter(({ count }) => count > 0);
}
