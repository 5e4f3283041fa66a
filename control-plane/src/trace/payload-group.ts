import type { RequestId } from "@sluice/contracts/ids";
import { recordHeaderBytes, recordSpan } from "../platform/byte-ring.ts";
import { open, sealContext, sealedKeyId, sealInto, sealOverheadBytes } from "../platform/crypto/seal.ts";
import { BrokenSealError } from "../platform/crypto/seal-errors.ts";
import type { SealingKey } from "../platform/crypto/sealing-key.ts";
import { blobOffset, userOffset } from "./payload-parcel.ts";

/*
 * Payloads that are encrypted together, because starting an encryption costs more than encrypting 3 KB. The plaintext is
 * a piece of the ring. Each record has a header of 8 bytes, a parcel, and zeros up to a multiple of eight; the first half
 * of the header is the parcel's length. A parcel begins with the ids of its call and user, which are encrypted with it,
 * so nobody can pass off one call's bytes as another's.
 *
 * A mark precedes the sealed value. It says whether the records are compressed, as one zstd frame. Older versions used another
 * mark, no zeros and shorter fields before the bytes: id of the request (16), id of the user (8), length (4). A payload that
 * they encrypted by itself has no mark: it begins with the version of a sealed value, which is a different number.
 */
const groupMark = 3;
const compressedGroupMark = 4;
const olderGroupMark = 2;
const markBytes = 1;
const olderLengthOffset = 24;
const olderHeaderBytes = 28;

/** How much longer a group is once it is sealed. */
export const groupOverheadBytes = markBytes + sealOverheadBytes;

/**
 * Reading a payload decrypts its group, and a larger one would save almost nothing unless it is compressed. A longer payload is
 * a group of its own.
 */
export const groupBytesMax = 64 * 1024 - groupOverheadBytes;
export const groupPayloadsMax = 64;
/** The same for records that are compressed: what they have in common is compressed once, and they shrink to less than 64 KB. */
export const compressedBytesMax = 256 * 1024;
export const compressedPayloadsMax = 256;

/** A group is bound to its column; to calls and users it is bound by its list, and to a day by the key of that day. */
const context = sealContext({ table: "payload_segment", column: "sealed", row: "group", owner: "calls" });

/** @param target `groupOverheadBytes` longer than the records, or than their frame */
export function sealGroupInto(
  target: Uint8Array,
  key: SealingKey,
  { records, frame }: { readonly records: Uint8Array; readonly frame: Uint8Array | null },
): void {
  target[0] = frame === null ? groupMark : compressedGroupMark;
  sealInto(target.subarray(markBytes), key, frame ?? records, context);
}

export function isGroup(sealed: Uint8Array): boolean {
  return sealed[0] === groupMark || sealed[0] === compressedGroupMark || sealed[0] === olderGroupMark;
}

/**
 * Decrypts a group and returns the bytes of one of its payloads.
 * @throws SealError when it was altered, does not contain this call of this user, or needs another key
 */
export function openFromGroup(
  keys: SealingKey | readonly SealingKey[],
  sealed: Uint8Array,
  { requestId, gatewayUserId }: { readonly requestId: RequestId; readonly gatewayUserId: bigint },
): Uint8Array {
  const inner = sealed.subarray(markBytes);
  const opened = open(keys, inner, context);
  const bytes = sealed[0] === compressedGroupMark ? Bun.zstdDecompressSync(opened) : opened;
  const plain = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const id = requestId.replaceAll("-", "").toLowerCase();
  const isOlder = sealed[0] === olderGroupMark;
  for (let start = 0; start < plain.length; ) {
    const at = isOlder ? start : start + recordHeaderBytes;
    const length = plain.readUInt32LE(isOlder ? start + olderLengthOffset : start);
    if (plain.toString("hex", at, at + userOffset) === id && plain.readBigInt64LE(at + userOffset) === gatewayUserId) {
      return isOlder
        ? plain.subarray(at + olderHeaderBytes, at + olderHeaderBytes + length)
        : plain.subarray(at + blobOffset, at + length);
    }
    start += isOlder ? olderHeaderBytes + length : recordSpan(length);
  }
  throw new BrokenSealError(sealedKeyId(inner));
}
