import { z } from "zod";

/** `reconcile`: look at the whole usage log again instead of going on where the last run ended. */
export const settleUsageInput = z.strictObject({ reconcile: z.boolean().default(false) });

/** What one run of the usage settlement did. Amounts are quota. */
export type SettlementAnswer = {
  readonly rows_settled: number;
  readonly base_quota: bigint;
  readonly settled_quota: bigint;
  /** What the multipliers added; negative when they gave more back. */
  readonly quota_delta: bigint;
  /** Rows that were put aside for a person to look at. */
  readonly rows_quarantined: number;
  readonly batches: number;
  /** How far the usage log is settled: the number of the writing transaction. Null when another run has the checkpoint. */
  readonly checkpoint: string | null;
  /** `caught_up`; `busy`: another run is at it; `unfinished`: there is more, and the next run goes on. */
  readonly outcome: "caught_up" | "busy" | "unfinished";
  /** How long the oldest row waits that is still not settled; 0 when there is none. */
  readonly lag_seconds: number;
};
