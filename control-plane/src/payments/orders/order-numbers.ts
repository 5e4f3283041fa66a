import { sha256 } from "../../platform/crypto/digest.ts";

/** No I, L, O, U: people read these numbers to each other. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const bitsPerLetter = 5n;
const orderBytes = 16;
const claimBytes = 20;

/** 128 random bits: anyone who knows an order's number was given it. Letters and digits only, for every gateway. */
export function makeOrderNo(): string {
  return `S${randomText(orderBytes)}`;
}

/** Lets anyone who has it claim an anonymous order. */
export function makeClaimCode(): string {
  return randomText(claimBytes);
}

/** As stored; people type codes in lower case and with spaces. */
export function hashClaimCode(code: string): Uint8Array {
  return sha256(code.replace(/[\s-]/g, "").toUpperCase());
}

/** The same for the same order and key, so that a repeated refund has one number. */
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
