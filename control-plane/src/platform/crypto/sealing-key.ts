import {
  type CipherGCM,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type DecipherGCM,
  type KeyObject,
} from "node:crypto";
import { inspect } from "node:util";
import { sha256Hex } from "./digest.ts";

export const sealingKeyBytes = 32;
export const tagBytes = 16;

/** Created once, because every call creates ciphers. */
const cipherOptions = { authTagLength: tagBytes };

const idDomain = Buffer.from("sluice key id v1\0");

/** Identifies a key without revealing it: the first eight hex digits of a SHA-256 over a domain prefix and the key. */
export function keyIdOf(secret: Uint8Array): string {
  return sha256Hex(Buffer.concat([idDomain, secret])).slice(0, 8);
}

/**
 * A key for AES-256-GCM with its id. The bytes stay inside: printing, serialising or spreading it exposes the id at
 * most.
 */
export class SealingKey {
  /** Eight lower-case hex digits. */
  readonly id: string;
  readonly #secret: KeyObject;

  /** @throws RangeError when the secret is not 32 bytes or the id not eight hex digits */
  constructor(id: string, secret: Uint8Array | KeyObject) {
    const length = secret instanceof Uint8Array ? secret.length : secret.symmetricKeySize;
    if (length !== sealingKeyBytes) {
      throw new RangeError(`a sealing key has ${sealingKeyBytes} bytes, not ${length}`);
    }
    if (!/^[0-9a-f]{8}$/.test(id)) {
      throw new RangeError("a key id has eight lower-case hex digits");
    }
    this.id = id;
    this.#secret = secret instanceof Uint8Array ? createSecretKey(secret) : secret;
  }

  /** The key in the form in which another thread of this process can be given it. It too never shows its bytes. */
  forThread(): KeyObject {
    return this.#secret;
  }

  encipher(nonce: Uint8Array): CipherGCM {
    return createCipheriv("aes-256-gcm", this.#secret, nonce, cipherOptions);
  }

  decipher(nonce: Uint8Array): DecipherGCM {
    return createDecipheriv("aes-256-gcm", this.#secret, nonce, cipherOptions);
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
