import { sha256 } from "../platform/crypto/digest.ts";

/** No I, L, O, U: people read these numbers to each other. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const bitsPerLetter = 5n;
const orderBytes = 16;
const claimBytes = 20;

/** 128 random bits: who knows the number of an order was told it. Letters and digits only, for every gateway. */
export function makeOrderNo(): string {
  return `S${randomText(orderBytes)}`;
}

/** What gives an order without a login to whoever has it. */
export function makeClaimCode(): string {
  return randomText(claimBytes);
}

/** As it is stored; people type codes in small letters and with spaces. */
export function hashClaimCode(code: string): Uint8Array {
  return sha256(code.replace(/[\s-]/g, "").toUpperCase());
}

export function makeRefundNo(): string {
  return `R${randomText(orderBytes)}`;
}

function randomText(bytes: number): string {
  let value = BigInt(`0x${crypto.getRandomValues(new Uint8Array(bytes)).toHex()}`);
  let text = "";
  for (let bits = bytes * 8; bits > 0; bits -= Number(bitsPerLetter)) {
    text += alphabet[Number(value & 31n)];
    value >>= bitsPerLetter;
  }
  return text;
}
