/** What one transaction added to the sums. */
export type RollupStep = {
  /** `busy`: somebody else adds just now, and nothing was done; `more`: there is more to add. */
  readonly outcome: "busy" | "more" | "done";
  readonly rowsAdded: bigint;
};

export type RollupRun = { readonly outcome: "caught_up" | "busy" | "unfinished"; readonly rowsAdded: bigint };

/** A sum that is not what the log says. */
export type RollupFault = {
  readonly slice: string;
  readonly starts_at: Date;
  readonly subject: string;
  readonly detail: string;
};
