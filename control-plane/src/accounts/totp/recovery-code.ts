import { sha256 } from "../../platform/crypto/digest.ts";
import { toBase32 } from "./one-time-code.ts";
import type { CodeOwner } from "./totp-store.ts";

/** How many codes an owner gets at once. */
export const recoveryCodesMade = 10;
/** A code has eighty bits: nobody can find it from its digest, so the digest needs neither a salt nor a slow hash. */
export const recoveryCodeBytes = 10;
const groupLetters = 4;
const writtenForm = /^[A-Z2-7]{16}$/;

/** A code as displayed: in groups, for people who copy it from paper. */
export function toRecoveryCode(bytes: Uint8Array): string {
  return toBase32(bytes).replace(new RegExp(`.{${groupLetters}}(?=.)`, "g"), "$&-");
}

/**
 * The letters that a person typed, in any grouping and case; null when it is not a recovery code, such as the digits of
 * an authenticator. Misread characters are corrected: 0, 1 and 8 occur in no code.
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

/** Codes of new-api: eight letters and digits, which it stores as bcrypt hashes of two groups in capital letters. */
const importedForm = /^[A-Z0-9]{8}$/;
const bcryptBytes = 60;

/** A code of another gateway as it was hashed there, typed in any grouping and case; null when it is none. */
export function readImportedCode(typed: string): string | null {
  const letters = typed.replace(/[\s\p{Pd}]/gu, "").toUpperCase();
  return importedForm.test(letters) ? letters.replace(/.{4}(?=.)/, "$&-") : null;
}

/** Whether the stored digest is one of another gateway and belongs to this code. */
export async function matchesImported(digest: Uint8Array, code: string): Promise<boolean> {
  return digest.length === bcryptBytes && (await Bun.password.verify(code, Buffer.from(digest).toString("latin1")));
}

/** The stored digest of a code. It is bound to one owner, so the same letters of another owner are a different code. */
export function recoveryDigest({ kind, id }: CodeOwner, letters: string): Buffer {
  return Buffer.from(sha256(`recovery:${kind}:${id}:${letters}`));
}
