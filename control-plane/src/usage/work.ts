import type { Registry } from "prom-client";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/db.ts";
import type { Work } from "../platform/feature.ts";
import type { Log } from "../platform/log.ts";
import { eraseOldLabels } from "./log/erase-labels.ts";
import { type ErrorRule, watchErrors } from "./reports/watch-errors.ts";
import { rollBacklogUp } from "./rollup/roll-up.ts";
import { UsageSettlement } from "./settlement/usage-settlement.ts";

export type UsageWorkDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: Registry;
  /** When the share of failed attempts is reported. */
  readonly errorRule: () => ErrorRule;
  /** For how many days end users and tags are kept. */
  readonly labelDays: () => number;
};

export type UsageWork = Work & { readonly settlement: UsageSettlement };

/** The settlement of calls, their sums, and what watches over them. */
export function usageWork({ db, clock, log, registry, errorRule, labelDays }: UsageWorkDeps): UsageWork {
  // Backlogs are worked on until the process stops; another one continues.
  const stopping = new AbortController();
  const settlement = new UsageSettlement({ db, clock, log, registry });
  return {
    settlement,
    jobs: [
      { name: "usage-labels", pattern: "40 */10 * * * *", run: () => eraseOldLabels(db, log, labelDays()) },
      // The locks of the shards keep concurrent runs apart; each replica measures the lag for its own gauge.
      {
        name: "usage-settlement",
        pattern: "10 * * * * *",
        run: () => settlement.runJob(stopping.signal),
        isPerReplica: true,
      },
      // The sums run after the settlement, whose batches they add up.
      {
        name: "usage-rollup",
        pattern: "15 * * * * *",
        run: (database) => rollBacklogUp(database, clock, stopping.signal),
        isPerReplica: true,
      },
      { name: "watch-errors", pattern: "50 * * * * *", run: () => watchErrors(db, errorRule()) },
    ],
    stop: async () => stopping.abort(),
  };
}
