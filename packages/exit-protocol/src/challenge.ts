import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * How two holders of the same relay key recognise each other without sending it. The control plane signs a fresh nonce
 * with the node's code and the address that it believes to be the node's; the node checks that, and signs the nonce
 * together with its response. A server at a wrong address learns nothing that is useful elsewhere.
 */
export type Challenge = {
  readonly nodeCode: string;
  /** The host of the relay URL, with its port if it has one: the server that the sender means to call. */
  readonly audience: string;
  readonly issuedAtMs: number;
  /** 22 characters of base64url: 128 random bits, never used again. */
  readonly nonce: string;
};

/** How far the clocks may be apart, and how long a nonce must be remembered on either side of now. */
export const challengeAgeMsMax = 60_000;

const version = "v1";
const noncePattern = /^[A-Za-z0-9_-]{22}$/;
const macPattern = /^[A-Za-z0-9_-]{43}$/;

function mac(relayKey: string, purpose: string, parts: readonly string[]): string {
  // Each part is prefixed with its length, so that no two lists of parts are the same text.
  const text = parts.map((part) => `${part.length}:${part}`).join("|");
  return createHmac("sha256", relayKey).update(`sluice-exit-${version}-${purpose}|${text}`).digest("base64url");
}

function challengeParts({ nodeCode, audience, issuedAtMs, nonce }: Challenge): string[] {
  return [nodeCode, audience, String(issuedAtMs), nonce];
}

function isEqualMac(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

/** The value of the challenge header. */
export function signChallenge(relayKey: string, challenge: Challenge): string {
  const { issuedAtMs, nonce } = challenge;
  return [version, issuedAtMs, nonce, mac(relayKey, "challenge", challengeParts(challenge))].join(".");
}

export type ReceivedChallenge = {
  readonly issuedAtMs: number;
  readonly nonce: string;
  readonly signature: string;
};

/** Parses the value of the challenge header; null if it is malformed. Nothing is checked yet. */
export function parseChallenge(text: string): ReceivedChallenge | null {
  const [sentVersion, time = "", nonce = "", signature = "", ...more] = text.split(".");
  const isWellFormed =
    sentVersion === version &&
    more.length === 0 &&
    /^[0-9]{13}$/.test(time) &&
    noncePattern.test(nonce) &&
    macPattern.test(signature);
  return isWellFormed ? { issuedAtMs: Number(time), nonce, signature } : null;
}

/**
 * Whether the holder of `relayKey` made the challenge for this node and audience. Age and nonce are checked elsewhere.
 */
export function isSignedBy(
  relayKey: string,
  received: ReceivedChallenge,
  target: { readonly nodeCode: string; readonly audience: string },
): boolean {
  const { issuedAtMs, nonce, signature } = received;
  return isEqualMac(mac(relayKey, "challenge", challengeParts({ ...target, issuedAtMs, nonce })), signature);
}

/** The value of the proof header: binds the body of the response to the challenge. */
export function signProof(relayKey: string, challenge: Challenge, body: string): string {
  return mac(relayKey, "proof", [...challengeParts(challenge), body]);
}

/** Whether a proof comes from a holder of the relay key, for exactly this challenge and this body. */
export function isProofValid(relayKey: string, challenge: Challenge, body: string, proof: string): boolean {
  return isEqualMac(signProof(relayKey, challenge, body), proof);
}

/** Remembers the nonces that could still be replayed. */
export class NonceMemory {
  readonly #expiry = new Map<string, number>();
  readonly #countMax: number;

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  /**
   * Accepts a challenge once, while it is fresh.
   * @returns false for one that is too old, from the future, or already seen; also when there are too many to remember
   */
  take({ issuedAtMs, nonce }: ReceivedChallenge, nowMs: number): boolean {
    for (const [known, expiresMs] of this.#expiry) {
      // The nonces are in order of arrival, so the first one to keep ends the search.
      if (expiresMs > nowMs) {
        break;
      }
      this.#expiry.delete(known);
    }
    if (Math.abs(nowMs - issuedAtMs) > challengeAgeMsMax || this.#expiry.has(nonce)) {
      return false;
    }
    if (this.#expiry.size >= this.#countMax) {
      return false;
    }
    this.#expiry.set(nonce, nowMs + 2 * challengeAgeMsMax + 1);
    return true;
  }
}
