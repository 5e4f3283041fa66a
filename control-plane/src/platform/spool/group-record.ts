/*
 * A group in a file: mark (4 bytes), CRC-32 of everything after it (4), length of the body in bytes (4), rows (4), id
 * (8), time in milliseconds (8), body. A record of the same form with the other mark and no body is a note: all groups up to
 * its id are committed. A note follows each group, in the same write, and has the id of that group in the place of the time. So
 * a group whose note is there was written to its end, and is not what a crash has cut off. Notes apart from groups have 0 there.
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

const nothing = new Uint8Array();

/** Writes a group and the note that follows it to the start of the buffer, which must be long enough. @returns their length */
export function encodeGroup(
  bytes: Buffer,
  { id, count, body }: StoredGroup,
  atMs: number,
  committedId: number,
): number {
  const length = encodeRecord(bytes, 0, { kind: mark, id, count, last: atMs }, body);
  return length + encodeNote(bytes, length, committedId, id);
}

/** @param endedId the group that ends before it, or 0. @returns its length */
export function encodeNote(bytes: Buffer, at: number, committedId: number, endedId: number): number {
  return encodeRecord(bytes, at, { kind: committedMark, id: committedId, count: 0, last: endedId }, nothing);
}

type HeadFields = { readonly kind: number; readonly id: number; readonly count: number; readonly last: number };

function encodeRecord(bytes: Buffer, at: number, { kind, id, count, last }: HeadFields, body: Uint8Array): number {
  const length = headBytes + body.length;
  bytes.writeUInt32LE(kind, at);
  bytes.writeUInt32LE(body.length, at + 8);
  bytes.writeUInt32LE(count, at + 12);
  bytes.writeDoubleLE(id, at + 16);
  bytes.writeDoubleLE(last, at + 24);
  bytes.set(body, at + headBytes);
  bytes.writeUInt32LE(checksum(bytes.subarray(at + checkedFrom, at + length)), at + 4);
  return length;
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
export function wholeAt(bytes: Buffer, at: number): (Head & { readonly isNote: boolean }) | null {
  const kind = at + headBytes > bytes.length ? 0 : bytes.readUInt32LE(at);
  if (kind !== mark && kind !== committedMark) {
    return null;
  }
  const head = { ...headOf(bytes, at), isNote: kind === committedMark };
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

/** What records begin with. */
const marks = [mark, committedMark].map((kind) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(kind);
  return bytes;
});

/** Whether the bytes from here on are the beginning of a record, or none. */
export function isCutOff(bytes: Buffer, at: number): boolean {
  const left = bytes.subarray(at);
  return (
    marks.some((each) => left.subarray(0, each.length).equals(each.subarray(0, left.length))) &&
    (left.length < headBytes || left.length < headBytes + headOf(left, 0).bytes)
  );
}
