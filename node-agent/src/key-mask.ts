const maskByte = 0x2a;
const indexOf = Buffer.prototype.indexOf;

/**
 * Masks a provider key in the bytes of a response, even if it is split across pieces: a provider, or a server in its
 * place, may echo the request. The length of the response does not change. If a piece ends with what could be the
 * beginning of the key, that part waits for the next piece.
 */
export class KeyMask {
  readonly #key: Buffer;
  #held: Uint8Array | null = null;

  /** @param key the bytes of the key, shared by all calls of an account */
  constructor(key: Buffer) {
    this.#key = key;
  }

  /** @returns the bytes that may be sent now; may be empty */
  push(piece: Uint8Array): Uint8Array {
    const bytes = mask(this.#held === null ? piece : Buffer.concat([this.#held, piece]), this.#key);
    const heldLength = beginningLength(bytes, this.#key);
    if (heldLength === 0) {
      this.#held = null;
      return bytes;
    }
    this.#held = new Uint8Array(bytes.subarray(bytes.length - heldLength));
    return bytes.subarray(0, bytes.length - heldLength);
  }

  /** The bytes still waiting when the response ended, or null. */
  finish(): Uint8Array | null {
    const held = this.#held;
    this.#held = null;
    return held;
  }
}

function mask(bytes: Uint8Array, key: Buffer): Uint8Array {
  let place = indexOf.call(bytes, key, 0);
  if (place === -1) {
    return bytes;
  }
  const masked = new Uint8Array(bytes);
  while (place !== -1) {
    masked.fill(maskByte, place, place + key.length);
    place = indexOf.call(masked, key, place + key.length);
  }
  return masked;
}

/** The number of final bytes that could be the beginning of the key. */
function beginningLength(bytes: Uint8Array, key: Buffer): number {
  const first = key[0];
  for (let start = Math.max(0, bytes.length - key.length + 1); start < bytes.length; start += 1) {
    if (bytes[start] === first && isBeginning(bytes, start, key)) {
      return bytes.length - start;
    }
  }
  return 0;
}

function isBeginning(bytes: Uint8Array, start: number, key: Buffer): boolean {
  for (let index = start; index < bytes.length; index += 1) {
    if (bytes[index] !== key[index - start]) {
      return false;
    }
  }
  return true;
}
