import type { Quota } from "@sluice/contracts/money";
import type { ShardStep, ShardsOutcome } from "../shards.ts";

/** What one transaction of the settlement did. */
export type SettlementStep = {
  /** `busy`: another process holds the checkpoint and nothing was done; `more`: there may be more rows to settle. */
  readonly outcome: ShardStep;
  readonly rowsSettled: number;
  readonly baseQuota: Quota;
  readonly settledQuota: Quota;
  /** Invalid rows that were quarantined. */
  readonly rowsQuarantined: number;
  /** Number of the transaction up to which the log of the shard is settled; null when busy. */
  readonly checkpoint: string | null;
};

export type SettlementRun = {
  readonly outcome: ShardsOutcome;
  readonly batches: number;
  readonly rowsSettled: number;
  readonly baseQuota: bigint;
  readonly settledQuota: bigint;
  readonly rowsQuarantined: number;
  /** The highest of the shards; null when all are busy. */
  readonly checkpoint: string | null;
};

export type SettlementLag = {
  /** How long the next row to settle has waited; 0 when no row waits. */
  readonly seconds: number;
  /** Rows in the quarantine that are still not settled. */
  readonly rowsQuarantined: number;
};

export const nothingSettled: SettlementRun = {
  outcome: "caught_up",
  batches: 0,
  rowsSettled: 0,
  baseQuota: 0n,
  settledQuota: 0n,
  rowsQuarantined: 0,
  checkpoint: null,
};

/** What a run has done, after one more step. */
export function addStep(run: SettlementRun, step: SettlementStep): SettlementRun {
  return {
    outcome: run.outcome,
    batches: run.batches + (step.rowsSettled > 0 ? 1 : 0),
    rowsSettled: run.rowsSettled + step.rowsSettled,
    baseQuota: run.baseQuota + step.baseQuota,
    settledQuota: run.settledQuota + step.settledQuota,
    rowsQuarantined: run.rowsQuarantined + step.rowsQuarantined,
    checkpoint: laterOf(run.checkpoint, step.checkpoint),
  };
}

function laterOf(one: string | null, other: string | null): string | null {
  return one === null || (other !== null && BigInt(other) > BigInt(one)) ? other : one;
}
