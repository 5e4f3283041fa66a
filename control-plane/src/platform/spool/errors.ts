/** Nothing can be recorded: the disk is full, the backlog is over its limit, or the spool is closed. */
export class StorageUnavailableError extends Error {
  override readonly name = "StorageUnavailableError";
  /** The error code for the caller's response. */
  readonly code = "storage_unavailable";
}

/** Another live process holds the slot. */
export class SlotTakenError extends Error {
  override readonly name = "SlotTakenError";
}
