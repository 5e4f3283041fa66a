import type { Registry } from "prom-client";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db.ts";
import type { Log } from "../../platform/log.ts";
import { counter, gauge } from "../../platform/metric.ts";
import { workOnShards } from "../shards.ts";
import { addStep, nothingSettled, type SettlementLag, type SettlementRun, type SettlementStep } from "./model.ts";
import { readSettlementLag, settleNextRows } from "./settlement-store.ts";

export type UsageSettlementDeps = {
  readonly db: Database;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly registry: Registry;
};

type RunOptions = { readonly isReconciled?: boolean; readonly stopping?: AbortSignal | null };

/** Rows per transaction: it holds the locks on budgets for a few milliseconds. */
const rowsOfStep = 500;
/**
 * Rows per transaction during a backlog: if each row has a different user, larger steps are more than twice as fast.
 */
const rowsOfBacklogStep = 2_000;
const runMsMax = 25_000;
const lagAlarmSeconds = 300;

/**
 * Applies its user's multiplier to every row of the usage log: exactly once for each row, whatever is killed, restored
 * or late, and even if another replica does it at the same time. See `settle_usage` in `db/functions` for how.
 */
export class UsageSettlement {
  readonly #deps: UsageSettlementDeps;
  readonly #countRows: (amount: number) => void;
  #lag: SettlementLag = { seconds: 0, rowsQuarantined: 0 };

  constructor(deps: UsageSettlementDeps) {
    this.#deps = deps;
    const { registry } = deps;
    this.#countRows = counter(registry, "sluice_settlement_rows_total", "Usage rows that were settled here.");
    gauge(registry, "sluice_settlement_lag_seconds", "Age of the oldest unsettled usage row.", () => {
      return this.#lag.seconds;
    });
    gauge(registry, "sluice_settlement_quarantined", "Usage rows that could not be settled.", () => {
      return this.#lag.rowsQuarantined;
    });
  }

  /**
   * Settles until nothing is left, for at most 25 s. What it has done stays done when it fails.
   * @param isReconciled reads the whole log again, and retries the rows of the quarantine
   * @throws SQL.PostgresError, DatabaseUnavailableError, DatabaseTimeoutError
   */
  async run({ isReconciled = false, stopping = null }: RunOptions = {}): Promise<SettlementRun> {
    const { clock } = this.#deps;
    const end = clock.now() + runMsMax;
    let run = nothingSettled;
    const outcome = await workOnShards(
      async (shard, isFirst) => {
        const step = await this.#settleNext(shard, isFirst, isReconciled && isFirst);
        run = addStep(run, step);
        return step.outcome;
      },
      () => stopping?.aborted === true || clock.now() >= end,
    );
    return { ...run, outcome };
  }

  async #settleNext(shard: number, isFirst: boolean, isReconciled: boolean): Promise<SettlementStep> {
    const { db, log } = this.#deps;
    const rowsMax = isFirst ? rowsOfStep : rowsOfBacklogStep;
    const step = await settleNextRows(db, { rowsMax, isReconciled, shard });
    this.#countRows(step.rowsSettled);
    if (step.rowsQuarantined > 0) {
      log.error("settlement.quarantined", { rows: step.rowsQuarantined });
    }
    return step;
  }

  /** Measures how long the oldest unsettled row has waited, for the gauge, and raises the alarm above five minutes. */
  async measureLag(): Promise<SettlementLag> {
    this.#lag = await readSettlementLag(this.#deps.db);
    if (this.#lag.seconds > lagAlarmSeconds) {
      this.#deps.log.error("settlement.lags", { seconds: Math.round(this.#lag.seconds) });
    }
    return this.#lag;
  }

  /** The job of every minute. It continues while there is a backlog. The lag is measured even if a run failed. */
  async runJob(stopping: AbortSignal | null = null): Promise<void> {
    for (let isBehind = true; isBehind && stopping?.aborted !== true; ) {
      try {
        isBehind = (await this.run({ stopping })).outcome === "unfinished";
      } finally {
        await this.measureLag();
      }
    }
  }
}
