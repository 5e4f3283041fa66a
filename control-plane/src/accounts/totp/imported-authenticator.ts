import type { UserId } from "@sluice/contracts/ids";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { open, seal } from "../../platform/crypto/seal.ts";
import type { Transaction } from "../../platform/db.ts";
import { fromBase32 } from "./one-time-code.ts";
import { keepImportedCodes } from "./recovery-store.ts";
import { totpContextOf } from "./second-factor.ts";
import { type CodeOwner, lockSecret, removeSecret, replaceSecret } from "./totp-store.ts";

/** What a user of another gateway logs in with beside the password. */
export type ImportedAuthenticator = {
  readonly secret: Uint8Array;
  /** bcrypt hashes of codes that replace it, once each. */
  readonly recoveryHashes: readonly string[];
};

/** Shorter secrets can be guessed, and longer ones are none. */
const [secretBytesMin, secretBytesMax] = [10, 128];

/** The secret of an authenticator from its base32 text; null if it is none. */
export function readImportedSecret(text: string): Uint8Array | null {
  const secret = fromBase32(text);
  return secret === null || secret.length < secretBytesMin || secret.length > secretBytesMax ? null : secret;
}

/**
 * Requires the codes of this authenticator at logins, or none. A code that was used here stays used, however often the
 * same authenticator is imported.
 */
export async function putImportedAuthenticator(
  tx: Transaction,
  masterKey: MasterKey,
  userId: UserId,
  authenticator: ImportedAuthenticator | null,
): Promise<void> {
  const owner: CodeOwner = { kind: "user", id: userId };
  const context = totpContextOf(owner);
  const { sealed } = await lockSecret(tx, owner);
  if (authenticator === null) {
    await removeSecret(tx, owner);
    return;
  }
  const known = sealed === null ? null : open(masterKey.opening, sealed, context);
  if (known === null || Buffer.compare(known, authenticator.secret) !== 0) {
    await replaceSecret(tx, owner, seal(masterKey.sealing, authenticator.secret, context));
  }
  await keepImportedCodes(tx, userId, authenticator.recoveryHashes);
}
