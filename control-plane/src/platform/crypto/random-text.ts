import { randomBytes } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Bytes from here on would favour some characters. */
const byteMax = 256 - (256 % alphabet.length);

/** Random letters and digits, uniformly distributed. */
export function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(64)) {
      if (byte < byteMax && text.length < length) {
        text += alphabet[byte % alphabet.length];
      }
    }
  }
  return text;
}
