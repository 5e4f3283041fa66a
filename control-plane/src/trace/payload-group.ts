import type { RequestId } from "@sluice/contracts/ids";
import { open, sealContext, sealedKeyId, sealInto, sealOverheadBytes } from "../platform/crypto/seal.ts";
import { BrokenSealError } from "../platform/crypto/seal-errors.ts";
import type { SealingKey } from "../platform/crypto/sealing-key.ts";
import type { PayloadFacts } from "./model.ts";

/*
 * Payloads that are encrypted together, because to begin an encryption costs more than to encrypt 3 KB. The plaintext is
 * a list: id of the request (16 bytes), id of the user (8, little endian), length (4), bytes. As it is encrypted with
 * them, nobody can make the bytes of one call look like those of another. A mark precedes the sealed value; a payload
 * that is encrypted by itself has none and begins with the version of a sealed value, which is another number.
 */
const groupMark = 2;
const markBytes = 1;
const userOffset = 16;
const lengthOffset = 24;
const entryHeaderBytes = 28;

/** How much longer a group is once it is sealed. */
export const groupOverheadBytes = markBytes + sealOverheadBytes;

/** Reading a payload decrypts its group; a larger one would spare next to nothing. */
export const groupPayloadsMax = 16;
export const groupBytesMax = 64 * 1024;

/** A group is bound to its column; to calls and users it is bound by its list, and to a day by the key of that day. */
const context = sealContext({ table: "payload_segment", column: "sealed", row: "group", owner: "calls" });

/** A payload that is yet to be encrypted, without its bytes. */
export type PackedPayload = {
  readonly facts: PayloadFacts;
  readonly isRequestTruncated: boolean;
  readonly isResponseTruncated: boolean;
  /** The length of its bytes. */
  readonly packedLength: number;
};

/** Collects payloads that are encrypted together. */
export class PayloadGroup {
  readonly #plain = Buffer.allocUnsafeSlow(groupBytesMax);
  #length = 0;
  #payloads: PackedPayload[] = [];

  get payloads(): readonly PackedPayload[] {
    return this.#payloads;
  }

  /** How long the group is once it is sealed. */
  get sealedLength(): number {
    return this.#length + groupOverheadBytes;
  }

  /** Whether so many bytes of one more payload fit into the group. */
  fits(length: number): boolean {
    return this.#payloads.length < groupPayloadsMax && this.#length + entryHeaderBytes + length <= groupBytesMax;
  }

  /** @param bytes they fit, and the caller may change them afterwards */
  add(payload: PackedPayload, bytes: Uint8Array): void {
    const start = this.#length;
    const { requestId, gatewayUserId } = payload.facts;
    this.#plain.write(requestId.replaceAll("-", ""), start, "hex");
    this.#plain.writeBigInt64LE(gatewayUserId, start + userOffset);
    this.#plain.writeUInt32LE(bytes.length, start + lengthOffset);
    this.#plain.set(bytes, start + entryHeaderBytes);
    this.#length += entryHeaderBytes + bytes.length;
    this.#payloads.push(payload);
  }

  /** @param target as long as `sealedLength` says */
  sealInto(target: Uint8Array, key: SealingKey): void {
    target[0] = groupMark;
    sealInto(target.subarray(markBytes), key, this.#plain.subarray(0, this.#length), context);
  }

  clear(): void {
    this.#payloads = [];
    this.#length = 0;
  }
}

/** How many bytes of a segment a payload takes in a group, besides what the group itself takes. */
export function groupedLength(length: number): number {
  return entryHeaderBytes + length;
}

export function isGroup(sealed: Uint8Array): boolean {
  return sealed[0] === groupMark;
}

/**
 * Decrypts a group and returns the bytes of one of its payloads.
 * @throws SealError when it was altered, does not contain this call of this user, or needs another key
 */
export function openFromGroup(
  keys: SealingKey | readonly SealingKey[],
  sealed: Uint8Array,
  payload: { readonly requestId: RequestId; readonly gatewayUserId: bigint },
): Uint8Array {
  const inner = sealed.subarray(markBytes);
  const bytes = open(keys, inner, context);
  const plain = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const requestId = payload.requestId.replaceAll("-", "").toLowerCase();
  for (let start = 0; start < plain.length; ) {
    const end = start + entryHeaderBytes + plain.readUInt32LE(start + lengthOffset);
    const isThisCall = plain.toString("hex", start, start + userOffset) === requestId;
    if (isThisCall && plain.readBigInt64LE(start + userOffset) === payload.gatewayUserId) {
      return plain.subarray(start + entryHeaderBytes, end);
    }
    start = end;
  }
  throw new BrokenSealError(sealedKeyId(inner));
}
