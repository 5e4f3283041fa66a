import type { Payload } from "./model.ts";
import { blobLength, packPayload } from "./payload-packing.ts";

/*
 * A payload in the form in which it goes to the thread that seals it, and in which it is sealed: id of the request (16
 * bytes), id of the user (8), lengths of both bodies (8 each), flags of the packed bodies (1, then 3 unused), and the
 * packed bodies, compressed or not. Numbers are little endian.
 */
export const userOffset = 16;
export const requestBytesOffset = 24;
export const responseBytesOffset = 32;
export const flagsOffset = 40;
export const blobOffset = 44;

/** Where the digits of each byte of an id begin in its text. */
const digitPlaces = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
/** The value of a hex digit by its code. */
const digitValues = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 0 : value;
});

export function parcelLength(payload: Payload, bodyBytesMax: number): number {
  return blobOffset + blobLength(payload, bodyBytesMax);
}

/** Writes as many bytes as `parcelLength` says, from `at` on. */
export function writeParcel(target: Buffer, at: number, payload: Payload, bodyBytesMax: number): void {
  writeId(target, at, payload.requestId);
  target.writeBigInt64LE(payload.gatewayUserId, at + userOffset);
  target.writeDoubleLE(payload.requestBytes, at + requestBytesOffset);
  target.writeDoubleLE(payload.responseBytes, at + responseBytesOffset);
  // Four bytes, because the unused ones have what was there before.
  target.writeUInt32LE(packPayload(payload, bodyBytesMax, target, at + blobOffset), at + flagsOffset);
}

/** Writes the 16 bytes of an id. Digit by digit that takes a third of what `write` takes, which needs another text. */
function writeId(target: Buffer, at: number, id: string): void {
  for (let index = 0; index < digitPlaces.length; index += 1) {
    const place = digitPlaces[index] ?? 0;
    const high = digitValues[id.charCodeAt(place)] ?? 0;
    target[at + index] = (high << 4) | (digitValues[id.charCodeAt(place + 1)] ?? 0);
  }
}
