import type { ReplicaId } from "@sluice/contracts/ids";
import { type Base, type CallRows, createPartitions } from "./deps-base.ts";
import { releaseLeases } from "./gateway/quota/replica-store.ts";
import { type CommitLeases, commitUsageBatch } from "./gateway/usage-log/service.ts";
import type { Job } from "./jobs/schedule.ts";
import type { DrainOptions } from "./platform/spool/drain.ts";
import { replayOrphans } from "./platform/spool/orphans.ts";
import { isRejectedByDatabase } from "./platform/spool/poison.ts";
import { commitTraces } from "./trace/service.ts";

/** Commits one batch of rows: usage with its charges, and traces, in one transaction. */
function drainOptions(
  base: Base,
  owner: { readonly replicaId: ReplicaId; readonly leases: CommitLeases | null },
): DrainOptions<CallRows> {
  const { db, log } = base;
  return {
    commit: ({ entries, isReplay, isRetry }) => {
      const usage = entries.flatMap((entry) => (entry.kind === "usage" ? [entry] : []));
      const traces = entries.flatMap((entry) => (entry.kind === "trace" ? [entry.row] : []));
      return commitUsageBatch(
        {
          ...owner,
          db,
          alongside: (tx) => commitTraces(tx, traces),
          createPartitions: (days) => createPartitions(db, [...days, ...traces.map(({ day }) => day)]),
        },
        { rows: usage, isReplay, isRetry },
      );
    },
    isPoison: isRejectedByDatabase,
    onQuarantine: ({ error, text }) => log.error("spool.quarantined", { error, bytes: text.length }),
    onRetry: (error, attempt, delayMs) => log.warn("spool.commit_failed", { error, attempt, delayMs }),
  };
}

/** Rows of an earlier life are committed and its leases given back before any call is let in. */
export async function bringIntoStep(base: Base, leases: CommitLeases | null): Promise<void> {
  const { spool, db } = base;
  spool.drain(drainOptions(base, { replicaId: spool.replicaId, leases }));
  db.onReachabilityChange((isReachable) => {
    if (isReachable) {
      spool.wake();
    }
  });
  await spool.replayed;
  await releaseLeases(db, spool.replicaId);
}

/** The job that commits what dead replicas left in their spools on this machine. */
export function orphansJob(base: Base, signal: AbortSignal): Job {
  const { spoolOptions } = base;
  const run = () =>
    replayOrphans({
      ...spoolOptions,
      drain: (replicaId) => drainOptions(base, { replicaId, leases: null }),
      onReplayed: async (replicaId) => {
        await releaseLeases(base.db, replicaId);
      },
      signal,
    });
  // Each machine has its own disk; the slots on one are kept apart by their locks.
  return { name: "orphans", pattern: "*/20 * * * * *", run, isPerReplica: true };
}
