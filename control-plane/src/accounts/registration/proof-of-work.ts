import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import { isEqualSecret } from "../../platform/crypto/compare.ts";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Database } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { useOnce } from "../used-challenge-store.ts";

const validMs = 10 * 60_000;
const shape = /^1\.(\d{1,2})\.(\d{13})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/** The work that a registration has to prove. */
export type Challenge = { readonly challenge: string; readonly bits: number; readonly expiresAt: Date };

/** A challenge with the number that solves it, as somebody sends it. */
export type Proof = { readonly challenge: string; readonly solution: string };

/**
 * A proof of work: the SHA-256 of `<challenge>:<address in lower case>:<solution>` has to begin with so many zero bits. A
 * challenge says how many, is signed, and good for ten minutes and one registration; a solution is good for one address.
 */
export class ProofOfWork {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #signing: Uint8Array;
  readonly #accepted: readonly Uint8Array[];

  constructor({
    db,
    clock,
    masterKey,
  }: { readonly db: Database; readonly clock: Clock; readonly masterKey: MasterKey }) {
    this.#db = db;
    this.#clock = clock;
    this.#signing = masterKey.deriveKey("proof of work");
    this.#accepted = masterKey.deriveKeys("proof of work");
  }

  issue(bits: number): Challenge {
    const expiresAt = this.#clock.now() + validMs;
    const text = `1.${bits}.${expiresAt}.${randomBytes(16).toString("base64url")}`;
    return { challenge: `${text}.${sign(this.#signing, text)}`, bits, expiresAt: new Date(expiresAt) };
  }

  /** @throws AppError `proof_required` if it is missing, wrong, too old or used, or was made for less work than is asked now */
  async check(proof: Proof | null, email: string, bitsMin: number): Promise<void> {
    const [, bits = "0", endsAt = "0", nonce = "", mac = ""] = shape.exec(proof?.challenge ?? "") ?? [];
    const text = `1.${bits}.${endsAt}.${nonce}`;
    const isGood =
      proof !== null &&
      nonce !== "" &&
      this.#accepted.some((key) => isEqualSecret(mac, sign(key, text))) &&
      Number(endsAt) > this.#clock.now() &&
      Number(bits) >= bitsMin &&
      /^\d{1,20}$/.test(proof.solution) &&
      zeroBits(sha256(`${proof.challenge}:${email.toLowerCase()}:${proof.solution}`)) >= Number(bits);
    if (!isGood || !(await useOnce(this.#db, sha256(text), new Date(Number(endsAt))))) {
      throw new AppError("proof_required");
    }
  }
}

function sign(key: Uint8Array, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}

function zeroBits(digest: Uint8Array): number {
  const index = digest.findIndex((byte) => byte !== 0);
  return index === -1 ? digest.length * 8 : index * 8 + Math.clz32(digest[index] ?? 0) - 24;
}
