/** So many are compared before one is looked for by its text. */
const triedMax = 4;
/** Where more are in use, all are forgotten, and learned again. */
const knownMax = 2_000;

export type Known<Value> = { readonly bytes: Buffer; readonly value: Value };

/** What was made of pieces of bytes that come again and again. */
export class KnownBytes<Value> {
  readonly #all = new Map<string, Known<Value>>();
  /** Those found last, the very last one first. */
  readonly #recent: Known<Value>[] = [];

  /** The piece that a text has at an offset, if it is one of the latest. */
  recentAt(text: Buffer, from: number, to: number): Known<Value> | null {
    const recent = this.#recent;
    for (let index = 0; index < recent.length; index += 1) {
      const known = recent[index] as Known<Value>;
      const end = from + known.bytes.length;
      if (end <= to && text.compare(known.bytes, 0, known.bytes.length, from, end) === 0) {
        if (index > 0) {
          recent.splice(index, 1);
          recent.unshift(known);
        }
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
      }
      this.#all.set(key, known);
    }
    this.#recent.unshift(known);
    this.#recent.length = Math.min(this.#recent.length, triedMax);
    return known;
  }
}
