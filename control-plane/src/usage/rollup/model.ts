import type { ShardStep, ShardsOutcome } from "../shards.ts";

/** What one transaction added to the sums. */
export type RollupStep = {
  /** `busy`: another process is adding, and nothing was done; `more`: there is more to add. */
  readonly outcome: ShardStep;
  readonly rowsAdded: bigint;
};

export type RollupRun = { readonly outcome: ShardsOutcome; readonly rowsAdded: bigint };

/** A sum that differs from the log. */
export type RollupFault = {
  readonly slice: string;
  readonly starts_at: Date;
  readonly subject: string;
  readonly detail: string;
};
