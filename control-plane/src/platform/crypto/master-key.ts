import { hkdfSync, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { keyIdOf, SealingKey, sealingKeyBytes } from "./sealing-key.ts";
import { createSecretFile } from "./secret-file.ts";
import { weaknessOf } from "./weak-key.ts";

/** The master key is missing or unfit. The message is one sentence for the operator and never quotes the key. */
export class MasterKeyError extends Error {
  override readonly name = "MasterKeyError";
}

/**
 * The one key that protects everything at rest: credentials of channels and the day keys of payloads are sealed under
 * it. It seals and derives, but it does not give its bytes away, and it prints as "[secret]".
 */
export class MasterKey {
  /** Eight hex digits that name the key; safe to log. */
  readonly id: string;
  /** Seals what is stored in the database. Carries the id of the master key. */
  readonly sealing: SealingKey;
  readonly #secret: Uint8Array;

  /** @throws RangeError when the secret is not 32 bytes */
  constructor(secret: Uint8Array) {
    if (secret.length !== sealingKeyBytes) {
      throw new RangeError(`a master key has ${sealingKeyBytes} bytes, not ${secret.length}`);
    }
    this.#secret = new Uint8Array(secret);
    this.id = keyIdOf(secret);
    this.sealing = new SealingKey(this.id, this.deriveKey("seal stored values"));
  }

  /**
   * A key of 32 bytes for one purpose, the same in every process that has this master key. Keys of different purposes
   * tell nothing about each other or about the master key.
   */
  deriveKey(purpose: string): Uint8Array<ArrayBuffer> {
    return new Uint8Array(hkdfSync("sha256", this.#secret, "", `sluice v1 ${purpose}`, sealingKeyBytes));
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

export type MasterKeySource = {
  readonly isProduction: boolean;
  /** MASTER_KEY, or null. */
  readonly value: string | null;
  /** MASTER_KEY_FILE, or null. */
  readonly file: string | null;
  /** Where development keeps a key of its own. */
  readonly dataDirectory: string;
};

const developmentFileName = "master.key";
const howToMake = "make one with `openssl rand -base64 32` and keep a copy outside the server";

/**
 * Finds the master key. Production must be given one; development makes one at the first start and keeps it.
 * @throws MasterKeyError when it is missing, given twice, not readable, or too weak to protect anything
 */
export async function loadMasterKey(source: MasterKeySource): Promise<MasterKey> {
  const value = source.value?.trim() || null;
  if (value !== null && source.file !== null) {
    throw new MasterKeyError("Both MASTER_KEY and MASTER_KEY_FILE are set; set only one of them.");
  }
  if (value !== null) {
    return parseMasterKey(value, "MASTER_KEY");
  }
  if (source.file !== null) {
    return parseMasterKey(await readKeyFile(source.file, "MASTER_KEY_FILE"), `The file of MASTER_KEY_FILE`);
  }
  if (source.isProduction) {
    throw new MasterKeyError(
      `Production needs a master key, in MASTER_KEY or in the file that MASTER_KEY_FILE names: ${howToMake}.`,
    );
  }
  return await keepDevelopmentKey(join(source.dataDirectory, developmentFileName));
}

async function keepDevelopmentKey(path: string): Promise<MasterKey> {
  await createSecretFile(path, `${randomBytes(sealingKeyBytes).toString("base64")}\n`);
  return parseMasterKey(await readKeyFile(path, path), path);
}

async function readKeyFile(path: string, name: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new MasterKeyError(`The master key can't be read from ${name}: ${code}.`);
  }
}

function parseMasterKey(text: string, name: string): MasterKey {
  const secret = Buffer.from(text, "base64");
  // Decoding is lenient; only what encodes back to itself was meant as base64.
  if (secret.length !== sealingKeyBytes || secret.toString("base64") !== text) {
    throw new MasterKeyError(`${name} must hold base64 of exactly ${sealingKeyBytes} bytes; ${howToMake}.`);
  }
  const weakness = weaknessOf(secret);
  if (weakness !== null) {
    throw new MasterKeyError(`${name} holds a key that can be guessed (${weakness}); ${howToMake}.`);
  }
  return new MasterKey(secret);
}
