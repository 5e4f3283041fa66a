import { yieldToLoop } from "../slices.ts";
import { type AsideGroup, AsideGroups } from "./aside-groups.ts";
import { UnreadableGroupError } from "./errors.ts";
import type { StoredGroup } from "./group-record.ts";
import { type EncodedEntry, entryText, type QuarantinedEntry, type RowForms, type RowTexts } from "./model.ts";
import { collectInTurns, type ParsedRows, parseInTurns, parseTexts, StoredRows } from "./parse-rows.ts";
import { type SharedText, SharedTexts, TextPieces } from "./shared-texts.ts";
import { isDiskFailure, type SpoolStore } from "./spool-store.ts";
import { type TakenBatch, TakenGroups, type TakeOptions } from "./taken-batch.ts";

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
const noIds: ReadonlySet<number> = new Set();

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
  /** Their ids are below the next one, and nothing from the first of them on is noted as committed. */
  readonly #aside = new AsideGroups();
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

  /** The entries that are not set aside. */
  get takeableEntries(): number {
    return this.#entries - this.#aside.entries;
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
    return this.#entries === 0 ? null : this.#store.atMs(this.#aside.firstBeside(noIds) ?? this.#nextId);
  }

  /** Whether everything that was on disk at the start is committed. */
  get isReplayed(): boolean {
    return Math.min(this.#nextId, this.#aside.firstBeside(noIds) ?? this.#nextId) >= this.#firstLiveId;
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

  /** @throws UnreadableGroupError */
  #readText(group: LiveGroup<Summary>): SharedText {
    group.texts = this.#readTexts;
    return this.#keepText(group, this.#store.readOne(group.id));
  }

  /**
   * The oldest entries in whole groups; null when there are none, or none can be read now. Entries may be recorded meanwhile,
   * but the next batch is taken when this one is complete.
   */
  async take(options: TakeOptions): Promise<TakenBatch<Rows, Summary> | null> {
    const aside = await this.#takeAside(options);
    if (aside !== null || this.#nextId > this.#lastId) {
      return aside;
    }
    const taken = new TakenGroups<Rows>(this.#nextId - 1, options);
    const isLive = this.#live[0]?.id === this.#nextId;
    const batch = await (isLive ? this.#takeLive(taken, options) : this.#takeStored(taken, options));
    return batch.upToId < this.#nextId ? null : batch;
  }

  /** After how many milliseconds a group that is set aside is read again; null when there are none. */
  readAgainInMs(nowTick: number): number | null {
    return this.#aside.dueInMs(nowTick);
  }

  /** A commit has failed, and the thread that was to make it may still read the texts of its batch. */
  onCommitFailed(): void {
    this.#texts.spare();
    this.#readTexts.spare();
  }

  /**
   * Removes a batch that was committed, and quarantines rows that can't be. If no row is quarantined, a full disk blocks
   * nobody: entries that can't be removed now are removed with a later batch, or committed again by a later process.
   * @returns the rows that were not in quarantine
   * @throws SQLiteError
   */
  complete(
    batch: TakenBatch<Rows, Summary>,
    rejected: readonly QuarantinedEntry<Rows>[],
    atMs: number,
  ): QuarantinedEntry<Rows>[] {
    const nextId = Math.max(this.#nextId, batch.upToId + 1);
    let added: QuarantinedEntry<Rows>[] = [];
    try {
      added = this.#store.complete((this.#aside.firstBeside(batch.asideIds) ?? nextId) - 1, rejected, atMs);
      this.#removalError = null;
    } catch (error) {
      if (rejected.length > 0 || !isDiskFailure(error)) {
        throw error;
      }
      this.#removalError = error;
    }
    this.#nextId = nextId;
    this.#aside.remove(batch.asideIds);
    this.#entries -= batch.entryCount;
    this.#bytes -= batch.bytes;
    this.#quarantined += added.length;
    for (const { text } of added) {
      this.#bytes += Buffer.byteLength(text);
    }
    this.#dropUpTo(nextId - 1);
    return added;
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

  /** Groups that were set aside and whose time has come; null when none of them ends now. */
  async #takeAside(options: TakeOptions): Promise<TakenBatch<Rows, Summary> | null> {
    const due = this.#aside.due(options.nowTick);
    const isReplay = (due[0]?.id ?? 0) < this.#firstLiveId;
    const taken = new TakenGroups<Rows>(0, options);
    const rows = new StoredRows(this.#forms);
    for (const group of due) {
      if (group.id < this.#firstLiveId !== isReplay || !taken.hasRoomFor(group)) {
        break;
      }
      try {
        for (const stored of this.#store.read(group.id, group.id + 1, 1)) {
          taken.add(group);
          taken.asideIds.add(group.id);
          taken.unreadable.push(...(await rows.add(stored.body)));
        }
      } catch (error) {
        await this.#onUnreadAgain(group, error, taken, options);
      }
    }
    return taken.asideIds.size === 0 ? null : taken.toBatch(rows.texts, isReplay);
  }

  /** It is read again later, or given up. */
  async #onUnreadAgain(
    group: AsideGroup,
    thrown: unknown,
    taken: TakenGroups<Rows>,
    options: TakeOptions,
  ): Promise<void> {
    const error = unreadable(thrown);
    const delayMs = error.isDamaged ? null : this.#aside.postpone(group, options.nowTick);
    if (delayMs === null) {
      taken.giveUp(error, this.#store.keepFileOf(group.id));
      taken.asideIds.add(group.id);
    } else {
      options.onUnreadable(error, group.reads + 1, delayMs);
      await yieldToLoop();
    }
  }

  /** Groups one after the other. */
  async #takeLive(taken: TakenGroups<Rows>, options: TakeOptions): Promise<TakenBatch<Rows, Summary>> {
    const { summaries } = this.#forms;
    const pieces = new TextPieces();
    const summary = summaries.begin();
    let count = 0;
    for (const group of this.#live) {
      if (group.id !== taken.upToId + 1 || !taken.hasRoomFor(group, group.text !== null)) {
        break;
      }
      let text: SharedText;
      try {
        text = group.text ?? this.#readText(group);
      } catch (error) {
        if (await this.#passOver(error, taken, options)) {
          continue;
        }
        break;
      }
      pieces.add(text);
      summaries.merge(summary, group.summary);
      count += group.count;
      taken.add({ id: group.id, count: group.count, bytes: text.end - text.start });
    }
    return taken.toBatch({ texts: pieces.end(), count, summary }, false);
  }

  /** The rows are encoded again, because their texts may be of an older version. */
  async #takeStored(taken: TakenGroups<Rows>, options: TakeOptions): Promise<TakenBatch<Rows, Summary>> {
    const isReplay = this.#nextId < this.#firstLiveId;
    const endId = isReplay ? this.#firstLiveId : (this.#live[0]?.id ?? this.#lastId + 1);
    const rows = new StoredRows(this.#forms);
    for (let isMore = true; isMore; ) {
      let groups: StoredGroup[];
      try {
        groups = this.#store.read(taken.upToId + 1, endId, groupsPerRead);
      } catch (error) {
        isMore = await this.#passOver(error, taken, options);
        continue;
      }
      if (groups.length === 0) {
        taken.upToId = endId - 1;
        break;
      }
      for (const { id, count, body } of groups) {
        if (!taken.hasRoomFor({ count })) {
          isMore = false;
          break;
        }
        taken.add({ id, count, bytes: body.length });
        taken.unreadable.push(...(await rows.add(body)));
      }
    }
    return taken.toBatch(rows.texts, isReplay);
  }

  /**
   * The next group of a batch can't be read: it is given up if it is damaged, and set aside if the disk may give it back
   * later.
   * @returns whether the batch goes on after it
   */
  async #passOver(thrown: unknown, taken: TakenGroups<Rows>, options: TakeOptions): Promise<boolean> {
    const error = unreadable(thrown);
    const { group } = error;
    if (error.isDamaged) {
      const hasRoom = taken.hasRoomFor(group);
      if (hasRoom) {
        taken.giveUp(error, this.#store.keepFileOf(group.id));
      }
      return hasRoom;
    }
    if (this.#aside.isFull) {
      return false;
    }
    options.onUnreadable(error, 1, this.#aside.add(group, options.nowTick));
    taken.upToId = group.id;
    await yieldToLoop();
    return true;
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

/** @throws what was thrown, if it is not about a group */
function unreadable(thrown: unknown): UnreadableGroupError {
  if (thrown instanceof UnreadableGroupError) {
    return thrown;
  }
  throw thrown;
}
