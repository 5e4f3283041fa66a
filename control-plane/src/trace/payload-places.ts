import { flagsOffset, requestBytesOffset, responseBytesOffset, userOffset } from "./payload-parcel.ts";

/*
 * Whose payloads a segment has, and where: 45 bytes for each, which its row has in the column `places`. They are the ID of the
 * call (16), the ID of the user (8), where the group begins that it is encrypted in (4) and how long that is (4), the full
 * lengths of request and response (6 each), and the flags of the packed bodies (1). Numbers are big endian.
 * `find_payload` reads them, a function of the database.
 */
export const placeBytes = 45;
const millisBytes = 6;
const userPlace = 16;
const groupOffsetPlace = 24;
const groupLengthPlace = 28;
const requestPlace = 32;
const responsePlace = 38;
const lengthBytes = 6;
const flagsPlace = 44;

/** Where a group is in a segment. */
export type GroupPlace = { readonly byteOffset: number; readonly byteLength: number };

/** The milliseconds since 1970 at which the first and the last of the calls of a segment began, as their IDs say. */
export type CallSpan = { readonly firstCallMs: number; readonly lastCallMs: number };

/**
 * Writes the place of the n-th payload.
 * @param target with room for it
 * @param records with its parcel from `parcelAt` on
 */
export function writePlace(target: Buffer, index: number, records: Buffer, parcelAt: number): void {
  const at = index * placeBytes;
  records.copy(target, at, parcelAt, parcelAt + userOffset);
  // The parcel has it the other way round.
  target.writeInt32BE(records.readInt32LE(parcelAt + userOffset + 4), at + userPlace);
  target.writeInt32BE(records.readInt32LE(parcelAt + userOffset), at + userPlace + 4);
  target.writeUIntBE(records.readDoubleLE(parcelAt + requestBytesOffset), at + requestPlace, lengthBytes);
  target.writeUIntBE(records.readDoubleLE(parcelAt + responseBytesOffset), at + responsePlace, lengthBytes);
  target[at + flagsPlace] = records[parcelAt + flagsOffset] ?? 0;
}

/** Writes where the group of the n-th payload is. */
export function writeGroupPlace(target: Buffer, index: number, { byteOffset, byteLength }: GroupPlace): void {
  const at = index * placeBytes;
  target.writeInt32BE(byteOffset, at + groupOffsetPlace);
  target.writeInt32BE(byteLength, at + groupLengthPlace);
}

/** The group of the n-th payload. */
export function groupPlaceOf(places: Buffer, index: number): GroupPlace {
  const at = index * placeBytes;
  return {
    byteOffset: places.readInt32BE(at + groupOffsetPlace),
    byteLength: places.readInt32BE(at + groupLengthPlace),
  };
}

/** A copy of the place of the n-th payload, in a segment that has nothing but its group. */
export function movedPlace(places: Buffer, index: number): Buffer {
  const place = Buffer.from(places.subarray(index * placeBytes, (index + 1) * placeBytes));
  place.writeInt32BE(0, groupOffsetPlace);
  return place;
}

/** @param places those of at least one payload */
export function callSpanOf(places: Buffer): CallSpan {
  let firstCallMs = Number.POSITIVE_INFINITY;
  let lastCallMs = 0;
  for (let at = 0; at < places.length; at += placeBytes) {
    const millis = places.readUIntBE(at, millisBytes);
    firstCallMs = Math.min(firstCallMs, millis);
    lastCallMs = Math.max(lastCallMs, millis);
  }
  return { firstCallMs, lastCallMs };
}
