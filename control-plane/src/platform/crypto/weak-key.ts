import { sha256Hex } from "./digest.ts";

/** The probability that a random 32-byte key has fewer distinct bytes than this is 1 in 7,000 million. */
const distinctBytesMin = 20;

/** Words that people hash to get 32 bytes, and keys published in standards and manuals. */
const guessedWords = ["", "secret", "password", "changeme", "change-me", "test", "example", "master", "key", "sluice"];
const publishedKeys = [
  "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
  "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
  "2b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfe",
];
const guessedKeys = new Set([...guessedWords.map((word) => sha256Hex(word)), ...publishedKeys]);

/** Why a 32-byte key can be guessed, as part of a sentence, or null if it looks random. */
export function weaknessOf(secret: Uint8Array): string | null {
  if (secret.every((byte) => byte === 0)) {
    return "it is all zeros";
  }
  if (secret.every((byte) => byte >= 0x20 && byte < 0x7f)) {
    return "it is readable text, not random bytes";
  }
  if (isProgression(secret)) {
    return "its bytes follow a pattern";
  }
  if (new Set(secret).size < distinctBytesMin) {
    return "it repeats too few different bytes";
  }
  return guessedKeys.has(secret.toHex()) ? "it is a published example" : null;
}

function isProgression(secret: Uint8Array): boolean {
  const step = ((secret[1] ?? 0) - (secret[0] ?? 0)) & 0xff;
  return secret.every((byte, index) => index === 0 || byte === (((secret[index - 1] ?? 0) + step) & 0xff));
}
