import { createHmac } from "node:crypto";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Registered } from "./registration-store.ts";

export type Origins = Pick<Registered, "network" | "device">;

/**
 * What is left of the network and the device of an account that was closed: keyed digests, which name nobody without the master
 * key, and by which free credit that was paid still counts. Otherwise closing an account would make room for another credit.
 */
export class ClosedMarks {
  /** The newest first: the others are of a master key that is being rotated out. */
  readonly #keys: readonly Uint8Array[];

  constructor(masterKey: MasterKey) {
    this.#keys = masterKey.deriveKeys("registrations of closed accounts");
  }

  /** What to store in place of a network or a device. */
  of(origin: string): string {
    return this.all(origin)[0] ?? "";
  }

  /** The marks that a network or a device may have. */
  all(origin: string): readonly string[] {
    return this.#keys.map((key) => `closed:${createHmac("sha256", key).update(origin).digest("base64url")}`);
  }
}
