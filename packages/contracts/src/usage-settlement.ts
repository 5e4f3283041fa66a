import { z } from "zod";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireInteger } from "./wire.ts";

/** `reconcile`: read the whole usage log again instead of continuing where the last run ended. */
export const settleUsageInput = strictObject(() => ({ reconcile: z.boolean().default(false) }));

/** The work of one run of the usage settlement. Amounts are quota. */
const settlementRun = strictObject(() => ({
  rows_settled: z.int(),
  base_quota: wireInteger,
  settled_quota: wireInteger,
  /** What the multipliers added; negative when they refunded more. */
  quota_delta: wireInteger,
  /** Rows that were quarantined for a person to look at. */
  rows_quarantined: z.int(),
  batches: z.int(),
  /**
   * The highest number of a writing transaction up to which the usage log of some users is settled. Null when other
   * runs have all checkpoints.
   */
  checkpoint: z.string().nullable(),
  /** `caught_up`; `busy`: another run is in progress for some users; `unfinished`: there is more, and the next run continues. */
  outcome: z.enum(["caught_up", "busy", "unfinished"]),
  /** How long the oldest unsettled row has waited; 0 when no row waits. */
  lag_seconds: z.int(),
}));
export type SettlementResponse = Unsent<z.output<typeof settlementRun>>;
export const settleUsageResponse = strictObject(() => ({ settlement: settlementRun }));
