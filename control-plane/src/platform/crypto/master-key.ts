import { hkdfSync, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { keyIdOf, SealingKey, sealingKeyBytes } from "./sealing-key.ts";
import { createSecretFile } from "./secret-file.ts";
import { weaknessOf } from "./weak-key.ts";

/** The master key is missing or unsuitable. The message is one sentence for the operator and never quotes the key. */
export class MasterKeyError extends Error {
  override readonly name = "MasterKeyError";
}

/**
 * The one key that protects everything at rest: channel credentials and the day keys of payloads are encrypted under
 * it. It encrypts and derives keys, but never reveals its bytes, and prints as "[secret]".
 */
export class MasterKey {
  /** Eight hex digits that identify the key; safe to log. */
  readonly id: string;
  /** Encrypts values that are stored in the database; each of them names this master key by its id. */
  readonly sealing: SealingKey;
  /** Decrypts stored values: this master key's own key, and during a rotation also that of the previous master key. */
  readonly opening: readonly SealingKey[];
  /** The other master key of a rotation, which decrypts and never encrypts; null outside of one. */
  readonly previous: MasterKey | null;
  readonly #secret: Uint8Array;

  /** @throws RangeError when the secret is not 32 bytes */
  constructor(secret: Uint8Array, previous: MasterKey | null = null) {
    if (secret.length !== sealingKeyBytes) {
      throw new RangeError(`a master key has ${sealingKeyBytes} bytes, not ${secret.length}`);
    }
    this.#secret = new Uint8Array(secret);
    this.id = keyIdOf(secret);
    this.sealing = new SealingKey(this.id, this.deriveKey("seal stored values"));
    this.previous = previous;
    this.opening = previous === null ? [this.sealing] : [this.sealing, previous.sealing];
  }

  /**
   * A 32-byte key for one purpose, the same in every process that has this master key. Keys of different purposes
   * reveal nothing about each other or about the master key.
   */
  deriveKey(purpose: string): Uint8Array<ArrayBuffer> {
    return new Uint8Array(hkdfSync("sha256", this.#secret, "", `sluice v1 ${purpose}`, sealingKeyBytes));
  }

  /**
   * The accepted keys of a purpose: the one derived from this master key, and during a rotation also the one derived
   * from the previous.
   */
  deriveKeys(purpose: string): Uint8Array<ArrayBuffer>[] {
    return [this.deriveKey(purpose), ...(this.previous?.deriveKeys(purpose) ?? [])];
  }

  toJSON(): string {
    return "[secret]";
  }

  toString(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}

/** A key in a variable, or the name of a file that holds it; null for an unset variable. */
export type KeyText = { readonly value: string | null; readonly file: string | null };

/** MASTER_KEY or MASTER_KEY_FILE, and the other places where the key may be. */
export type MasterKeySource = KeyText & {
  readonly isProduction: boolean;
  /** MASTER_KEY_PREVIOUS or MASTER_KEY_PREVIOUS_FILE; usually absent. */
  readonly previous?: KeyText;
  /** The folder where development stores its own key. */
  readonly dataDirectory: string;
};

const developmentFileName = "master.key";
const howToMake = "make one with `openssl rand -base64 32` and keep a copy outside the server";

/**
 * Loads the master key. Production must be given one; development creates one at the first start and keeps it.
 * @throws MasterKeyError when it is missing, given twice, unreadable, or too weak to protect anything
 */
export async function loadMasterKey(source: MasterKeySource): Promise<MasterKey> {
  const current = (await readGivenKey("MASTER_KEY", source)) ?? (await findUngivenKey(source));
  const other = source.previous === undefined ? null : await readGivenKey("MASTER_KEY_PREVIOUS", source.previous);
  if (other === null) {
    return new MasterKey(current);
  }
  const previous = new MasterKey(other);
  const key = new MasterKey(current, previous);
  if (previous.id === key.id) {
    throw new MasterKeyError("MASTER_KEY_PREVIOUS must not be the same key as MASTER_KEY.");
  }
  return key;
}

/**
 * The key of a variable, or of the file named by the variable with `_FILE` appended; null when neither is set.
 * @throws MasterKeyError as `loadMasterKey`
 */
export async function loadGivenKey(name: string, given: KeyText): Promise<MasterKey | null> {
  const secret = await readGivenKey(name, given);
  return secret === null ? null : new MasterKey(secret);
}

async function readGivenKey(name: string, given: KeyText): Promise<Uint8Array | null> {
  const value = given.value?.trim() || null;
  if (value !== null && given.file !== null) {
    throw new MasterKeyError(`Both ${name} and ${name}_FILE are set; set only one of them.`);
  }
  if (value !== null) {
    return parseKey(value, name);
  }
  if (given.file !== null) {
    return parseKey(await readKeyFile(given.file, `${name}_FILE`), `The file of ${name}_FILE`);
  }
  return null;
}

async function findUngivenKey(source: MasterKeySource): Promise<Uint8Array> {
  if (source.isProduction) {
    throw new MasterKeyError(
      `Production needs a master key, in MASTER_KEY or in the file that MASTER_KEY_FILE names: ${howToMake}.`,
    );
  }
  return await keepDevelopmentKey(join(source.dataDirectory, developmentFileName));
}

async function keepDevelopmentKey(path: string): Promise<Uint8Array> {
  await createSecretFile(path, `${randomBytes(sealingKeyBytes).toString("base64")}\n`);
  return parseKey(await readKeyFile(path, path), path);
}

async function readKeyFile(path: string, name: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new MasterKeyError(`The master key can't be read from ${name}: ${code}.`);
  }
}

function parseKey(text: string, name: string): Uint8Array {
  const secret = Buffer.from(text, "base64");
  // Base64 decoding is lenient, so only text that encodes back to itself is accepted as base64.
  if (secret.length !== sealingKeyBytes || secret.toString("base64") !== text) {
    throw new MasterKeyError(`${name} must hold base64 of exactly ${sealingKeyBytes} bytes; ${howToMake}.`);
  }
  const weakness = weaknessOf(secret);
  if (weakness !== null) {
    throw new MasterKeyError(`${name} holds a key that can be guessed (${weakness}); ${howToMake}.`);
  }
  return secret;
}
