import type { MasterKey } from "../platform/crypto/master-key.ts";
import { open, seal, sealContext } from "../platform/crypto/seal.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The encryption binds the variables to the email's key, which is known before its row has an id, and is as unique. */
export function variablesContext(mail: {
  readonly dedupeKey: string;
  readonly userId: bigint | string | null;
}): string {
  const owner = mail.userId ?? "nobody";
  return sealContext({ table: "mail_log", column: "variables_sealed", row: mail.dedupeKey, owner });
}

/** Variables may contain a link with a token, so they are encrypted in the database until the email is done. */
export function sealVariables(
  masterKey: MasterKey,
  mail: { readonly dedupeKey: string; readonly userId: bigint | null },
  variables: Readonly<Record<string, string>>,
): Uint8Array {
  return seal(masterKey.sealing, encoder.encode(JSON.stringify(variables)), variablesContext(mail));
}

/** @throws MalformedSealError, UnknownSealingKeyError, BrokenSealError */
export function openVariables(
  masterKey: MasterKey,
  mail: { readonly dedupeKey: string; readonly userId: bigint | null },
  sealed: Uint8Array,
): Record<string, string> {
  return JSON.parse(decoder.decode(open(masterKey.opening, sealed, variablesContext(mail)))) as Record<string, string>;
}
