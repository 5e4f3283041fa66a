/** Nothing can be recorded: the disk is full, the backlog is over its limit, or the spool is closed. */
export class StorageUnavailableError extends Error {
  override readonly name = "StorageUnavailableError";
  /** The error code for the caller's response. */
  readonly code = "storage_unavailable";
}

/** Nothing was tried, so that nothing is known of the rows. */
export class NotTriedError extends Error {
  override readonly name = "NotTriedError";
}

/** What was at work on the rows has ended, by their fault or not; whether they are committed is unknown. */
export class WorkerLostError extends Error {
  override readonly name = "WorkerLostError";
}

/** Another live process holds the slot. */
export class SlotTakenError extends Error {
  override readonly name = "SlotTakenError";
}
