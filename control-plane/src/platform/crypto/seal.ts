import { randomFillSync } from "node:crypto";
import { BrokenSealError, MalformedSealError, UnknownSealingKeyError } from "./seal-errors.ts";
import { type SealingKey, tagBytes } from "./sealing-key.ts";

/*
 * The format of a sealed value: version (1 byte), key id (4), nonce (12), ciphertext (as long as the plaintext), tag
 * (16). The context, which says where the sealed value is stored, is authenticated with it, but not stored.
 */
const version = 1;
const keyIdOffset = 1;
const nonceOffset = 5;
const nonceBytes = 12;
const headerBytes = nonceOffset + nonceBytes;

/** How much longer the sealed form is than the plaintext. */
export const sealOverheadBytes = headerBytes + tagBytes;

/** From this length on, a buffer never shares its memory with others. */
const ownMemoryBytesMin = 8 * 1024;

const prefixBytes = 8;
const counterMax = 0xffff_ffff;
const nonce = new Uint8Array(nonceBytes);
const nonceView = new DataView(nonce.buffer);
let counter = counterMax;

/**
 * GCM breaks when a nonce is used twice under one key. This one is 64 random bits, drawn when the process starts and
 * again whenever the counter is used up, followed by a 32-bit counter. Within a prefix the counter can't repeat; two
 * nonces can only collide when two prefixes do. With 2^16 starts and wraps of all replicas within the life of one key
 * that has a probability of 2^-33, whatever the number of messages. (With 12 random bytes per message, the probability
 * is the same after 2^32 messages, and each message costs a call for randomness of 0.5 us.) A child process begins with
 * its own prefix, because it loads this module again.  A memory image of a running process must not be resumed twice:
 * this module could not notice that.
 */
function advanceNonce(): Uint8Array {
  if (counter >= counterMax) {
    randomFillSync(nonce, 0, prefixBytes);
    counter = 0;
  }
  counter += 1;
  nonceView.setUint32(prefixBytes, counter);
  return nonce;
}

/** The place of a sealed value. A value that is moved to another place can't be opened there. */
export type SealPlace = {
  readonly table: string;
  readonly column: string;
  /** The primary key of the row, as text. */
  readonly row: string | bigint;
  /** The owner of the value: the user, or the operator. */
  readonly owner: string | bigint;
};

/**
 * The context of a place for `seal` and `open`. Each part is prefixed with its length, so that no two places share a
 * text, whatever their parts contain.
 */
export function sealContext(place: SealPlace): string {
  const row = place.row.toString();
  const owner = place.owner.toString();
  return `${place.table.length}:${place.table}${place.column.length}:${place.column}${row.length}:${row}${owner.length}:${owner}`;
}

/** Holds version, key id and context while they are authenticated; contexts that do not fit get their own buffer. */
const associatedScratch = Buffer.allocUnsafeSlow(1024);

function associatedData(keyId: string, context: string): Uint8Array {
  // A UTF-16 unit becomes at most three bytes.
  const needed = nonceOffset + context.length * 3;
  const target = needed <= associatedScratch.length ? associatedScratch : Buffer.allocUnsafe(needed);
  target[0] = version;
  target.write(keyId, keyIdOffset, "hex");
  return target.subarray(0, nonceOffset + target.write(context, nonceOffset));
}

/**
 * Encrypts and authenticates a value for one place.
 * @param context the place of the value, from `sealContext`; `open` must be given the same
 * @returns `sealOverheadBytes` more than the plaintext, in its own buffer
 */
export function seal(key: SealingKey, plaintext: Uint8Array, context: string): Uint8Array<ArrayBuffer> {
  const sealed = Buffer.allocUnsafeSlow(plaintext.length + sealOverheadBytes);
  sealInto(sealed, key, plaintext, context);
  return sealed;
}

/**
 * Seals into a given part of a buffer, which saves an allocation.
 * @param target exactly `sealOverheadBytes` longer than the plaintext
 * @throws RangeError when it is not; nothing was written then
 */
export function sealInto(target: Uint8Array, key: SealingKey, plaintext: Uint8Array, context: string): void {
  if (target.length !== plaintext.length + sealOverheadBytes) {
    throw new RangeError(`${plaintext.length} bytes cannot be sealed into ${target.length}`);
  }
  const nonceOfThis = advanceNonce();
  const cipher = key.encipher(nonceOfThis);
  const associated = associatedData(key.id, context);
  cipher.setAAD(associated);
  const ciphertext: Buffer<ArrayBuffer> = cipher.update(plaintext);
  cipher.final();
  // The sealed value and the authenticated data both begin with version and key id.
  target.set(associated.subarray(0, nonceOffset));
  target.set(nonceOfThis, nonceOffset);
  target.set(ciphertext, headerBytes);
  target.set(cipher.getAuthTag(), headerBytes + plaintext.length);
  if (ciphertext.length >= ownMemoryBytesMin) {
    // Frees it for the next value now, not at the next collection: touching fresh memory costs as much as encrypting.
    ciphertext.buffer.transfer(0);
  }
}

/**
 * The id of the key under which a value was sealed.
 * @throws MalformedSealError
 */
export function sealedKeyId(sealed: Uint8Array): string {
  if (sealed.length < sealOverheadBytes) {
    throw new MalformedSealError(`${sealed.length} bytes are too few for a sealed value`);
  }
  if (sealed[0] !== version) {
    throw new MalformedSealError(`sealed values of version ${sealed[0]} are unknown`);
  }
  return sealed.subarray(keyIdOffset, nonceOffset).toHex();
}

/**
 * Opens a value for the place at which it was found. The key is chosen by the id in the value; keys are never tried one
 * after the other, because GCM does not commit to its key.
 * @throws MalformedSealError, UnknownSealingKeyError, BrokenSealError
 */
export function open(keys: SealingKey | readonly SealingKey[], sealed: Uint8Array, context: string): Uint8Array {
  const keyId = sealedKeyId(sealed);
  const key = [keys].flat().find(({ id }) => id === keyId);
  if (key === undefined) {
    throw new UnknownSealingKeyError(keyId);
  }
  const tagOffset = sealed.length - tagBytes;
  try {
    const decipher = key.decipher(sealed.subarray(nonceOffset, headerBytes));
    decipher.setAAD(associatedData(keyId, context));
    decipher.setAuthTag(sealed.subarray(tagOffset));
    const plaintext = decipher.update(sealed.subarray(headerBytes, tagOffset));
    decipher.final();
    return plaintext;
  } catch {
    throw new BrokenSealError(keyId);
  }
}
