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

/** A group of the log can't be read. */
export class UnreadableGroupError extends Error {
  override readonly name = "UnreadableGroupError";
  readonly group: { readonly id: number; readonly count: number; readonly bytes: number };
  /** Whether what is on the disk is not what was written, so that reading it again is pointless. */
  readonly isDamaged: boolean;

  /** @param cause the error of the file system, if there was one: it may pass */
  constructor(path: string, { id, count, bytes }: UnreadableGroupError["group"], cause?: unknown) {
    super(`a group of ${path} can't be read`, { cause });
    this.group = { id, count, bytes };
    this.isDamaged = cause === undefined;
  }
}
