import { cron } from "@elysiajs/cron";
import { Elysia } from "elysia";
import type { Database } from "./db.ts";
import { allowIdling, tryAdvisoryLock } from "./db-locks.ts";
import type { Log } from "./log.ts";

/** Work scheduled by a cron pattern (UTC, with seconds), either on one replica at a time or on each. */
export type Job = {
  readonly name: string;
  readonly isPerReplica?: boolean;
  readonly pattern: string;
  readonly run: (db: Database) => Promise<unknown>;
};

/** No job takes this long; a holder that vanished silently blocks its job for this time. */
const lockedMsMax = 3_600_000;

/**
 * Starts the jobs. Every replica wakes up on time; the one that gets the lock does the work, the others do nothing. A
 * transaction holds the lock, so that the lock ends with its holder; the work runs outside it, in its own transactions.
 */
export function startJobs(jobs: readonly Job[], db: Database, log: Log): { stop(): void } {
  const schedules = jobs.map((job) => {
    const { name, pattern } = job;
    const schedule = cron({ name, pattern, timezone: "UTC", protect: true, run: () => runOnce(job, db, log) });
    return new Elysia().use(schedule).store.cron[name];
  });
  return {
    stop: () => {
      for (const schedule of schedules) {
        schedule?.stop();
      }
    },
  };
}

async function runOnce(job: Job, db: Database, log: Log): Promise<void> {
  try {
    if (job.isPerReplica === true) {
      await job.run(db);
      return;
    }
    await db.withTransaction(async (tx) => {
      if (await tryAdvisoryLock(tx, `job:${job.name}`)) {
        await allowIdling(tx, lockedMsMax);
        await job.run(db);
      }
    });
  } catch (error) {
    log.warn("jobs.failed", { job: job.name, error });
  }
}
