import { fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { UnreadableGroupError } from "./errors.ts";
import { type Head, headBytes, isCutOff, nextWhole, type StoredGroup, wholeAt } from "./group-record.ts";

/** A file that is longer gets a successor. When its last group is committed, it goes, or is written over. */
export const fileBytesMax = 8 * 1024 * 1024;

const name = /^groups-(\d{16})\.log$/;

export type Placed = Head & { readonly offset: number };

export type LogFile = {
  readonly path: string;
  readonly fd: number;
  /** The id of the first group that is, or will be, in it. */
  readonly firstId: number;
  /** Its groups that are not committed, by rising id. */
  readonly groups: Placed[];
  end: number;
  isDirty: boolean;
  /** The name under which a copy of it is kept, and how much of it the copy has. */
  copy: { readonly path: string; readonly bytes: number } | null;
  /** Whether it is kept itself, in the place of a copy, when all of it is committed or given up. */
  isKept: boolean;
};

/** The name of a file whose first group has this id. */
export function nameOf(firstId: number): string {
  return `groups-${String(firstId).padStart(16, "0")}.log`;
}

/** The id of the first group in a file of this name, or null for a file that is not of the log. */
export function fromName(file: string): number | null {
  const digits = name.exec(file)?.[1];
  return digits === undefined ? null : Number(digits);
}

export function newFile(path: string, fd: number, firstId: number): LogFile {
  return { path, fd, firstId, groups: [], end: 0, isDirty: false, copy: null, isKept: false };
}

/** The place of the first group whose id is not below this one. */
export function firstFrom({ groups }: LogFile, id: number): number {
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

/** Something in a file could not be read. */
export type Damage = {
  /** How much of the file there is up to its end, where the next record is: what is written later changes nothing of that. */
  readonly bytes: number;
  /** Groups up to this one may be lost by it. */
  readonly lostToId: number;
};

export type OpenedFile = {
  readonly file: LogFile;
  readonly namedId: number;
  /** The last group in it, whole or not. */
  readonly lastId: number;
  /** Up to which group everything is committed, as far as this file says. */
  readonly markedId: number;
  /** The last one in it. */
  readonly damage: Damage | null;
};

/** What is found in a file, record by record. */
class FoundRecords {
  readonly groups: Placed[] = [];
  /** The last group, whole or not. */
  lastId: number;
  markedId = 0;
  end = 0;
  damage: Damage | null = null;
  /** The first record after what can't be read at the end of the groups so far. */
  #resumedAt = 0;

  constructor(namedId: number) {
    this.lastId = namedId - 1;
  }

  /** Something can't be read, up to the next record. */
  passOver(at: number, next: number): void {
    this.#resumedAt = at === this.end ? next : this.#resumedAt;
  }

  addGroup(group: Placed, next: number): void {
    if (group.id > this.lastId) {
      if (group.offset !== this.end) {
        this.#lose(group.id - 1, group.offset);
      }
      this.groups.push(group);
      this.#endAt(group.id, next);
    }
  }

  addNote({ id, atMs: endedId }: Head, at: number, next: number): void {
    this.markedId = Math.max(this.markedId, id);
    if (endedId > this.lastId) {
      this.#lose(endedId, at);
      this.#endAt(endedId, next);
    } else if (at === this.end) {
      this.end = next;
    }
  }

  /** In a file that was not written over, what follows the last record is damage, unless it is the beginning of one that a crash cut off. */
  finish(bytes: Buffer): void {
    if (bytes.length <= fileBytesMax && !isCutOff(bytes, this.end)) {
      this.#lose(this.lastId + 1, bytes.length);
      this.#endAt(this.lastId + 1, bytes.length);
    }
  }

  /** @param before what was found after the damage */
  #lose(toId: number, before: number): void {
    this.damage = { bytes: this.#resumedAt > this.end ? this.#resumedAt : before, lostToId: toId };
  }

  #endAt(lastId: number, end: number): void {
    this.lastId = lastId;
    this.end = end;
  }
}

/**
 * Reads a file whose name has this id. Groups with lower ids than the name or the group before are what was in the file
 * before it was written over.
 *
 * What is not a group is damage if a group of this file follows, or the note of a lost one. The last group may be one that a crash
 * cut off: it has no note, and in a file that was not written over nothing follows its beginning.
 * @throws Error of the file system
 */
export function openFile(path: string, namedId: number): OpenedFile {
  const fd = openSync(path, "r+");
  const bytes = readAll(fd);
  const found = new FoundRecords(namedId);
  for (let at: number | null = 0; at !== null && at < bytes.length; ) {
    const head = wholeAt(bytes, at);
    if (head === null) {
      const resumedAt = nextWhole(bytes, at + 1);
      found.passOver(at, resumedAt ?? bytes.length);
      at = resumedAt;
      continue;
    }
    const next: number = at + headBytes + head.bytes;
    if (head.isNote) {
      found.addNote(head, at, next);
    } else {
      found.addGroup({ ...head, offset: at }, next);
    }
    at = next;
  }
  found.finish(bytes);
  const { groups, end, lastId, markedId, damage } = found;
  // A power cut can leave a file that was written over under its former name.
  const firstId = groups[0]?.id ?? namedId;
  return { file: { ...newFile(path, fd, firstId), groups, end }, namedId, lastId, markedId, damage };
}

function readAll(fd: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(fstatSync(fd).size);
  return bytes.subarray(0, readInto(bytes, fd, 0));
}

/** @returns how many bytes there were, at most as many as there is room for. @throws Error of the file system */
function readInto(bytes: Buffer, fd: number, offset: number): number {
  let done = 0;
  while (done < bytes.length) {
    const read = readSync(fd, bytes, done, bytes.length - done, offset + done);
    if (read === 0) {
      break;
    }
    done += read;
  }
  return done;
}

/**
 * @param memory where the group is read to, by default memory of its own
 * @throws UnreadableGroupError
 */
export function readGroup(
  { fd, path }: LogFile,
  { id, count, bytes: length, offset }: Placed,
  memory: Buffer = Buffer.allocUnsafeSlow(headBytes + length),
): StoredGroup {
  const group = { id, count, bytes: length };
  const bytes = memory.subarray(0, headBytes + length);
  let isWhole: boolean;
  try {
    isWhole = readInto(bytes, fd, offset) === bytes.length;
  } catch (cause) {
    throw new UnreadableGroupError(path, group, cause);
  }
  const head = isWhole ? wholeAt(bytes, 0) : null;
  // Another group in this place has other rows than those that are charged.
  if (head === null || head.isNote || head.id !== id || head.count !== count || head.bytes !== length) {
    throw new UnreadableGroupError(path, group);
  }
  return { id, count, body: bytes.subarray(headBytes) };
}

/** Removes what a failed write has left: at the next start it would look like damage. */
export function cutRest({ fd, end }: LogFile): void {
  try {
    ftruncateSync(fd, end);
  } catch {
    // The next group is written over it.
  }
}
