import type { SecretEntry } from "@sluice/contracts/secrets";
import type { Clock } from "../../platform/clock.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { open, seal, sealContext } from "../../platform/crypto/seal.ts";
import type { SealedColumn } from "../../platform/crypto/sealed-column.ts";
import type { Database, Queryable, Transaction } from "../../platform/db.ts";
import { findSecret, selectSecrets, upsertSecret } from "./store.ts";

const cachedMsMax = 5_000;

/** An encrypted value can be decrypted only under the name it was saved for. */
function contextOf(name: string): string {
  return sealContext({ table: "secret", column: "sealed", row: name, owner: "operator" });
}

/** What this feature encrypts under the master key. */
export const secretSealedColumns: readonly SealedColumn[] = [
  { table: "secret", column: "sealed", key: ["name"], isSmall: true, contextOf: ([name]) => contextOf(name ?? "") },
];

/** Encrypts the value and stores it under the name, replacing an earlier one. Returns its version, counted from 1. */
export async function saveSecret(
  tx: Transaction,
  masterKey: MasterKey,
  name: string,
  value: string,
): Promise<{ readonly version: number }> {
  const sealed = seal(masterKey.sealing, Buffer.from(value, "utf8"), contextOf(name));
  return { version: await upsertSecret(tx, name, sealed) };
}

/**
 * The decrypted value, or null when there is none with this name.
 * @throws SealError when it was encrypted under another master key, altered, or moved here from another name
 */
export async function readSecret(db: Queryable, masterKey: MasterKey, name: string): Promise<string | null> {
  const sealed = await findSecret(db, name);
  return sealed === null ? null : Buffer.from(open(masterKey.opening, sealed, contextOf(name))).toString("utf8");
}

/** Names, versions and dates of all secrets; values are never listed. */
export async function listSecrets(db: Queryable): Promise<SecretEntry[]> {
  return await selectSecrets(db);
}

type Cached = { readonly readAt: number; readonly value: Promise<string | null> };

export type SecretReaderDeps = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  /** Environment values by secret name; used only for names that are not in the store. */
  readonly fallbacks?: Readonly<Record<string, string | undefined>>;
};

/** Reads secrets that every call needs, and caches them for a few seconds. */
export class SecretReader {
  readonly #deps: SecretReaderDeps;
  readonly #cached = new Map<string, Cached>();

  constructor(deps: SecretReaderDeps) {
    this.#deps = deps;
  }

  /**
   * The value from the store, else from the environment, else null.
   * @throws SealError for a value that cannot be decrypted: a broken store never falls back to the environment
   */
  async read(name: string): Promise<string | null> {
    const now = this.#deps.clock.tick();
    const known = this.#cached.get(name);
    if (known !== undefined && now - known.readAt < cachedMsMax) {
      return await known.value;
    }
    const value = this.#reload(name);
    this.#cached.set(name, { readAt: now, value });
    try {
      return await value;
    } catch (error) {
      // Failures are not cached: the next call tries again.
      this.#cached.delete(name);
      throw error;
    }
  }

  /** Clears the cache, so that a change by this process takes effect immediately. */
  forget(): void {
    this.#cached.clear();
  }

  async #reload(name: string): Promise<string | null> {
    const { db, masterKey, fallbacks } = this.#deps;
    return (await readSecret(db, masterKey, name)) ?? fallbacks?.[name] ?? null;
  }
}
