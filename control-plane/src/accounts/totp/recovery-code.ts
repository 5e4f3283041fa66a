import { sha256 } from "../../platform/crypto/digest.ts";
import { toBase32 } from "./one-time-code.ts";
import type { CodeOwner } from "./totp-store.ts";

/** How many an owner gets at once. */
export const recoveryCodesMade = 10;
/** Eighty bits: nobody finds a code by its digest, so that one without salt and cost is enough. */
export const recoveryCodeBytes = 10;
const groupLetters = 4;
const writtenForm = /^[A-Z2-7]{16}$/;

/** The letters of a code as they are shown: in groups, for people who copy them from paper. */
export function toRecoveryCode(bytes: Uint8Array): string {
  return toBase32(bytes).replace(new RegExp(`.{${groupLetters}}(?=.)`, "g"), "$&-");
}

/**
 * The letters that somebody typed, however grouped and in whatever case; null when it is not a recovery code, like the
 * digits of an authenticator. Letters read by mistake are corrected: 0, 1 and 8 are in no code.
 */
export function readRecoveryCode(typed: string): string | null {
  const letters = typed
    .replace(/[\s\p{Pd}]/gu, "")
    .toUpperCase()
    .replaceAll("0", "O")
    .replaceAll("1", "I")
    .replaceAll("8", "B");
  return writtenForm.test(letters) ? letters : null;
}

/** What is kept of a code: it belongs to one owner, so that the same letters of another are another code. */
export function recoveryDigest({ kind, id }: CodeOwner, letters: string): Buffer {
  return Buffer.from(sha256(`recovery:${kind}:${id}:${letters}`));
}
