import type { StoredGroup } from "./group-record.ts";
import {
  type EncodedEntry,
  entryText,
  parseEntry,
  type QuarantinedEntry,
  type RowCodecs,
  type SpoolBatch,
} from "./model.ts";
import { isDiskFailure, type SpoolStore } from "./spool-store.ts";

/** A batch together with what is needed to remove it. */
export type TakenBatch<Rows> = SpoolBatch<Rows> & {
  readonly upToId: number;
  readonly entryCount: number;
  readonly bytes: number;
  /** Lines that could not be read as entries. */
  readonly unreadable: readonly QuarantinedEntry<Rows>[];
};

type CachedGroup<Rows> = {
  readonly id: number;
  readonly bytes: number;
  readonly entries: readonly EncodedEntry<Rows>[];
};

/** The number of groups that are read from the disk at once; a group holds at most a batch. */
const groupsPerRead = 16;

/**
 * The entries that are recorded and not yet committed, oldest first. Everything is on disk; the newest entries are kept
 * in memory as well, as long as they are consecutive, so that in the steady state nothing is read or parsed again.
 */
export class Backlog<Rows> {
  readonly #store: SpoolStore;
  readonly #codecs: RowCodecs<Rows>;
  readonly #cachedEntriesMax: number;
  readonly #firstLiveId: number;
  #cache: CachedGroup<Rows>[] = [];
  #cachedEntries = 0;
  #nextId: number;
  #lastId: number;
  #entries: number;
  #bytes: number;
  #quarantined: number;
  #removalError: unknown = null;

  constructor(store: SpoolStore, codecs: RowCodecs<Rows>, cachedEntriesMax: number) {
    this.#store = store;
    this.#codecs = codecs;
    this.#cachedEntriesMax = cachedEntriesMax;
    const totals = store.totals();
    this.#nextId = totals.firstId;
    this.#lastId = totals.lastId;
    this.#firstLiveId = totals.lastId + 1;
    this.#entries = totals.entries;
    this.#bytes = totals.bytes + totals.quarantinedBytes;
    this.#quarantined = totals.quarantined;
  }

  get entries(): number {
    return this.#entries;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get quarantined(): number {
    return this.#quarantined;
  }

  /** The error that keeps committed entries on the disk, or null when there are none. */
  get removalError(): unknown {
    return this.#removalError;
  }

  /** When the oldest entry was recorded, or null when there is none. */
  oldestAtMs(): number | null {
    return this.#entries === 0 ? null : this.#store.atMs(this.#nextId);
  }

  /** Whether everything that was on disk at the start is committed. */
  get isReplayed(): boolean {
    return this.#nextId >= this.#firstLiveId;
  }

  /**
   * Writes entries to the disk as one group. `body` contains their texts, one per line.
   * @throws SQLiteError
   */
  record(entries: readonly EncodedEntry<Rows>[], body: string, atMs: number): void {
    const id = this.#lastId + 1;
    const bytes = Buffer.byteLength(body);
    this.#store.insert({ id, count: entries.length, bytes, body }, atMs);
    this.#lastId = id;
    this.#entries += entries.length;
    this.#bytes += bytes;
    const last = this.#cache.at(-1);
    if (this.#cachedEntries < this.#cachedEntriesMax && (last === undefined || last.id === id - 1)) {
      this.#cache.push({ id, bytes, entries });
      this.#cachedEntries += entries.length;
    }
  }

  /** The oldest entries in whole groups: at most `entriesMax`, or one group. Null when there are none. */
  take(entriesMax: number): TakenBatch<Rows> | null {
    if (this.#nextId > this.#lastId) {
      return null;
    }
    return this.#cache[0]?.id === this.#nextId ? this.#takeCached(entriesMax) : this.#takeStored(entriesMax);
  }

  /**
   * The oldest group as rows that can't be read. Its file is kept under another name when it is done with; what is put
   * aside says where. It must not be read as rows later: bytes that are not what was written may look like some.
   */
  giveUpFirst(error: unknown): TakenBatch<Rows> {
    const { id, count, bytes, movedTo } = this.#store.keepFileOf(this.#nextId);
    const unreadable = Array.from({ length: count }, (_, index) => ({
      entry: null,
      text: `row ${index + 1} of ${count} of group ${id}, which could not be read; see ${movedTo}`,
      error,
    }));
    const isReplay = this.#nextId < this.#firstLiveId;
    return { entries: [], upToId: id, entryCount: count, bytes, unreadable, isReplay, isRetry: isReplay };
  }

  /**
   * Removes a batch that was committed, and puts aside rows that can't be. If no row is put aside, a full disk blocks
   * nobody: entries that can't be removed now are removed with a later batch, or committed again by a later process.
   * @throws SQLiteError
   */
  complete(batch: TakenBatch<Rows>, rejected: readonly QuarantinedEntry<Rows>[], atMs: number): void {
    const lines = rejected.map(({ text, error }) => ({ text, reason: String(error) }));
    try {
      this.#store.complete(batch.upToId, lines, atMs);
      this.#removalError = null;
    } catch (error) {
      if (lines.length > 0 || !isDiskFailure(error)) {
        throw error;
      }
      this.#removalError = error;
    }
    this.#nextId = batch.upToId + 1;
    this.#entries -= batch.entryCount;
    this.#bytes -= batch.bytes;
    this.#quarantined += lines.length;
    for (const { text } of lines) {
      this.#bytes += Buffer.byteLength(text);
    }
    this.#dropUpTo(batch.upToId);
  }

  /**
   * Shrinks the files to their content. If even the removal of committed entries finds no room, and there are no
   * others, the files are recreated.
   * @throws SQLiteError, SlotTakenError
   */
  shrink(atMs: number): void {
    if (this.#entries > 0) {
      return;
    }
    try {
      this.#store.complete(this.#nextId - 1, [], atMs);
      this.#store.shrink();
    } catch (error) {
      if (this.#quarantined > 0 || !isDiskFailure(error)) {
        throw error;
      }
      if (!this.#store.recreate()) {
        return;
      }
    }
    this.#removalError = null;
  }

  /** The entry with its text, which is put aside. */
  reject(entry: EncodedEntry<Rows>, error: unknown): QuarantinedEntry<Rows> {
    return { entry, text: entryText(entry), error };
  }

  #takeCached(entriesMax: number): TakenBatch<Rows> {
    const entries: EncodedEntry<Rows>[] = [];
    let bytes = 0;
    let upToId = this.#nextId - 1;
    for (const group of this.#cache) {
      if (entries.length > 0 && entries.length + group.entries.length > entriesMax) {
        break;
      }
      for (const entry of group.entries) {
        entries.push(entry);
      }
      bytes += group.bytes;
      upToId = group.id;
    }
    return { entries, upToId, entryCount: entries.length, bytes, unreadable: [], isReplay: false, isRetry: false };
  }

  #takeStored(entriesMax: number): TakenBatch<Rows> {
    const isReplay = this.#nextId < this.#firstLiveId;
    const endId = isReplay ? this.#firstLiveId : (this.#cache[0]?.id ?? this.#lastId + 1);
    const groups = this.#readGroups(endId, entriesMax);
    const entries: EncodedEntry<Rows>[] = [];
    const unreadable: QuarantinedEntry<Rows>[] = [];
    let [bytes, entryCount, upToId] = [0, 0, endId - 1];
    for (const group of groups) {
      for (const text of group.body.split("\n")) {
        try {
          entries.push(parseEntry(this.#codecs, text));
        } catch (error) {
          unreadable.push({ entry: null, text, error });
        }
      }
      bytes += group.bytes;
      entryCount += group.count;
      upToId = group.id;
    }
    return { entries, upToId, entryCount, bytes, unreadable, isReplay, isRetry: isReplay };
  }

  #readGroups(endId: number, entriesMax: number): StoredGroup[] {
    const taken: StoredGroup[] = [];
    let count = 0;
    for (let fromId = this.#nextId; ; ) {
      const groups = this.#store.read(fromId, endId, groupsPerRead);
      for (const group of groups) {
        if (taken.length > 0 && count + group.count > entriesMax) {
          return taken;
        }
        taken.push(group);
        count += group.count;
        fromId = group.id + 1;
      }
      if (groups.length < groupsPerRead) {
        return taken;
      }
    }
  }

  #dropUpTo(id: number): void {
    let count = 0;
    for (const group of this.#cache) {
      if (group.id > id) {
        break;
      }
      count += 1;
      this.#cachedEntries -= group.entries.length;
    }
    this.#cache = count === this.#cache.length ? [] : this.#cache.slice(count);
  }
}
