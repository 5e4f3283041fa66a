/** Nothing can be recorded: the disk is full, the backlog is over its limit, or the spool is closed. */
export class StorageUnavailableError extends Error {
  override readonly name = "StorageUnavailableError";
  /** The code of the answer that a caller should give. */
  readonly code = "storage_unavailable";
}

/** Another living process holds the slot. */
export class SlotTakenError extends Error {
  override readonly name = "SlotTakenError";
}
