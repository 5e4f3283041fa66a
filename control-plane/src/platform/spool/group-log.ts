import {
  closeSync,
  copyFileSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { flushFile, flushFolder, flushFolderNow } from "./flush-files.ts";
import { encodeRecord, type Head, headBytes, nextWhole, type StoredGroup, wholeAt } from "./group-record.ts";

const name = /^groups-\d{16}\.log$/;

/** A file that is longer gets a successor, and goes when its last group is committed. */
const fileBytesMax = 16 * 1024 * 1024;
const scratchBytes = 256 * 1024;
const nothing = new Uint8Array();

/** A group that is given up, and the name under which its file is kept. */
export type KeptGroup = {
  readonly id: number;
  readonly count: number;
  readonly bytes: number;
  readonly movedTo: string;
};

type Placed = Head & { readonly offset: number };

type LogFile = {
  readonly path: string;
  readonly fd: number;
  /** Its groups that are not committed, by rising id. */
  readonly groups: Placed[];
  end: number;
  isDirty: boolean;
  /** Whether it is kept under another name when all of it is committed or given up. */
  isKept: boolean;
};

/**
 * The groups of a slot that are not committed yet, in files that are only appended to. A group is in a file once
 * `append` returns: one write, one checksum. What a crash has cut off at the end is dropped, as it was never promised.
 */
export class GroupLog {
  readonly #folder: string;
  #files: LogFile[] = [];
  #scratch = Buffer.allocUnsafeSlow(scratchBytes);
  #entries = 0;
  #bytes = 0;
  #markedId = 0;
  /** Whether a file was created since the folder was flushed: without that, a power cut can cost the whole file. */
  #isFolderDirty = false;
  /** Files in which something between two groups could not be read; copies are kept under these names. */
  readonly damaged: string[] = [];

  /**
   * Reads what earlier processes left.
   * @param committedId groups up to this one are forgotten
   * @throws Error of the file system
   */
  constructor(folder: string, committedId: number) {
    this.#folder = folder;
    const names = readdirSync(folder).filter((each) => name.test(each));
    for (const each of names.sort()) {
      this.#open(join(folder, each), committedId);
    }
    this.removeUpTo(Math.max(committedId, this.#markedId));
  }

  /** Up to which group everything is committed, as far as the files themselves say. */
  get markedId(): number {
    return this.#markedId;
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
    this.#write(file, false, group, atMs);
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
        this.#write(file, true, { id, count: 0, body: nothing }, 0);
      } catch {
        // Whatever was written of it is overwritten by the next record.
        return false;
      }
      this.#markedId = id;
    }
    return true;
  }

  #write(file: LogFile, isMark: boolean, group: StoredGroup, atMs: number): void {
    const length = headBytes + group.body.length;
    if (length > this.#scratch.length) {
      this.#scratch = Buffer.allocUnsafeSlow(length * 2);
    }
    const bytes = this.#scratch;
    encodeRecord(bytes, isMark, group, atMs);
    for (let done = 0; done < length; ) {
      done += writeSync(file.fd, bytes, done, length - done, file.end + done);
    }
    file.end += length;
    file.isDirty = true;
  }

  /**
   * Groups from `fromId` on, below `endId`, in order, up to the first that can't be read.
   * @throws Error when already the first one can't be read
   */
  read(fromId: number, endId: number, groupsMax: number): StoredGroup[] {
    const groups: StoredGroup[] = [];
    for (const file of this.#files) {
      const placed = file.groups.slice(firstFrom(file, fromId), firstFrom(file, endId));
      for (const place of placed.slice(0, groupsMax - groups.length)) {
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

  /** Has the file of the first group from this id on kept under another name when it is done with. */
  keepFileOf(fromId: number): KeptGroup {
    for (const file of this.#files) {
      const first = file.groups[firstFrom(file, fromId)];
      if (first !== undefined) {
        file.isKept = true;
        return { id: first.id, count: first.count, bytes: first.bytes, movedTo: keptName(file.path) };
      }
    }
    throw new Error(`there is no group from ${fromId} on`);
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
      this.#drop(file);
    }
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
    for (const { fd } of this.#files) {
      closeSync(fd);
    }
    this.#files = [];
  }

  #current(id: number): LogFile {
    const last = this.#files.at(-1);
    if (last !== undefined && last.end <= fileBytesMax) {
      return last;
    }
    const path = join(this.#folder, `groups-${String(id).padStart(16, "0")}.log`);
    const file = newFile(path, openSync(path, "w+", 0o600));
    this.#files.push(file);
    this.#isFolderDirty = true;
    return file;
  }

  #place(file: LogFile, group: Placed): void {
    file.groups.push(group);
    this.#entries += group.count;
    this.#bytes += group.bytes;
  }

  #drop(file: LogFile): void {
    this.#files = this.#files.filter((each) => each !== file);
    closeSync(file.fd);
    if (file.isKept) {
      renameSync(file.path, keptName(file.path));
    } else {
      rmSync(file.path, { force: true });
    }
  }

  /** Reads a file: its groups, in spite of anything between them, and where the next one belongs. */
  #open(path: string, committedId: number): void {
    const fd = openSync(path, "r+");
    const file = newFile(path, fd);
    const bytes = readAll(fd);
    let isDamaged = false;
    for (let at = 0; at < bytes.length; ) {
      const head = wholeAt(bytes, at);
      if (head === null) {
        const next = nextWhole(bytes, at + 1);
        isDamaged ||= next !== null;
        at = next ?? bytes.length;
        continue;
      }
      if (head.isMark) {
        this.#markedId = Math.max(this.#markedId, head.id);
      } else if (head.id > committedId) {
        this.#place(file, { ...head, offset: at });
      }
      at += headBytes + head.bytes;
      file.end = at;
    }
    if (isDamaged) {
      this.#keepCopy(path);
    }
    if (file.end < bytes.length) {
      ftruncateSync(fd, file.end);
    }
    this.#files.push(file);
  }

  #keepCopy(path: string): void {
    const copy = keptName(path);
    if (!existsSync(copy)) {
      copyFileSync(path, copy);
      this.damaged.push(copy);
    }
  }
}

const keptName = (path: string): string => `${path}.corrupt`;

function newFile(path: string, fd: number): LogFile {
  return { path, fd, groups: [], end: 0, isDirty: false, isKept: false };
}

/** The place of the first group whose id is not below this one. */
function firstFrom({ groups }: LogFile, id: number): number {
  let [low, high] = [0, groups.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((groups[middle]?.id ?? 0) < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function readAll(fd: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(fstatSync(fd).size);
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(fd, bytes, done, bytes.length - done, done);
    if (read === 0) {
      return bytes.subarray(0, done);
    }
    done += read;
  }
  return bytes;
}

function readGroup({ fd, path }: LogFile, { id, count, bytes: length, offset }: Placed): StoredGroup {
  const bytes = Buffer.allocUnsafeSlow(headBytes + length);
  if (readSync(fd, bytes, 0, bytes.length, offset) !== bytes.length || wholeAt(bytes, 0) === null) {
    throw new Error(`a group of ${path} can't be read`);
  }
  return { id, count, body: bytes.subarray(headBytes) };
}
