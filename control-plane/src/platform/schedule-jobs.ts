import { cron } from "@elysiajs/cron";
import type { Elysia } from "elysia";
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
  const inTurn = openTurns();
  const app = new ScheduleStore();
  for (const job of jobs) {
    const { name, pattern } = job;
    const schedule = cron({ name, pattern, utcOffset: 0, protect: true, run: () => runOnce(job, db, log, inTurn) });
    schedule(app as unknown as Elysia);
  }
  return {
    stop: () => {
      for (const schedule of Object.values(app.singleton.store.cron)) {
        schedule.stop();
      }
    },
  };
}

type Schedules = { readonly cron: Readonly<Record<string, { stop(): void }>> };

/** All that the plugin uses of an app. A real app would load the framework, which takes 7 MB. */
class ScheduleStore {
  readonly singleton: { store: Schedules } = { store: { cron: {} } };

  state(change: (store: Schedules) => Schedules): this {
    this.singleton.store = change(this.singleton.store);
    return this;
  }
}

/** Ends a turn; calling it again does nothing. */
type Leave = () => void;

/**
 * Jobs of the same second ask for their locks one after the other, so that a process which gets none needs one connection
 * for it.
 */
function openTurns(): () => Promise<Leave> {
  let last = Promise.resolve();
  return async () => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    return resolve;
  };
}

async function runOnce(job: Job, db: Database, log: Log, inTurn: () => Promise<Leave>): Promise<void> {
  let leave: Leave = () => undefined;
  try {
    if (job.isPerReplica === true) {
      await job.run(db);
      return;
    }
    leave = await inTurn();
    await db.withTransaction(async (tx) => {
      const isOurs = await tryAdvisoryLock(tx, `job:${job.name}`);
      leave();
      if (isOurs) {
        await allowIdling(tx, lockedMsMax);
        await job.run(db);
      }
    });
  } catch (error) {
    log.warn("jobs.failed", { job: job.name, error });
  } finally {
    leave();
  }
}
