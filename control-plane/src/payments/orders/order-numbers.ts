import { sha256 } from "../../platform/crypto/digest.ts";

/** The alphabet omits I, L, O and U, because people read these numbers to each other. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const bitsPerLetter = 5n;
const orderBytes = 16;
const claimBytes = 20;

/**
 * An order number has 128 random bits, so only someone who was given the number knows it. It has only letters and
 * digits, because every gateway accepts those.
 */
export function makeOrderNo(): string {
  return `S${randomText(orderBytes)}`;
}

/** The number of a plan that renews, as unguessable as that of an order. */
export function makeRenewalNo(): string {
  return `P${randomText(orderBytes)}`;
}

/** The number of an automatic top-up, likewise. */
export function makeTopUpNo(): string {
  return `T${randomText(orderBytes)}`;
}

/** A code that lets its holder claim an anonymous order. */
export function makeClaimCode(): string {
  return randomText(claimBytes);
}

/** The stored form of a code; people type codes in lower case and with spaces. */
export function hashClaimCode(code: string): Uint8Array {
  return sha256(code.replace(/[\s-]/g, "").toUpperCase());
}

/** The refund number for an order and a key. It never changes, so that a repeated refund has one number. */
export function refundNoOf(orderNo: string, idempotencyKey: string): string {
  return `R${textOf(sha256(`refund ${orderNo} ${idempotencyKey}`).slice(0, orderBytes))}`;
}

function randomText(bytes: number): string {
  return textOf(crypto.getRandomValues(new Uint8Array(bytes)));
}

function textOf(bytes: Uint8Array): string {
  let value = BigInt(`0x${bytes.toHex()}`);
  let text = "";
  for (let bits = bytes.length * 8; bits > 0; bits -= Number(bitsPerLetter)) {
    text += alphabet[Number(value & 31n)];
    value >>= bitsPerLetter;
  }
  return text;
}
