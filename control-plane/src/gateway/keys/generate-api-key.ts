import { randomText } from "../../platform/crypto/random-text.ts";

/** `sk-` and 48 characters out of 62: 285 bits. */
const bodyLength = 48;

/** Generates a new API key. */
export function generateApiKey(): string {
  return `sk-${randomText(bodyLength)}`;
}
