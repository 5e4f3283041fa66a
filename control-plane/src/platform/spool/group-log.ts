import {
  closeSync,
  copyFileSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/*
 * A group in a file: mark (4 bytes), CRC-32 of everything after it (4), length of the body in bytes (4), rows (4), id
 * (8), time in milliseconds (8), body.
 */
const mark = 0x53_4c_47_31;
const headBytes = 32;
const checkedFrom = 8;
const name = /^groups-\d{16}\.log$/;

/** A file that is longer gets a successor, and goes when its last group is committed. */
const fileBytesMax = 16 * 1024 * 1024;
const scratchBytes = 256 * 1024;

/** Rows that were recorded in one tick of the event loop, one JSON text per line. */
export type StoredGroup = {
  readonly id: number;
  readonly count: number;
  readonly bytes: number;
  readonly body: string;
};

type Head = { readonly id: number; readonly count: number; readonly bytes: number; readonly atMs: number };
type Placed = Head & { readonly offset: number };

type LogFile = {
  readonly path: string;
  readonly fd: number;
  /** Its groups that are not committed, by rising id. */
  readonly groups: Placed[];
  end: number;
  isDirty: boolean;
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
    this.removeUpTo(committedId);
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
    return this.#files.some(({ isDirty }) => isDirty);
  }

  /** @throws Error of the file system; then the group is not in the log, and may be appended again */
  append(group: StoredGroup, atMs: number): void {
    const length = headBytes + group.bytes;
    if (length > this.#scratch.length) {
      this.#scratch = Buffer.allocUnsafeSlow(length * 2);
    }
    const bytes = this.#scratch;
    bytes.writeUInt32LE(mark, 0);
    bytes.writeUInt32LE(group.bytes, 8);
    bytes.writeUInt32LE(group.count, 12);
    bytes.writeDoubleLE(group.id, 16);
    bytes.writeDoubleLE(atMs, 24);
    bytes.write(group.body, headBytes, "utf8");
    bytes.writeUInt32LE(checksum(bytes.subarray(checkedFrom, length)), 4);
    const file = this.#current(group.id);
    for (let done = 0; done < length; ) {
      done += writeSync(file.fd, bytes, done, length - done, file.end + done);
    }
    const { id, count } = group;
    this.#place(file, { id, count, bytes: group.bytes, atMs, offset: file.end });
    file.end += length;
    file.isDirty = true;
  }

  /** Groups from `fromId` on, below `endId`, in order. @throws Error when one can't be read any more */
  read(fromId: number, endId: number, groupsMax: number): StoredGroup[] {
    const groups: StoredGroup[] = [];
    for (const file of this.#files) {
      const placed = file.groups.slice(firstFrom(file, fromId), firstFrom(file, endId));
      for (const place of placed.slice(0, groupsMax - groups.length)) {
        groups.push(readGroup(file, place));
      }
    }
    return groups;
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
    const last = this.#files.at(-1);
    const isOver = (file: LogFile): boolean => file.groups.length === 0 && (file !== last || file.end > fileBytesMax);
    for (const file of this.#files.filter(isOver)) {
      this.#drop(file);
    }
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
      // What a failed write has left behind the end goes as well.
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
    const file: LogFile = { path, fd: openSync(path, "w+", 0o600), groups: [], end: 0, isDirty: false };
    this.#files.push(file);
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
    rmSync(file.path, { force: true });
  }

  /** Reads a file: its groups, in spite of anything between them, and where the next one belongs. */
  #open(path: string, committedId: number): void {
    const fd = openSync(path, "r+");
    const file: LogFile = { path, fd, groups: [], end: 0, isDirty: false };
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
      if (head.id > committedId) {
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
    const copy = `${path}.corrupt`;
    if (!existsSync(copy)) {
      copyFileSync(path, copy);
      this.damaged.push(copy);
    }
  }
}

function checksum(bytes: Uint8Array): number {
  return Bun.hash.crc32(bytes) as number;
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

function headOf(bytes: Buffer, at: number): Head {
  return {
    bytes: bytes.readUInt32LE(at + 8),
    count: bytes.readUInt32LE(at + 12),
    id: bytes.readDoubleLE(at + 16),
    atMs: bytes.readDoubleLE(at + 24),
  };
}

/** The head of the group that begins here, or null when there is none that is whole. */
function wholeAt(bytes: Buffer, at: number): Head | null {
  if (at + headBytes > bytes.length || bytes.readUInt32LE(at) !== mark) {
    return null;
  }
  const head = headOf(bytes, at);
  const end = at + headBytes + head.bytes;
  return end <= bytes.length && checksum(bytes.subarray(at + checkedFrom, end)) === bytes.readUInt32LE(at + 4)
    ? head
    : null;
}

const markBytes = Buffer.alloc(4);
markBytes.writeUInt32LE(mark);

function nextWhole(bytes: Buffer, from: number): number | null {
  for (let at = bytes.indexOf(markBytes, from); at !== -1; at = bytes.indexOf(markBytes, at + 1)) {
    if (wholeAt(bytes, at) !== null) {
      return at;
    }
  }
  return null;
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
  return { id, count, bytes: length, body: bytes.toString("utf8", headBytes) };
}

/** Flushes a file to the disk on a thread of the runtime. */
export function flushFile(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(fd, (error) => {
      if (error === null) {
        resolve();
      } else {
        reject(error);
      }
    });
  });
}
