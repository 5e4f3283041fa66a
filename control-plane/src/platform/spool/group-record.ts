/*
 * A group in a file: mark (4 bytes), CRC-32 of everything after it (4), length of the body in bytes (4), rows (4), id
 * (8), time in milliseconds (8), body. A record of the same form with the other mark and no body says that all groups up
 * to its id are committed.
 */
const mark = 0x53_4c_47_31;
const committedMark = 0x53_4c_43_31;
export const headBytes = 32;
const checkedFrom = 8;

/** Rows that were recorded in one tick of the event loop, one JSON text per line, in UTF-8. */
export type StoredGroup = {
  readonly id: number;
  readonly count: number;
  readonly body: Uint8Array;
};

export type Head = { readonly id: number; readonly count: number; readonly bytes: number; readonly atMs: number };

/** Writes a record to the start of the buffer, which must be long enough. */
export function encodeRecord(bytes: Buffer, isMark: boolean, group: StoredGroup, atMs: number): void {
  bytes.writeUInt32LE(isMark ? committedMark : mark, 0);
  bytes.writeUInt32LE(group.body.length, 8);
  bytes.writeUInt32LE(group.count, 12);
  bytes.writeDoubleLE(group.id, 16);
  bytes.writeDoubleLE(atMs, 24);
  bytes.set(group.body, headBytes);
  bytes.writeUInt32LE(checksum(bytes.subarray(checkedFrom, headBytes + group.body.length)), 4);
}

function checksum(bytes: Uint8Array): number {
  return Bun.hash.crc32(bytes) as number;
}

function headOf(bytes: Buffer, at: number): Head {
  return {
    bytes: bytes.readUInt32LE(at + 8),
    count: bytes.readUInt32LE(at + 12),
    id: bytes.readDoubleLE(at + 16),
    atMs: bytes.readDoubleLE(at + 24),
  };
}

/** The head of the record that begins here, or null when there is none that is whole. */
export function wholeAt(bytes: Buffer, at: number): (Head & { readonly isMark: boolean }) | null {
  const kind = at + headBytes > bytes.length ? 0 : bytes.readUInt32LE(at);
  if (kind !== mark && kind !== committedMark) {
    return null;
  }
  const head = { ...headOf(bytes, at), isMark: kind === committedMark };
  const end = at + headBytes + head.bytes;
  return end <= bytes.length && checksum(bytes.subarray(at + checkedFrom, end)) === bytes.readUInt32LE(at + 4)
    ? head
    : null;
}

/** What both marks end with. */
const markEnd = Buffer.from("LS");

export function nextWhole(bytes: Buffer, from: number): number | null {
  for (let at = bytes.indexOf(markEnd, from + 2); at !== -1; at = bytes.indexOf(markEnd, at + 1)) {
    if (wholeAt(bytes, at - 2) !== null) {
      return at - 2;
    }
  }
  return null;
}
