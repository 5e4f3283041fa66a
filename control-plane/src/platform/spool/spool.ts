import type { ReplicaId } from "@sluice/contracts/ids";
import { turn } from "@sluice/http-client/turn";
import { Backlog, type BacklogBounds } from "./backlog.ts";
import { Drain, type DrainOptions } from "./drain.ts";
import { StorageUnavailableError } from "./errors.ts";
import { JsonBytes } from "./json-bytes.ts";
import {
  type EncodedEntry,
  type JoinedRows,
  parseLine,
  type RowCodecs,
  RowCollector,
  type RowForms,
  type RowSummaries,
  type RowWaiter,
  type SpoolDepth,
  type SpoolEntry,
  type SpoolWarning,
} from "./model.ts";
import { claimSlot, leaveSlot, type Slot, takeFreeSlot } from "./slot.ts";
import { WriteHealth } from "./write-health.ts";

export type SpoolOptions<Rows, Summary = null> = {
  /** The folder that contains one numbered folder for each process; it must be on a local disk. */
  readonly directory: string;
  readonly codecs: RowCodecs<Rows>;
  /** Without it, each row has a line of its own. */
  readonly joined?: JoinedRows<Rows>;
  /** Without it, batches have no summary. */
  readonly summaries?: RowSummaries<Rows, Summary>;
  readonly onWarning: (warning: SpoolWarning) => void;
  /** The size of the backlog above which rows are refused; by default 1 GiB. */
  readonly bytesMax?: number;
  /** The size of the reserve; by default 64 MiB. */
  readonly reserveBytes?: number;
} & Partial<BacklogBounds>;

const bytesMaxDefault = 1024 ** 3;
const reserveBytesDefault = 64 * 1024 ** 2;
const boundsDefault: BacklogBounds = { cachedEntriesMax: 12_000, summaryWeightMax: 200_000 };
/**
 * The number of rows per tick of the event loop that share a group; more rows make a second group. It must not exceed a
 * usual batch.
 */
const groupEntriesMax = 128;
/** The delay of the flush, and so how much a power cut can lose. A mere crash of the process loses nothing. */
const syncDelayMs = 50;
/** New work is refused from this share of the limit on, before the rows of running work are. */
const backlogFullShare = 0.9;
const backlogRelievedShare = 0.8;

type Group<Rows, Summary> = {
  readonly rows: RowCollector<Rows, Summary>;
  readonly waiters: RowWaiter[];
};

const noSummaries: RowSummaries<unknown, null> = { begin: () => null, add: () => undefined, merge: () => undefined };

/**
 * Opens a spool in the first folder that no live process holds. Entries that an earlier process left in it are the
 * first that `drain` commits.
 * @throws Error when the folder can't be written
 */
export async function openSpool<Rows, Summary = null>(
  options: SpoolOptions<Rows, Summary>,
): Promise<Spool<Rows, Summary>> {
  const { directory, onWarning, reserveBytes = reserveBytesDefault } = options;
  const spool = new Spool(takeFreeSlot({ directory, onWarning, reserveBytes }), options);
  await spool.prepare();
  return spool;
}

/**
 * A durable queue on local disk: a row survives the death of the process once `append` resolves, and is removed from
 * the disk when it was committed elsewhere. Rows of one tick of the event loop share one write.
 */
export class Spool<Rows, Summary = null> {
  readonly replicaId: ReplicaId;
  readonly slotNumber: number;
  /** Resolves when everything that was on disk at the start is committed. */
  readonly replayed: Promise<void>;
  readonly #slot: Slot;
  readonly #forms: RowForms<Rows, Summary>;
  readonly #onWarning: SpoolOptions<Rows, Summary>["onWarning"];
  readonly #bytesMax: number;
  readonly #backlog: Backlog<Rows, Summary>;
  readonly #health: WriteHealth;
  readonly #hasReplayed = Promise.withResolvers<void>();
  readonly #emptied = new Set<() => void>();
  /** The text of the open group; there is one at a time. */
  readonly #bytes = new JsonBytes();
  #group: Group<Rows, Summary> | null = null;
  #drain: Drain<Rows, Summary> | null = null;
  #syncTimer: Timer | null = null;
  #isBacklogFull = false;
  #isClosed = false;

  /** Creates the spool of a slot that is already taken; see `openSpool`. */
  constructor(slot: Slot, options: SpoolOptions<Rows, Summary>) {
    this.#slot = slot;
    const { cachedEntriesMax, summaryWeightMax } = { ...boundsDefault, ...options };
    const { codecs, joined, summaries = noSummaries as unknown as RowSummaries<Rows, Summary> } = options;
    this.#forms = { codecs, joined, summaries };
    this.#onWarning = options.onWarning;
    this.#bytesMax = options.bytesMax ?? bytesMaxDefault;
    this.replicaId = slot.replicaId;
    this.slotNumber = slot.number;
    this.replayed = this.#hasReplayed.promise;
    claimSlot(slot);
    slot.store.requeueQuarantined(Date.now());
    this.#backlog = new Backlog(slot.store, this.#forms, { cachedEntriesMax, summaryWeightMax });
    this.#health = new WriteHealth({
      reserve: slot.reserve,
      onWarning: options.onWarning,
      rewindLog: () => slot.store.checkpoint(),
      shrink: () => this.#backlog.shrink(Date.now()),
      probe: () => slot.store.writeMeta("checked_at", new Date().toISOString()),
    });
    this.#noteProgress();
  }

  /** Reserves the disk space. No new work is accepted until that has succeeded. */
  async prepare(): Promise<void> {
    await this.#health.start();
  }

  /** Whether to admit new work, whose rows will come later. */
  get isAccepting(): boolean {
    return !(this.#isClosed || this.#isBacklogFull) && this.#health.isGood;
  }

  /**
   * Records a row. Resolves when it is on disk: neither the death of the process nor an unreachable database can lose
   * it then.
   * @throws StorageUnavailableError when it can't be recorded; RangeError or the like when its codec refuses it
   */
  append(entry: SpoolEntry<Rows>): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      this.appendFor(entry, { onWritten: resolve, onLost: reject });
    });
    // A full disk must not end the process because the caller no longer waits for this promise.
    written.catch(() => undefined);
    return written;
  }

  /** The same without a promise: the waiter hears of it later, of errors too. */
  appendFor(entry: SpoolEntry<Rows>, waiter: RowWaiter): void {
    if (this.#isClosed || this.#backlog.bytes >= this.#bytesMax) {
      const reason = this.#isClosed ? "the spool is closed" : "the backlog has reached its limit";
      this.#tell([waiter], new StorageUnavailableError(reason));
      return;
    }
    let group: Group<Rows, Summary>;
    try {
      group = this.#group ?? this.#newGroup();
      group.rows.add(entry);
    } catch (error) {
      this.#tell([waiter], error);
      return;
    }
    group.waiters.push(waiter);
    if (this.#group === null) {
      this.#open(group);
    }
    if (group.rows.count >= groupEntriesMax) {
      this.#writeGroup();
    }
  }

  depth(): SpoolDepth {
    const oldestAtMs = this.#isClosed ? null : this.#backlog.oldestAtMs();
    return {
      entries: this.#backlog.entries,
      bytes: this.#backlog.bytes,
      oldestAgeMs: oldestAtMs === null ? 0 : Math.max(0, Date.now() - oldestAtMs),
      quarantined: this.#backlog.quarantined,
    };
  }

  /** How many rows that were quarantined are not of this kind, or unreadable; null once the spool is closed. */
  quarantinedBeside(kind: keyof Rows & string): number | null {
    return this.#isClosed ? null : this.#slot.store.countQuarantined(kind);
  }

  /** The rows in quarantine that can be read. */
  readQuarantined(): EncodedEntry<Rows>[] {
    return this.#slot.store.listQuarantined().flatMap((text) => {
      try {
        return parseLine(this.#forms, text);
      } catch {
        // Unreadable lines are left out; they were reported when they were quarantined.
        return [];
      }
    });
  }

  /** Starts the one consumer. */
  drain(options: DrainOptions<Rows, Summary>): void {
    if (this.#drain !== null) {
      throw new Error("the spool has a consumer already");
    }
    this.#drain = new Drain(this.#backlog, options, {
      onProgress: () => this.#noteProgress(),
      onDiskError: (error) => this.#health.onFailure(error),
    });
  }

  /** Ends a pause between attempts: the database is reachable again. */
  wake(): void {
    this.#drain?.wake();
  }

  /** Commits without delay until nothing is left or the time is up. Returns whether nothing is left. */
  async flush(timeoutMs: number): Promise<boolean> {
    this.#writeGroup();
    if (this.#backlog.entries > 0 && this.#drain !== null) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#emptied.add(resolve);
      this.#drain.setHurried(true);
      const timer = setTimeout(resolve, timeoutMs);
      await promise;
      clearTimeout(timer);
      this.#emptied.delete(resolve);
      this.#drain.setHurried(this.#emptied.size > 0);
    }
    return this.#backlog.entries === 0;
  }

  /**
   * Ends after the current commit; what is not committed stays on disk for the next process. `isReleased` says that
   * this replica holds no leases any more, so that nobody has to look after the slot.
   */
  async close(isReleased = false): Promise<void> {
    if (this.#isClosed) {
      return;
    }
    this.#writeGroup();
    this.#isClosed = true;
    clearTimeout(this.#syncTimer ?? undefined);
    await this.#health.close();
    await this.#drain?.stop();
    await leaveSlot(this.#slot, isReleased && this.#backlog.entries === 0);
  }

  #newGroup(): Group<Rows, Summary> {
    return { rows: new RowCollector(this.#forms, this.#bytes), waiters: [] };
  }

  /** The group is written at the end of this turn. */
  #open(group: Group<Rows, Summary>): void {
    this.#group = group;
    turn.atEnd(() => this.#writeGroup());
  }

  #writeGroup(): void {
    const group = this.#group;
    if (group === null) {
      return;
    }
    this.#group = null;
    try {
      this.#record(group.rows);
    } catch (error) {
      this.#tell(
        group.waiters,
        new StorageUnavailableError("the row could not be written to the disk", { cause: error }),
      );
      return;
    }
    this.#tell(group.waiters, null);
    this.#drain?.onRecorded();
    this.#scheduleSync();
    if (!this.#isBacklogFull && this.#backlog.bytes >= this.#bytesMax * backlogFullShare) {
      this.#isBacklogFull = true;
      this.#onWarning({ event: "spool.backlog_full", detail: { ...this.depth() } });
    }
  }

  /** Writes the group. If that fails, it makes room and tries once more. */
  #record({ text, count, summary }: RowCollector<Rows, Summary>): void {
    try {
      this.#backlog.record(text, count, summary, Date.now());
    } catch (error) {
      this.#health.onFailure(error);
      this.#backlog.record(text, count, summary, Date.now());
    }
  }

  /** @param error null if the rows are written */
  #tell(waiters: readonly RowWaiter[], error: unknown): void {
    queueMicrotask(() => {
      for (const waiter of waiters) {
        try {
          if (error === null) {
            waiter.onWritten();
          } else {
            waiter.onLost(error);
          }
        } catch (thrown) {
          // It must not throw, and the others are still told if it does.
          this.#onWarning({ event: "spool.waiter_failed", detail: { error: thrown } });
        }
      }
    });
  }

  #shrink(): void {
    try {
      this.#backlog.shrink(Date.now());
    } catch (error) {
      this.#health.onFailure(error);
    }
  }

  #scheduleSync(): void {
    if (this.#syncTimer === null && !this.#isClosed) {
      this.#syncTimer = setTimeout(() => void this.#sync(), syncDelayMs);
      this.#syncTimer.unref();
    }
  }

  async #sync(): Promise<void> {
    try {
      await this.#slot.store.flush();
      if (this.#health.isGood && !this.#isClosed) {
        this.#slot.store.checkpointIfLong(this.#backlog.bytes);
      }
    } catch (error) {
      this.#health.onFailure(error);
    }
    this.#syncTimer = null;
    if (this.#slot.store.isDirty) {
      this.#scheduleSync();
    }
  }

  #noteProgress(): void {
    if (this.#backlog.removalError !== null) {
      this.#health.onFailure(this.#backlog.removalError);
    }
    if (this.#backlog.isReplayed) {
      this.#hasReplayed.resolve();
    }
    if (this.#backlog.bytes < this.#bytesMax * backlogRelievedShare) {
      this.#isBacklogFull = false;
    }
    if (this.#backlog.entries === 0) {
      if (this.#slot.store.isBloated && this.#health.isGood) {
        this.#shrink();
      }
      for (const resolve of this.#emptied) {
        resolve();
      }
    }
    this.#scheduleSync();
  }
}
