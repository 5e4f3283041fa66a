import { createHash, scrypt, timingSafeEqual } from "node:crypto";

/** Salt and hash, in base64 after this mark, as LiteLLM stores them. */
const scryptMark = "scrypt:";
const [saltBytes, hashBytes] = [16, 32];
const cost = { N: 16_384, r: 8, p: 1, maxmem: 64 * 1024 * 1024 } as const;
const sha256Text = /^[0-9a-f]{64}$/;

/** Whether a hash is in a form of another gateway that no library knows. */
export function isForeign(hash: string): boolean {
  return hash.startsWith(scryptMark) || sha256Text.test(hash);
}

/** Whether the password matches a hash in such a form: scrypt, or a plain SHA-256 of older versions. */
export async function matchesForeign(password: string, hash: string): Promise<boolean> {
  if (sha256Text.test(hash)) {
    return timingSafeEqual(createHash("sha256").update(password).digest(), Buffer.from(hash, "hex"));
  }
  const stored = Buffer.from(hash.slice(scryptMark.length), "base64");
  if (stored.length !== saltBytes + hashBytes) {
    return false;
  }
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  scrypt(password, stored.subarray(0, saltBytes), hashBytes, cost, (error, key) =>
    error instanceof Error ? reject(error) : resolve(key),
  );
  return timingSafeEqual(await promise, stored.subarray(saltBytes));
}
