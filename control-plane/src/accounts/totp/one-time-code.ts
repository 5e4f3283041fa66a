import { createHmac } from "node:crypto";
import { isEqualSecret } from "../../platform/crypto/compare.ts";

/** The RFC 6238 values that every authenticator supports: HMAC-SHA-1, six digits, thirty seconds. */
const stepMs = 30_000;
const digits = 6;
/** The clock of an authenticator may be off by one step in either direction. */
const driftSteps = 1;
const base32Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The secret is as long as the digest, as RFC 4226 recommends. */
export const secretBytes = 20;

/** The code of a time step. */
export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

export function stepAt(epochMs: number): number {
  return Math.floor(epochMs / stepMs);
}

/** The time step, near the current one, that a code belongs to; null if there is none. */
export function findStep(secret: Uint8Array, code: string, epochMs: number): number | null {
  const now = stepAt(epochMs);
  let found: number | null = null;
  for (let step = now - driftSteps; step <= now + driftSteps; step += 1) {
    // Every code is compared, so that timing reveals nothing.
    if (isEqualSecret(codeAt(secret, step), code)) {
      found = step;
    }
  }
  return found;
}

/** Encodes bytes in base32 (RFC 4648) without padding, as authenticators expect it. */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += base32Letters[(value >> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + base32Letters[(value << (5 - bits)) & 31];
}

const base32Bits = 5;
/** Rests of this many letters encode no whole byte. */
const impossibleRests = new Set([1, 3, 6]);

/** The bytes of a base32 text in any case, with or without padding; null if it is none. */
export function fromBase32(text: string): Uint8Array | null {
  const letters = text.trim().toUpperCase().replace(/=+$/, "");
  if (letters === "" || /[^A-Z2-7]/.test(letters) || impossibleRests.has(letters.length % 8)) {
    return null;
  }
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of letters) {
    value = (value << base32Bits) | base32Letters.indexOf(letter);
    bits += base32Bits;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >> bits) & 0xff);
      value &= (1 << bits) - 1;
    }
  }
  return new Uint8Array(bytes);
}

/** The URI in the QR code that an authenticator scans. */
export function authenticatorUri(secret: Uint8Array, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=30`;
}
