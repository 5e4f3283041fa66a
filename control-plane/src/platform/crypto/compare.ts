import { timingSafeEqual } from "node:crypto";
import { sha256 } from "./digest.ts";

/**
 * Whether two secrets are equal, in a time that does not reveal where they differ. Digests are compared, because
 * `timingSafeEqual` throws on unequal lengths and a plain comparison leaks them.
 */
export function isEqualSecret(left: string | Uint8Array, right: string | Uint8Array): boolean {
  return timingSafeEqual(sha256(left), sha256(right));
}
