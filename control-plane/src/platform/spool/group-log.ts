import { closeSync, fdatasyncSync, ftruncateSync, openSync, readdirSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { flushFile, flushFolder, flushFolderNow } from "./flush-files.ts";
import { encodeGroup, encodeNote, headBytes, type StoredGroup } from "./group-record.ts";
import { type DamagedFile, keep, keepDamaged, removeParts } from "./kept-files.ts";
import {
  cutRest,
  fileBytesMax,
  firstFrom,
  fromName,
  type LogFile,
  nameOf,
  newFile,
  type OpenedFile,
  openFile,
  type Placed,
  readGroup,
} from "./log-file.ts";

/** The file that is written over next. */
const spareName = "spare.log";
/** A file that one group made longer than this is not kept to be written over. */
const spareBytesMax = 2 * fileBytesMax;
const scratchBytes = 256 * 1024;

/**
 * The groups of a slot that are not committed yet, in files that are written from their start. A group is in a file once
 * `append` returns: one write, one checksum. What a crash has cut off at the end is dropped, as it was never promised.
 *
 * A file that is done with is written over, because that takes half the time of a file that grows: the disk has its
 * blocks already. What is left of its former content at its end has lower ids, and is all committed.
 */
export class GroupLog {
  readonly #folder: string;
  #files: LogFile[] = [];
  /** Done with, and written over next. */
  #spare: LogFile | null = null;
  #scratch = Buffer.allocUnsafeSlow(scratchBytes);
  #entries = 0;
  #bytes = 0;
  #markedId = 0;
  #lostId = 0;
  /** Whether a file was created since the folder was flushed: without that, a power cut can cost the whole file. */
  #isFolderDirty = false;
  /** Files in which something could not be read. */
  readonly damaged: DamagedFile[] = [];

  /**
   * Reads what earlier processes left.
   * @param committedId groups up to this one are forgotten
   * @throws Error of the file system
   */
  constructor(folder: string, committedId: number) {
    this.#folder = folder;
    removeParts(folder);
    const opened = readdirSync(folder)
      .flatMap((each) => {
        const namedId = fromName(each);
        return namedId === null ? [] : [openFile(join(folder, each), namedId)];
      })
      .sort((left, right) => left.file.firstId - right.file.firstId);
    this.#markedId = Math.max(0, ...opened.map(({ markedId }) => markedId));
    for (const [index, each] of opened.entries()) {
      this.#takeIn(each, opened[index + 1]?.namedId ?? 0, committedId);
    }
    rmSync(join(folder, spareName), { force: true });
    this.removeUpTo(Math.max(committedId, this.#markedId));
    // Only what the SQLite file knows to be committed may be written over; see `endsFile`.
    this.#dropSpare();
  }

  /** Up to which group everything is committed, as far as the files themselves say. */
  get markedId(): number {
    return this.#markedId;
  }

  /** Groups up to this one may be lost, and no other group gets their ids. */
  get lostId(): number {
    return this.#lostId;
  }

  get totals(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#entries, bytes: this.#bytes };
  }

  get firstId(): number | null {
    return this.#files.find(({ groups }) => groups.length > 0)?.groups[0]?.id ?? null;
  }

  get lastId(): number | null {
    return this.#files.findLast(({ groups }) => groups.length > 0)?.groups.at(-1)?.id ?? null;
  }

  get isDirty(): boolean {
    return this.#isFolderDirty || this.#files.some(({ isDirty }) => isDirty);
  }

  /** @throws Error of the file system; then the group is not in the log, and may be appended again */
  append(group: StoredGroup, atMs: number): void {
    const file = this.#current(group.id);
    const { id, count, body } = group;
    const offset = file.end;
    const memory = this.#scratchOf(headBytes + body.length + headBytes);
    this.#write(file, memory, encodeGroup(memory, group, atMs, this.#markedId));
    this.#place(file, { id, count, bytes: body.length, atMs, offset });
  }

  /**
   * Notes in the file itself that all groups up to this one are committed. It comes before these groups are removed.
   * @returns false if the files don't say so, because none takes the note or because the one with it is removed next; then
   * somebody else has to know
   */
  markCommitted(id: number): boolean {
    const file = this.#files.at(-1);
    if (file === undefined || this.#isOver(file, id, headBytes)) {
      return false;
    }
    if (id > this.#markedId) {
      try {
        this.#write(file, this.#scratch, encodeNote(this.#scratch, 0, id, 0));
      } catch {
        return false;
      }
      this.#markedId = id;
    }
    return true;
  }

  #write(file: LogFile, bytes: Buffer, length: number): void {
    try {
      for (let done = 0; done < length; ) {
        done += writeSync(file.fd, bytes, done, length - done, file.end + done);
      }
    } catch (error) {
      cutRest(file);
      throw error;
    }
    file.end += length;
    file.isDirty = true;
  }

  /**
   * Groups from `fromId` on, below `endId`, in order, up to the first that can't be read.
   * @throws UnreadableGroupError of that one when there is none before it
   */
  read(fromId: number, endId: number, groupsMax: number): StoredGroup[] {
    const groups: StoredGroup[] = [];
    for (const file of this.#files) {
      const from = firstFrom(file, fromId);
      // Each read of a long backlog must not copy the places of all groups in it.
      const to = Math.min(firstFrom(file, endId), from + groupsMax - groups.length);
      for (const place of file.groups.slice(from, to)) {
        try {
          groups.push(readGroup(file, place));
        } catch (error) {
          if (groups.length === 0) {
            throw error;
          }
          return groups;
        }
      }
    }
    return groups;
  }

  /** The body of one group, which lasts until the next call. @throws UnreadableGroupError */
  readOne(id: number): Uint8Array {
    const file = this.#fileOf(id);
    const place = file.groups[firstFrom(file, id)] as Placed;
    return readGroup(file, place, this.#scratchOf(headBytes + place.bytes)).body;
  }

  /** Memory for one group at a time. */
  #scratchOf(length: number): Buffer {
    if (length > this.#scratch.length) {
      this.#scratch = Buffer.allocUnsafeSlow(length * 2);
    }
    return this.#scratch;
  }

  /** Keeps the file of a group under another name. @returns the name, or null if enough are kept already */
  keepFileOf(id: number): string | null {
    const file = this.#fileOf(id);
    const later = this.#files.filter((each) => each.isKept && each !== file);
    return keep(file, file.groups[firstFrom(file, id)]?.offset ?? 0, later);
  }

  /** Whether a group is in the log. */
  has(id: number): boolean {
    return this.#files.some((file) => file.groups[firstFrom(file, id)]?.id === id);
  }

  #fileOf(id: number): LogFile {
    const file = this.#files.find(({ groups }) => (groups.at(-1)?.id ?? 0) >= id);
    if (file?.groups[firstFrom(file, id)]?.id !== id) {
      throw new Error(`group ${id} is not in the log`);
    }
    return file;
  }

  /** When the first group from this id on was recorded, or null when there is none. */
  atMs(fromId: number): number | null {
    for (const file of this.#files) {
      const first = file.groups[firstFrom(file, fromId)];
      if (first !== undefined) {
        return first.atMs;
      }
    }
    return null;
  }

  /** Forgets groups that are committed. Their space is free when a whole file of them is. */
  removeUpTo(id: number): void {
    for (const file of this.#files) {
      for (const { count, bytes } of file.groups.splice(0, firstFrom(file, id + 1))) {
        this.#entries -= count;
        this.#bytes -= bytes;
      }
    }
    for (const file of this.#files.filter((each) => this.#isOver(each, id))) {
      this.#retire(file);
    }
  }

  /**
   * Whether a file is done with once groups up to this one are committed. It may be written over then, and the SQLite file
   * has to know what is committed before: an earlier version takes what is left in the file for new groups.
   */
  endsFile(id: number): boolean {
    return this.#files.some((file) => this.#isOver(file, id));
  }

  /** Whether nothing is left in a file, nor comes into it, once groups up to this one are committed and so much is added. */
  #isOver(file: LogFile, committedId: number, addedBytes = 0): boolean {
    const isFull = file !== this.#files.at(-1) || file.end + addedBytes > fileBytesMax;
    return isFull && firstFrom(file, committedId + 1) === file.groups.length;
  }

  /** Removes all files. */
  clear(): void {
    for (const file of this.#files) {
      this.#drop(file);
    }
    this.#dropSpare();
    this.#entries = 0;
    this.#bytes = 0;
  }

  /** Flushes the files to the disk without blocking the event loop. @throws Error of the file system */
  async flush(): Promise<void> {
    if (this.#isFolderDirty) {
      // Before the flush, which does not cover a file that is created meanwhile.
      this.#isFolderDirty = false;
      try {
        await flushFolder(this.#folder);
      } catch (error) {
        this.#isFolderDirty = true;
        throw error;
      }
    }
    for (const file of this.#files.filter(({ isDirty }) => isDirty)) {
      file.isDirty = false;
      await flushFile(file.fd).catch((error: unknown) => {
        // A file that was committed and removed meanwhile needs no flush.
        if (this.#files.includes(file)) {
          throw error;
        }
      });
    }
  }

  /** Flushes the files, and returns when they are on the disk. @throws Error of the file system */
  flushNow(): void {
    if (this.#isFolderDirty) {
      flushFolderNow(this.#folder);
      this.#isFolderDirty = false;
    }
    for (const file of this.#files.filter(({ isDirty }) => isDirty)) {
      fdatasyncSync(file.fd);
      file.isDirty = false;
    }
  }

  /** Takes back the groups from this id on, and the room that they took. @throws Error of the file system */
  cutFrom(id: number): void {
    for (const file of this.#files) {
      const cut = file.groups.splice(firstFrom(file, id));
      for (const { count, bytes } of cut) {
        this.#entries -= count;
        this.#bytes -= bytes;
      }
      file.end = cut[0]?.offset ?? file.end;
      // What a failed write has left after the end is removed, too.
      ftruncateSync(file.fd, file.end);
    }
  }

  close(): void {
    this.flushNow();
    for (const file of this.#files.filter(({ isKept, groups }) => isKept && groups.length === 0)) {
      this.#drop(file);
    }
    for (const { fd, end } of this.#files) {
      // An earlier version would take what is left after the end for damage.
      ftruncateSync(fd, end);
      closeSync(fd);
    }
    this.#files = [];
    this.#dropSpare();
  }

  #current(id: number): LogFile {
    const last = this.#files.at(-1);
    if (last !== undefined && last.end <= fileBytesMax) {
      return last;
    }
    const path = join(this.#folder, nameOf(id));
    const spare = this.#spare;
    let fd: number;
    if (spare === null) {
      fd = openSync(path, "w+", 0o600);
    } else {
      renameSync(spare.path, path);
      fd = spare.fd;
      this.#spare = null;
    }
    const file = newFile(path, fd, id);
    this.#files.push(file);
    this.#isFolderDirty = true;
    return file;
  }

  #place(file: LogFile, group: Placed): void {
    file.groups.push(group);
    this.#entries += group.count;
    this.#bytes += group.bytes;
  }

  /** All of the file is committed. */
  #retire(file: LogFile): void {
    // One that damage has made short would look like one that was never written over; see `FoundRecords.finish`.
    const isUnusual = file.end <= fileBytesMax || file.end > spareBytesMax;
    if (this.#spare !== null || file.isKept || isUnusual) {
      this.#drop(file);
      return;
    }
    const path = join(this.#folder, spareName);
    renameSync(file.path, path);
    this.#files = this.#files.filter((each) => each !== file);
    this.#spare = newFile(path, file.fd, 0);
  }

  #dropSpare(): void {
    if (this.#spare !== null) {
      this.#drop(this.#spare);
      this.#spare = null;
    }
  }

  #drop(file: LogFile): void {
    this.#files = this.#files.filter((each) => each !== file);
    closeSync(file.fd);
    if (file.isKept && file.copy !== null) {
      renameSync(file.path, file.copy.path);
    } else {
      rmSync(file.path, { force: true });
    }
  }

  /**
   * Takes the groups of a file, in spite of anything between them.
   * @param nextId the name of the next file: groups before it were in this one
   */
  #takeIn({ file, lastId, damage }: OpenedFile, nextId: number, committedId: number): void {
    const found = lastId < nextId - 1 ? { bytes: file.end, lostToId: nextId - 1 } : damage;
    if (found !== null) {
      this.#lostId = Math.max(this.#lostId, found.lostToId);
      const { path } = file;
      const { copy, isNew } = keepDamaged(path, found);
      // An earlier process may have made the copy, and ended before the lost rows were in quarantine.
      if (isNew || found.lostToId > Math.max(committedId, this.#markedId)) {
        this.damaged.push({ path, movedTo: copy });
      }
    }
    ftruncateSync(file.fd, file.end);
    for (const group of file.groups.splice(0)) {
      if (group.id > committedId) {
        this.#place(file, group);
      }
    }
    this.#files.push(file);
  }
}
