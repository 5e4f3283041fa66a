import { fstatSync, openSync, readSync } from "node:fs";
import { type Head, headBytes, nextWhole, type StoredGroup, wholeAt } from "./group-record.ts";

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
  /** Whether it is kept under another name when all of it is committed or given up. */
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

export const keptName = (path: string): string => `${path}.corrupt`;

export function newFile(path: string, fd: number, firstId: number): LogFile {
  return { path, fd, firstId, groups: [], end: 0, isDirty: false, isKept: false };
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

export type OpenedFile = {
  readonly file: LogFile;
  /** Up to which group everything is committed, as far as this file says. */
  readonly markedId: number;
  /** Whether something between two of its groups could not be read. */
  readonly isDamaged: boolean;
};

/**
 * Reads a file whose name has this id. Groups with lower ids than the name or the group before are what was in the file
 * before it was written over.
 * @throws Error of the file system
 */
export function openFile(path: string, namedId: number): OpenedFile {
  const fd = openSync(path, "r+");
  const bytes = readAll(fd);
  const groups: Placed[] = [];
  let [end, lastId, markedId, isDamaged] = [0, namedId - 1, 0, false];
  for (let at: number | null = 0; at !== null && at < bytes.length; ) {
    const head = wholeAt(bytes, at);
    if (head === null) {
      at = nextWhole(bytes, at + 1);
      continue;
    }
    const next: number = at + headBytes + head.bytes;
    if (head.isMark) {
      markedId = Math.max(markedId, head.id);
      end = end === at ? next : end;
    } else if (head.id > lastId) {
      isDamaged ||= end !== at;
      groups.push({ ...head, offset: at });
      end = next;
      lastId = head.id;
    }
    at = next;
  }
  // A power cut can leave a file that was written over under its former name.
  const firstId = groups[0]?.id ?? namedId;
  return { file: { ...newFile(path, fd, firstId), groups, end }, markedId, isDamaged };
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

/**
 * @param memory where the group is read to, by default memory of its own
 * @throws Error when the group can't be read, or is not what was written
 */
export function readGroup(
  { fd, path }: LogFile,
  { id, count, bytes: length, offset }: Placed,
  memory: Buffer = Buffer.allocUnsafeSlow(headBytes + length),
): StoredGroup {
  const bytes = memory.subarray(0, headBytes + length);
  const head = readSync(fd, bytes, 0, bytes.length, offset) === bytes.length ? wholeAt(bytes, 0) : null;
  // Another group in this place has other rows than those that are charged.
  if (head === null || head.isMark || head.id !== id || head.count !== count || head.bytes !== length) {
    throw new Error(`a group of ${path} can't be read`);
  }
  return { id, count, body: bytes.subarray(headBytes) };
}
