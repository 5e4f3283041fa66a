/** A piece is found by so many of its first bytes, with the ids of a key among them, or by all if it is the rest of a text. */
const hashedBytes = 56;
/** So many pieces that begin alike are compared before one is looked for by its text. */
const triedMax = 4;
/** Where more are in use, all are forgotten, and learned again. */
const knownMax = 2_000;

export type Known<Value> = {
  readonly bytes: Buffer;
  /** The same, four bytes in each, without the last few. */
  readonly words: Int32Array;
  readonly value: Value;
};

/** What was made of pieces of bytes that come again and again. */
export class KnownBytes<Value> {
  readonly #all = new Map<string, Known<Value>>();
  /** By the hash of their beginning; those found last come first. */
  readonly #byBeginning = new Map<number, Known<Value>[]>();
  #last: Known<Value> | null = null;

  /** The piece that a text has at an offset, if it is known and easily found. */
  foundAt(text: DataView, from: number, to: number): Known<Value> | null {
    if (this.#last !== null && isAt(this.#last, text, from, to)) {
      return this.#last;
    }
    const alike = this.#byBeginning.get(hashOf(text, from, to));
    if (alike === undefined) {
      return null;
    }
    for (let index = 0; index < alike.length; index += 1) {
      const known = alike[index] as Known<Value>;
      if (isAt(known, text, from, to)) {
        if (index > 0) {
          alike.splice(index, 1);
          alike.unshift(known);
        }
        this.#last = known;
        return known;
      }
    }
    return null;
  }

  /** A piece between two offsets, which is made if it is new. */
  learn(text: Buffer, from: number, to: number, make: (bytes: Buffer) => Value): Known<Value> {
    const key = text.toString("latin1", from, to);
    let known = this.#all.get(key);
    if (known === undefined) {
      const bytes = Buffer.from(text.subarray(from, to));
      known = { bytes, words: wordsOf(bytes), value: make(bytes) };
      if (this.#all.size >= knownMax) {
        this.#all.clear();
        this.#byBeginning.clear();
      }
      this.#all.set(key, known);
    }
    const hash = hashOf(viewOf(text), from, to);
    const alike = this.#byBeginning.get(hash) ?? [];
    this.#byBeginning.set(hash, alike);
    alike.unshift(known);
    alike.length = Math.min(alike.length, triedMax);
    this.#last = known;
    return known;
  }
}

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);

function wordsOf(bytes: Buffer): Int32Array {
  const view = viewOf(bytes);
  return Int32Array.from({ length: bytes.length >>> 2 }, (_, index) => view.getInt32(4 * index));
}

/** Compares four words at a time, which takes half as long as the runtime's comparison of a part of a text. */
function isAt({ bytes, words }: Known<unknown>, text: DataView, from: number, to: number): boolean {
  if (from + bytes.length > to) {
    return false;
  }
  let at = from;
  let index = 0;
  for (; index + 4 <= words.length; index += 4, at += 16) {
    const difference =
      (text.getInt32(at) ^ (words[index] as number)) |
      (text.getInt32(at + 4) ^ (words[index + 1] as number)) |
      (text.getInt32(at + 8) ^ (words[index + 2] as number)) |
      (text.getInt32(at + 12) ^ (words[index + 3] as number));
    if (difference !== 0) {
      return false;
    }
  }
  for (; index < words.length; index += 1, at += 4) {
    if (text.getInt32(at) !== words[index]) {
      return false;
    }
  }
  for (let rest = at - from; rest < bytes.length; rest += 1) {
    if (text.getUint8(from + rest) !== bytes[rest]) {
      return false;
    }
  }
  return true;
}

/** Of the first bytes, four at a time. */
function hashOf(text: DataView, from: number, to: number): number {
  const end = Math.min(to, from + hashedBytes);
  let hash = 0x811c9dc5;
  for (let at = from; at + 4 <= end; at += 4) {
    hash = Math.imul(hash ^ text.getInt32(at), 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash;
}
