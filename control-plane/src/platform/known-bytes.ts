/** A piece is found by so many of its first bytes, with the ids of a key among them, or by all if it is the rest of a text. */
const hashedBytes = 48;
/** So many pieces that begin alike are compared before one is looked for by its text. */
const triedMax = 4;
/** Where more are in use, all are forgotten, and learned again. */
const knownMax = 2_000;

export type Known<Value> = { readonly bytes: Buffer; readonly value: Value };

/** What was made of pieces of bytes that come again and again. */
export class KnownBytes<Value> {
  readonly #all = new Map<string, Known<Value>>();
  /** By the hash of their beginning; those found last come first. */
  readonly #byBeginning = new Map<number, Known<Value>[]>();
  #last: Known<Value> | null = null;

  /** The piece that a text has at an offset, if it is known and easily found. */
  foundAt(text: Buffer, from: number, to: number): Known<Value> | null {
    if (this.#last !== null && isAt(this.#last.bytes, text, from, to)) {
      return this.#last;
    }
    const alike = this.#byBeginning.get(hashOf(text, from, to)) ?? [];
    for (let index = 0; index < alike.length; index += 1) {
      const known = alike[index] as Known<Value>;
      if (isAt(known.bytes, text, from, to)) {
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
      known = { bytes, value: make(bytes) };
      if (this.#all.size >= knownMax) {
        this.#all.clear();
        this.#byBeginning.clear();
      }
      this.#all.set(key, known);
    }
    const hash = hashOf(text, from, to);
    const alike = this.#byBeginning.get(hash) ?? [];
    this.#byBeginning.set(hash, alike);
    alike.unshift(known);
    alike.length = Math.min(alike.length, triedMax);
    this.#last = known;
    return known;
  }
}

function isAt(bytes: Buffer, text: Buffer, from: number, to: number): boolean {
  const end = from + bytes.length;
  return end <= to && text.compare(bytes, 0, bytes.length, from, end) === 0;
}

/** FNV-1a over the first bytes. */
function hashOf(text: Buffer, from: number, to: number): number {
  const end = Math.min(to, from + hashedBytes);
  let hash = 0x811c9dc5;
  for (let at = from; at < end; at += 1) {
    hash = Math.imul(hash ^ (text[at] as number), 0x01000193);
  }
  return hash;
}
