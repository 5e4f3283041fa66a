import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db.ts";
import { workOnShards } from "../shards.ts";
import type { RollupFault, RollupRun } from "./model.ts";
import { addNextBatches, checkDay, type FollowingSums, listLoggedDays, rebuildDay } from "./rollup-store.ts";

const rowsOfStep = 5_000;
/** A call with labels that no other has costs as much as hundreds without: a step that were broken off would be again, each time. */
const labelledRowsOfStep = 1_000;
const stepTimeoutMs = 60_000;
const runMsMax = 25_000;
/** Summing a day of millions of calls takes longer than any page may wait. */
const dayTimeoutMs = 600_000;

/**
 * Adds what was settled since the last run to the sums that overviews, reports and users' pages read: each row once,
 * whatever is killed, late or restored. Runs for at most 25 s; what it has done stays done when it fails.
 * @returns what became of the sums of reports, and `unfinished` if any have more to add
 * @throws SQL.PostgresError, DatabaseUnavailableError, DatabaseTimeoutError
 */
export async function rollUsageUp(
  db: Database,
  clock: Pick<Clock, "now">,
  stopping: AbortSignal | null = null,
): Promise<RollupRun> {
  const end = clock.now() + runMsMax;
  const isOver = (): boolean => stopping?.aborted === true || clock.now() >= end;
  const reports = await follow(db, "reports", isOver);
  const users = await follow(db, "users", isOver);
  const performance = await follow(db, "performance", isOver);
  // The last, so that a client with other labels for each call makes none of the others late.
  const labels = await follow(db, "labels", isOver);
  const isBehind = [users, performance, labels].some(({ outcome }) => outcome === "unfinished");
  return isBehind ? { ...reports, outcome: "unfinished" } : reports;
}

async function follow(db: Database, sums: FollowingSums, isOver: () => boolean): Promise<RollupRun> {
  let rowsAdded = 0n;
  const rowsMax = sums === "labels" ? labelledRowsOfStep : rowsOfStep;
  const outcome = await workOnShards(async (shard) => {
    const step = await db.withTransaction((tx) => addNextBatches(tx, sums, { shard, rowsMax }), {
      statementTimeoutMs: stepTimeoutMs,
    });
    rowsAdded += step.rowsAdded;
    return step.outcome;
  }, isOver);
  return { outcome, rowsAdded };
}

/** The job of every minute. It continues while there is a backlog, until the process stops. */
export async function rollBacklogUp(db: Database, clock: Pick<Clock, "now">, stopping: AbortSignal): Promise<void> {
  for (let isBehind = true; isBehind && !stopping.aborted; ) {
    isBehind = (await rollUsageUp(db, clock, stopping)).outcome === "unfinished";
  }
}

export type DayReport = { readonly day: string; readonly faults: readonly RollupFault[]; readonly sums: bigint | null };

/**
 * Compares the sums of every day of the log with the log, and recomputes those that differ, or all when `isForced`.
 * Reports one day after the other. A day is one transaction, so that pages see the old sums or the new ones.
 */
export async function* rebuildRollup(
  db: Database,
  { isForced, isChecked }: { readonly isForced: boolean; readonly isChecked: boolean },
): AsyncGenerator<DayReport> {
  for (const day of await listLoggedDays(db)) {
    const inTime = { statementTimeoutMs: dayTimeoutMs };
    const faults = await db.withTransaction((tx) => checkDay(tx, day), inTime);
    const isRebuilt = !isChecked && (isForced || faults.length > 0);
    const sums = isRebuilt ? await db.withTransaction((tx) => rebuildDay(tx, day), inTime) : null;
    yield { day, faults, sums };
  }
}
