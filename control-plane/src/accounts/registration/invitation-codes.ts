import { randomInt } from "node:crypto";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { open, seal, sealContext } from "../../platform/crypto/seal.ts";
import type { SealedColumn } from "../../platform/crypto/sealed-column.ts";

/** Crockford's alphabet omits I, L, O and U, which people mistake for other characters. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const groups = 4;
const groupLetters = 4;

const table = "registration_invitation";
const column = "sealed_code";
const contextOf = (id: string): string => sealContext({ table, column, row: id, owner: "operator" });

/** What this feature encrypts under the master key. */
export const invitationSealedColumns: readonly SealedColumn[] = [
  { table, column, key: ["id"], isSmall: true, contextOf: ([id]) => contextOf(id ?? "") },
];

/** A new code of 80 random bits. */
export function makeInvitation(): string {
  const group = (): string => Array.from({ length: groupLetters }, () => alphabet[randomInt(alphabet.length)]).join("");
  return Array.from({ length: groups }, group).join("-");
}

/** What a code that somebody typed is found by; null if it can't be one. */
export function digestOfInvitation(text: string): Uint8Array | null {
  const letters = text.replace(/[\s-]/g, "").toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1");
  const isWhole = letters.length === groups * groupLetters && [...letters].every((letter) => alphabet.includes(letter));
  return isWhole ? sha256(`invitation ${letters}`) : null;
}

export function sealInvitation(masterKey: MasterKey, id: bigint, code: string): Uint8Array {
  return seal(masterKey.sealing, Buffer.from(code, "utf8"), contextOf(id.toString()));
}

/** @throws SealError when it cannot be decrypted */
export function openInvitation(masterKey: MasterKey, id: bigint, sealed: Uint8Array): string {
  return Buffer.from(open(masterKey.opening, sealed, contextOf(id.toString()))).toString("utf8");
}
