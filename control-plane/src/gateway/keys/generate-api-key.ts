import { randomBytes } from "node:crypto";

/** `sk-` and 48 characters out of 62: 285 bits. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const bodyLength = 48;

/** Generates a new API key. Bytes that would favour some characters are discarded. */
export function generateApiKey(): string {
  let body = "";
  while (body.length < bodyLength) {
    for (const byte of randomBytes(64)) {
      if (byte < 248 && body.length < bodyLength) {
        body += alphabet[byte % 62];
      }
    }
  }
  return `sk-${body}`;
}
