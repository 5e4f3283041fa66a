import type { RequestId } from "@sluice/contracts/ids";
import { recordHeaderBytes, recordSpan } from "../platform/byte-ring.ts";
import { open, sealContext, sealedKeyId, sealInto, sealOverheadBytes } from "../platform/crypto/seal.ts";
import { BrokenSealError } from "../platform/crypto/seal-errors.ts";
import type { SealingKey } from "../platform/crypto/sealing-key.ts";
import { blobOffset, userOffset } from "./payload-parcel.ts";

/*
 * Payloads that are encrypted together, because to begin an encryption costs more than to encrypt 3 KB. The plaintext is
 * a piece of the ring that they come through: records with a header (8 bytes, of which the first four are the length of
 * the parcel), a parcel, and zeros up to a multiple of eight. As each parcel begins with ids of its call and its user and is
 * encrypted with them, nobody can make the bytes of one call look like those of another.
 *
 * A mark precedes the sealed value. Older versions wrote groups with another mark, whose list had no zeros and less in
 * front of the bytes: id of the request (16), id of the user (8), length of the bytes (4). A payload that they encrypted
 * by itself has no mark and begins with the version of a sealed value, which is another number.
 */
const groupMark = 3;
const olderGroupMark = 2;
const markBytes = 1;
const olderLengthOffset = 24;
const olderHeaderBytes = 28;

/** How much longer a group is once it is sealed. */
export const groupOverheadBytes = markBytes + sealOverheadBytes;

/** Reading a payload decrypts its group. A larger one would spare next to nothing; a longer payload is one by itself. */
export const groupBytesMax = 64 * 1024 - groupOverheadBytes;
export const groupPayloadsMax = 64;

/** A group is bound to its column; to calls and users it is bound by its list, and to a day by the key of that day. */
const context = sealContext({ table: "payload_segment", column: "sealed", row: "group", owner: "calls" });

/** @param target `groupOverheadBytes` longer than the records */
export function sealGroupInto(target: Uint8Array, key: SealingKey, records: Uint8Array): void {
  target[0] = groupMark;
  sealInto(target.subarray(markBytes), key, records, context);
}

export function isGroup(sealed: Uint8Array): boolean {
  return sealed[0] === groupMark || sealed[0] === olderGroupMark;
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
  const bytes = open(keys, inner, context);
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
