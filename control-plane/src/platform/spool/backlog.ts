import type { StoredGroup } from "./group-record.ts";
import {
  type EncodedEntry,
  entryText,
  type QuarantinedEntry,
  RowCollector,
  type RowForms,
  type RowTexts,
  type SpoolBatch,
} from "./model.ts";
import { collectInTurns, type ParsedRows, parseInTurns, parseTexts, RowTurns, toRowTexts } from "./parse-rows.ts";
import { type SharedText, SharedTexts, TextPieces } from "./shared-texts.ts";
import { isDiskFailure, type SpoolStore } from "./spool-store.ts";

/** A batch together with what is needed to remove it. */
export type TakenBatch<Rows, Summary> = Pick<SpoolBatch<Rows, Summary>, "isReplay" | "isRetry"> & {
  readonly rows: RowTexts<Summary>;
  readonly upToId: number;
  readonly entryCount: number;
  readonly bytes: number;
  /** Lines that could not be read as entries. */
  readonly unreadable: readonly QuarantinedEntry<Rows>[];
};

/** A group that this process has recorded, which is therefore not parsed again. */
type LiveGroup<Summary> = {
  readonly id: number;
  readonly count: number;
  readonly summary: Summary;
  /** Null while only the disk has it. */
  text: SharedText | null;
  /** Where the text is kept. */
  texts: SharedTexts;
};

/** What is kept in memory besides the disk. */
export type BacklogBounds = {
  /** Rows whose texts are kept. */
  readonly cachedEntriesMax: number;
  /** What the summaries may weigh: a row weighs 1, its group `groupWeight` more. */
  readonly summaryWeightMax: number;
};

/** The number of groups that are read from the disk at once; a group holds at most a batch. */
const groupsPerRead = 16;
/** An empty summary takes as much memory as this many rows of different payers add to one. */
const groupWeight = 10;

/**
 * The entries that are recorded and not yet committed, oldest first. All are on disk. Memory has the summaries of those that
 * this process recorded, and the texts of some: in the steady state nothing is read, and texts that only the disk has are copied
 * unparsed. What is beyond the bounds is parsed.
 */
export class Backlog<Rows, Summary> {
  readonly #store: SpoolStore;
  readonly #forms: RowForms<Rows, Summary>;
  readonly #bounds: BacklogBounds;
  readonly #firstLiveId: number;
  /** Texts of rows as they are recorded. */
  readonly #texts = new SharedTexts();
  /** Texts that were read for a batch. In blocks with texts that wait, they would keep a block of each batch from reuse. */
  readonly #readTexts = new SharedTexts();
  /** By rising id, with gaps where summaries are not kept. */
  #live: LiveGroup<Summary>[] = [];
  #cachedEntries = 0;
  #summaryWeight = 0;
  #nextId: number;
  #lastId: number;
  #entries: number;
  #bytes: number;
  #quarantined: number;
  #removalError: unknown = null;

  constructor(store: SpoolStore, forms: RowForms<Rows, Summary>, bounds: BacklogBounds) {
    this.#store = store;
    this.#forms = forms;
    this.#bounds = bounds;
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
   * Writes entries to the disk as one group. `text` contains them, one per line; it is copied.
   * @throws SQLiteError
   */
  record(text: Uint8Array, count: number, summary: Summary, atMs: number): void {
    const id = this.#lastId + 1;
    this.#store.insert({ id, count, body: text }, atMs);
    this.#lastId = id;
    this.#entries += count;
    this.#bytes += text.length;
    if (this.#summaryWeight < this.#bounds.summaryWeightMax) {
      const group: LiveGroup<Summary> = { id, count, summary, text: null, texts: this.#texts };
      if (this.#cachedEntries < this.#bounds.cachedEntriesMax) {
        this.#keepText(group, text);
      }
      this.#live.push(group);
      this.#summaryWeight += groupWeight + count;
    }
  }

  #keepText(group: LiveGroup<Summary>, text: Uint8Array): SharedText {
    const kept = group.texts.keep(text);
    group.text = kept;
    this.#cachedEntries += group.count;
    return kept;
  }

  /** @throws Error when it can't be read */
  #readText(group: LiveGroup<Summary>): SharedText {
    group.texts = this.#readTexts;
    return this.#keepText(group, this.#store.readOne(group.id));
  }

  /**
   * The oldest entries in whole groups: at most `entriesMax`, or one group. Null when there are none. Entries may be recorded
   * meanwhile, but the next batch is taken when this one is complete.
   */
  async take(entriesMax: number): Promise<TakenBatch<Rows, Summary> | null> {
    if (this.#nextId > this.#lastId) {
      return null;
    }
    return this.#live[0]?.id === this.#nextId ? this.#takeLive(entriesMax) : await this.#takeStored(entriesMax);
  }

  /**
   * The oldest group as rows that can't be read. Its file is kept under another name when it is done with; what is put
   * aside says where. It must not be read as rows later: bytes that are not what was written may look like some.
   */
  giveUpFirst(error: unknown): TakenBatch<Rows, Summary> {
    const { id, count, bytes, movedTo } = this.#store.keepFileOf(this.#nextId);
    const unreadable = Array.from({ length: count }, (_, index) => ({
      entry: null,
      text: `row ${index + 1} of ${count} of group ${id}, which could not be read; see ${movedTo}`,
      error,
    }));
    const isReplay = this.#nextId < this.#firstLiveId;
    const rows = toRowTexts(new RowCollector(this.#forms));
    return { rows, upToId: id, entryCount: count, bytes, unreadable, isReplay, isRetry: isReplay };
  }

  /** A commit has failed, and the thread that was to make it may still read the texts of its batch. */
  onCommitFailed(): void {
    this.#texts.spare();
    this.#readTexts.spare();
  }

  /**
   * Removes a batch that was committed, and quarantines rows that can't be. If no row is quarantined, a full disk blocks
   * nobody: entries that can't be removed now are removed with a later batch, or committed again by a later process.
   * @throws SQLiteError
   */
  complete(batch: TakenBatch<Rows, Summary>, rejected: readonly QuarantinedEntry<Rows>[], atMs: number): void {
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

  /** The entry with its text, which is quarantined. */
  reject(entry: EncodedEntry<Rows>, error: unknown): QuarantinedEntry<Rows> {
    return { entry, text: entryText(entry), error };
  }

  /** The rows of some texts, at once. */
  parse(texts: Iterable<Uint8Array>): ParsedRows<Rows> {
    return parseTexts(this.#forms, texts);
  }

  /** The same, over several turns of the event loop. */
  parseInTurns(texts: Iterable<Uint8Array>): Promise<ParsedRows<Rows>> {
    return parseInTurns(this.#forms, texts);
  }

  /** Entries as one text, with the summary of them alone, over several turns of the event loop. */
  collectInTurns(entries: readonly EncodedEntry<Rows>[]): Promise<RowTexts<Summary>> {
    return collectInTurns(this.#forms, entries);
  }

  /** Groups one after the other, up to the first that can't be read. @throws Error when already the first one can't be read */
  #takeLive(entriesMax: number): TakenBatch<Rows, Summary> {
    const { summaries } = this.#forms;
    const pieces = new TextPieces();
    const summary = summaries.begin();
    let [count, bytes, upToId] = [0, 0, this.#nextId - 1];
    for (const group of this.#live) {
      if (group.id !== upToId + 1 || (count > 0 && count + group.count > entriesMax)) {
        break;
      }
      let text: SharedText;
      try {
        text = group.text ?? this.#readText(group);
      } catch (error) {
        if (count === 0) {
          throw error;
        }
        break;
      }
      pieces.add(text);
      summaries.merge(summary, group.summary);
      count += group.count;
      bytes += text.end - text.start;
      upToId = group.id;
    }
    const rows = { texts: pieces.end(), count, summary };
    return { rows, upToId, entryCount: count, bytes, unreadable: [], isReplay: false, isRetry: false };
  }

  /** The rows are encoded again, because their texts may be of an older version. */
  async #takeStored(entriesMax: number): Promise<TakenBatch<Rows, Summary>> {
    const isReplay = this.#nextId < this.#firstLiveId;
    const endId = isReplay ? this.#firstLiveId : (this.#live[0]?.id ?? this.#lastId + 1);
    const collector = new RowCollector(this.#forms);
    const turns = new RowTurns();
    const unreadable: QuarantinedEntry<Rows>[] = [];
    let [bytes, entryCount, upToId] = [0, 0, endId - 1];
    for (const { id, count, body } of this.#readGroups(endId, entriesMax)) {
      const parsed = await parseInTurns(this.#forms, [body], turns);
      for (const entry of parsed.entries) {
        collector.addEncoded(entry);
      }
      unreadable.push(...parsed.unreadable);
      bytes += body.length;
      entryCount += count;
      upToId = id;
    }
    return { rows: toRowTexts(collector), upToId, entryCount, bytes, unreadable, isReplay, isRetry: isReplay };
  }

  /** Up to the first that can't be read. @throws Error when already the first one can't be read */
  #readGroups(endId: number, entriesMax: number): StoredGroup[] {
    const taken: StoredGroup[] = [];
    let count = 0;
    for (let fromId = this.#nextId; ; ) {
      let groups: StoredGroup[];
      try {
        groups = this.#store.read(fromId, endId, groupsPerRead);
      } catch (error) {
        if (taken.length === 0) {
          throw error;
        }
        return taken;
      }
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
    let groups = 0;
    for (const { id: groupId, count, text, texts } of this.#live) {
      if (groupId > id) {
        break;
      }
      groups += 1;
      this.#summaryWeight -= groupWeight + count;
      if (text !== null) {
        this.#cachedEntries -= count;
        texts.release(text);
      }
    }
    this.#live = groups === this.#live.length ? [] : this.#live.slice(groups);
  }
}
