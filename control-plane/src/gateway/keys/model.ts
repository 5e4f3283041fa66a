import { randomBytes } from "node:crypto";

/** `sk-` and 48 characters out of 62: 285 bits. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const bodyLength = 48;
const keyPattern = /^sk-[A-Za-z0-9]{48}$/;

/** Makes a new API key. Bytes that would favour some characters are thrown away. */
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

/** Whether a text can be one of our keys at all; anything else is refused without asking the database. */
export function looksLikeApiKey(text: string): boolean {
  return keyPattern.test(text);
}

/** What people may see of a key. */
export function describeApiKey(key: string): { keyPrefix: string; keyLastFour: string } {
  return { keyPrefix: key.slice(0, 7), keyLastFour: key.slice(-4) };
}
