import { flagsOffset, requestBytesOffset, responseBytesOffset, userOffset } from "./payload-parcel.ts";

/*
 * Whose payloads a segment has, and where: 26 bytes for each, which its row has in the column `places`. They are the end of the
 * ID of the call (8), which is random; the ID of the user (6); the flags of the packed bodies (3 bits) and the number of the
 * group that it is encrypted in (13 bits); and the full lengths of request and response (5 each). Where a group begins (4) and
 * how long it is (4) is in the column `groups`. Numbers are big endian. `find_payload` reads them, a function of the database.
 */
export const placeBytes = 26;
const idBytes = 16;
const idEndBytes = 8;
const userPlace = 8;
const userBytes = 6;
const groupPlace = 14;
const groupBits = 13;
const requestPlace = 16;
const responsePlace = 21;
const lengthBytes = 5;
const twoTo32 = 2 ** 32;
/** A terabyte: what is longer is shown as this long. */
const lengthMax = 2 ** (8 * lengthBytes) - 1;

/** What a group takes in `groups`. */
export const groupPlaceBytes = 8;
const groupLengthPlace = 4;

/** Where a group is in a segment. */
export type GroupPlace = { readonly byteOffset: number; readonly byteLength: number };

/**
 * Writes the place of the n-th payload, byte by byte: numbers of five and six bytes and short copies go through the runtime,
 * which takes three times as long.
 * @param target with room for it
 * @param records with its parcel from `parcelAt` on
 * @param group the number of its group
 * @throws RangeError for a user whose ID has no room
 */
export function writePlace(
  target: Buffer,
  index: number,
  { records, parcelAt, group }: { readonly records: Buffer; readonly parcelAt: number; readonly group: number },
): void {
  const at = index * placeBytes;
  for (let byte = 0; byte < idEndBytes; byte += 1) {
    target[at + byte] = records[parcelAt + idBytes - idEndBytes + byte] ?? 0;
  }
  const user = parcelAt + userOffset;
  if (records[user + userBytes] !== 0 || records[user + userBytes + 1] !== 0) {
    throw new RangeError("the ID of the user has more bytes than its place");
  }
  for (let byte = 0; byte < userBytes; byte += 1) {
    target[at + userPlace + byte] = records[user + userBytes - 1 - byte] ?? 0;
  }
  target.writeUInt16BE(((records[parcelAt + flagsOffset] ?? 0) << groupBits) | group, at + groupPlace);
  writeLength(target, at + requestPlace, records.readDoubleLE(parcelAt + requestBytesOffset));
  writeLength(target, at + responsePlace, records.readDoubleLE(parcelAt + responseBytesOffset));
}

function writeLength(target: Buffer, at: number, length: number): void {
  const shown = Math.min(length, lengthMax);
  const high = Math.floor(shown / twoTo32);
  target[at] = high;
  target.writeUInt32BE(shown - high * twoTo32, at + 1);
}

/** The milliseconds since 1970 at which the call of a parcel began, as its ID says. */
export const callMsOf = (records: Buffer, parcelAt: number): number =>
  records.readUInt16BE(parcelAt) * twoTo32 + records.readUInt32BE(parcelAt + 2);

/** Writes where the n-th group is. */
export function writeGroupPlace(target: Buffer, group: number, { byteOffset, byteLength }: GroupPlace): void {
  const at = group * groupPlaceBytes;
  target.writeUInt32BE(byteOffset, at);
  target.writeUInt32BE(byteLength, at + groupLengthPlace);
}

/** The number of the group of the n-th payload. */
export function groupOfPlace(places: Buffer, index: number): number {
  return places.readUInt16BE(index * placeBytes + groupPlace) & ((1 << groupBits) - 1);
}

export function groupPlaceOf(groups: Buffer, group: number): GroupPlace {
  const at = group * groupPlaceBytes;
  return { byteOffset: groups.readUInt32BE(at), byteLength: groups.readUInt32BE(at + groupLengthPlace) };
}

/** A copy of the place of the n-th payload, in a segment that has nothing but its group. */
export function movedPlace(places: Buffer, index: number): Buffer {
  const place = Buffer.from(places.subarray(index * placeBytes, (index + 1) * placeBytes));
  place.writeUInt16BE((place.readUInt16BE(groupPlace) >> groupBits) << groupBits, groupPlace);
  return place;
}
