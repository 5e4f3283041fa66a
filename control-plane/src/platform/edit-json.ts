import type { Place } from "./scan-json.ts";

/** Replaces a range of a text. */
export type Edit = { readonly place: Place; readonly text: Buffer };

/** Where a range is after an edit of another range. */
export function movedBy(place: Place, { place: [start, end], text }: Edit): Place {
  const delta = start < place[0] ? text.length - (end - start) : 0;
  return [place[0] + delta, place[1] + delta];
}

/** Applies one edit; all other bytes stay. */
export function applyEdit(bytes: Uint8Array, { place: [start, end], text }: Edit): Buffer {
  return Buffer.concat([bytes.subarray(0, start), text, bytes.subarray(end)]);
}

/** The range without the white space around it. */
export function trimmed(bytes: Uint8Array, [from, to]: Place): Place {
  let [start, end] = [from, to];
  while (isSpace(bytes[start])) {
    start += 1;
  }
  while (isSpace(bytes[end - 1])) {
    end -= 1;
  }
  return [start, end];
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
