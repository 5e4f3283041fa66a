import { timingSafeEqual } from "node:crypto";
import { relayKeyHeader } from "./headers.ts";

/** A node accepts the new and the old key during a rotation, and never more. */
export const relayKeysMax = 2;

const lengthMin = 32;
const lengthMax = 256;
/** A relay key has no comma, because repeated headers arrive joined by one. */
const relayKeyPattern = /^[A-Za-z0-9._~+/=-]+$/;
const distinctCharactersMin = 10;
const bearerPrefix = /^Bearer /i;

/**
 * A sentence about the problem with a relay key, without the key itself, or null. An empty or guessable key is never
 * usable.
 */
export function relayKeyFault(key: string): string | null {
  if (key.length < lengthMin || key.length > lengthMax) {
    return `a relay key has ${lengthMin} to ${lengthMax} characters`;
  }
  if (!relayKeyPattern.test(key)) {
    return "a relay key consists of letters, digits and . _ ~ + / = -";
  }
  if (new Set(key).size < distinctCharactersMin) {
    return "a relay key must be random";
  }
  return null;
}

/** Distinguishes keys without revealing them: the first 32 bits of the digest, in hexadecimal. */
export function relayKeyFingerprint(key: string): string {
  return Buffer.from(digest(key).subarray(0, 4)).toString("hex");
}

/** What a request contains: no key, one, or several, in which case it is unclear which one counts. */
export type SentRelayKey =
  | { readonly kind: "none" }
  | { readonly kind: "several" }
  | { readonly kind: "one"; readonly key: string };

/** Reads the relay key from `Authorization: Bearer` or its own header; repeated headers count as several. */
export function readRelayKey(headers: Headers): SentRelayKey {
  const authorization = headers.get("authorization");
  const own = headers.get(relayKeyHeader);
  if (authorization !== null && own !== null) {
    return { kind: "several" };
  }
  const sent = authorization ?? own;
  if (sent === null) {
    return { kind: "none" };
  }
  if (sent.includes(",")) {
    return { kind: "several" };
  }
  return { kind: "one", key: authorization === null ? sent : sent.replace(bearerPrefix, "") };
}

function digest(key: string): Uint8Array<ArrayBuffer> {
  return Bun.SHA256.hash(key, new Uint8Array(32)) as Uint8Array<ArrayBuffer>;
}

/**
 * The relay keys that are valid now. Only digests are kept and compared: the comparison takes the same time for an
 * almost correct key as for a completely wrong one, and for the first of two keys as for the second.
 */
export class RelayKeyRing {
  readonly #digests: readonly Uint8Array<ArrayBuffer>[];

  /** @throws Error when there is no key, more than `relayKeysMax`, or one that `relayKeyFault` refuses */
  constructor(keys: readonly string[]) {
    if (keys.length === 0 || keys.length > relayKeysMax) {
      throw new Error(`one or ${relayKeysMax} relay keys are needed, not ${keys.length}`);
    }
    for (const key of keys) {
      const fault = relayKeyFault(key);
      if (fault !== null) {
        throw new Error(fault);
      }
    }
    this.#digests = keys.map(digest);
  }

  accepts(candidate: string): boolean {
    return this.placeOf(candidate) !== -1;
  }

  /** The index of the matching key, from 0; -1 if none matches. */
  placeOf(candidate: string): number {
    // Hashing an overlong text would take a time that its sender controls, so it is skipped.
    const sent = digest(candidate.length > lengthMax ? "" : candidate);
    let place = -1;
    this.#digests.forEach((known, index) => {
      place = timingSafeEqual(sent, known) ? index : place;
    });
    return place;
  }
}
