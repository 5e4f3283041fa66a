import { isEqualSecret } from "../../../platform/crypto/compare.ts";

export type WalletFields = Iterable<readonly [name: string, value: string]>;

const signatureField = "verifySign";
const signaturePattern = /^[0-9a-f]{32}$/;

/*
 * The scheme is the gateway's: MD5 over `name=value` of every field but the signature, sorted by name and not encoded,
 * with the MD5 of the token appended. MD5 is weak and the joined text is ambiguous, so that a valid signature alone
 * decides nothing: amount, currency and order are compared, and the gateway itself is asked.
 */

/** The signature over all fields, 32 lower-case hex digits. */
export function signWalletFields(fields: WalletFields, token: string): string {
  const parts = [...fields]
    .filter(([name]) => name !== signatureField)
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .map(([name, value]) => `${name}=${value}`);
  return md5(`${parts.join("&")}&${md5(token.trim())}`);
}

/** Whether the signature among the fields is right; compared in constant time. */
export function hasWalletSignature(fields: ReadonlyMap<string, string>, token: string): boolean {
  const given = fields.get(signatureField);
  return given !== undefined && signaturePattern.test(given) && isEqualSecret(given, signWalletFields(fields, token));
}

/** The fields with their signature, in the order in which they are signed. */
export function withWalletSignature(fields: Readonly<Record<string, string>>, token: string): Record<string, string> {
  const sorted = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  return { ...Object.fromEntries(sorted), [signatureField]: signWalletFields(sorted, token) };
}

function md5(text: string): string {
  return new Bun.CryptoHasher("md5").update(text, "utf8").digest("hex");
}
