import type { BudgetId } from "@sluice/contracts/ids";
import type { QuotaLeases } from "../gateway/quota/leases.ts";
import { releaseLeases } from "../gateway/quota/replica-store.ts";
import type { Job } from "../platform/schedule-jobs.ts";
import type { DrainOptions } from "../platform/spool/drain.ts";
import { replayOrphans } from "../platform/spool/orphans.ts";
import { isFaultOfRows } from "../platform/spool/poison.ts";
import { withoutOverlap } from "../platform/without-overlap.ts";
import { type CommitLeases, commitCharges, owedTotals } from "../usage/log/commit-usage.ts";
import { saveQuarantine } from "../usage/log/quarantine-store.ts";
import type { Base } from "./base.ts";
import type { CallRows, CallSpool, CallsSummary } from "./call-rows.ts";

/**
 * Reports to the database how many usage rows it refused, so that the money check names them. Traces are not money. A
 * report that fails is made again together with the next one, when the database is back, or after the next start.
 */
async function reportQuarantine({ db, log }: Base, spool: CallSpool): Promise<void> {
  const rowCount = spool.quarantinedBeside("trace");
  if (rowCount === null) {
    return;
  }
  try {
    await saveQuarantine(db, spool.replicaId, rowCount);
  } catch (error) {
    log.error("spool.quarantine_not_reported", { replicaId: spool.replicaId, error });
  }
}

/** Commits one batch of rows: usage with its charges, and traces, in one transaction. */
function drainOptions(base: Base, spool: CallSpool, leases: CommitLeases | null): DrainOptions<CallRows, CallsSummary> {
  const { commits, log } = base;
  const { replicaId } = spool;
  // A commit may quarantine thousands of rows, and `onQuarantine` is called for each.
  const report = withoutOverlap(() => reportQuarantine(base, spool));
  return {
    commit: ({ texts, summary, isReplay, isRetry }) => {
      const { usageDays, charges, traceDays } = summary;
      const sums = charges.list;
      const usage = { sums, days: [...usageDays] };
      const order = { replicaId, texts, usage, traceDays: [...traceDays], isNew: !(isReplay || isRetry) };
      return commitCharges(leases, { sums, isReplay, isRetry }, () => commits.commit(order));
    },
    isPoison: isFaultOfRows,
    onQuarantine: ({ error, text }) => {
      log.error("spool.quarantined", { error, bytes: text.length });
      report();
    },
    onRetry: (error, attempt, delayMs) => log.warn("spool.commit_failed", { error, attempt, delayMs }),
  };
}

/** Before any call is let in, commits rows of an earlier process and gives its leases back. */
export async function catchUp(base: Base, leases: QuotaLeases | null): Promise<void> {
  const { spool, db } = base;
  spool.drain(drainOptions(base, spool, leases));
  db.onReachabilityChange((isReachable) => {
    if (isReachable) {
      spool.wake();
      void reportQuarantine(base, spool);
    }
  });
  base.commits.onReachable((isReachable) => {
    if (isReachable) {
      spool.wake();
    } else {
      // The other connections learn it now, and not from the next call.
      void db.ping();
    }
  });
  await spool.replayed;
  await reportQuarantine(base, spool);
  leases?.owe(await releaseNotOwed(base, spool));
}

/**
 * Returns what a replica without a process has leased, except for the cost of rows that were quarantined again: their
 * calls were served, and they are written as soon as the database accepts them.
 * @returns their cost
 */
async function releaseNotOwed({ db }: Base, spool: CallSpool): Promise<ReadonlyMap<BudgetId, bigint>> {
  const owed = owedTotals(spool.readQuarantined().flatMap((entry) => (entry.kind === "usage" ? [entry] : [])));
  await releaseLeases(db, spool.replicaId, owed);
  return owed;
}

/** The job that commits what dead replicas have left in their spools on this machine. */
export function orphansJob(base: Base, signal: AbortSignal): Job {
  const { spoolOptions } = base;
  const run = () =>
    replayOrphans({
      ...spoolOptions,
      drain: (spool) => drainOptions(base, spool, null),
      onReplayed: async (spool) => {
        await reportQuarantine(base, spool);
        await releaseNotOwed(base, spool);
      },
      signal,
    });
  // Each machine has its own disk, and locks separate the slots on it.
  return { name: "orphans", pattern: "*/20 * * * * *", run, isPerReplica: true };
}
