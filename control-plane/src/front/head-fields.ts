import type { CallHeaders } from "../gateway/model.ts";
import { capital, nameBytes } from "./field-bytes.ts";

/** The only field in which repeated heads differ. */
const lengthName = "content-length";
/** How many names are remembered: no more than a call asks for. */
const namesMax = 64;

/** What was made of the fields of a head that a client repeats. */
export class KnownFields {
  readonly values = new Map<string, string | null>();
  keyDigest: string | null = null;
}

/** The fields of a head as they lie in its bytes: nothing is made of those that nobody asks for. */
export class HeadFields implements CallHeaders {
  readonly #bytes: Buffer;
  /** Four offsets for each field: of its name and of its value. */
  readonly #offsets: Int32Array;

  /** Null unless the head is repeated. */
  readonly derived: KnownFields | null;

  constructor(bytes: Buffer, offsets: Int32Array, derived: KnownFields | null = null) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.derived = derived;
  }

  /** @param name in lower case @returns the values of all fields with this name, in one line */
  get(name: string): string | null {
    const values = this.derived?.values;
    if (values === undefined || name === lengthName) {
      return this.#find(name);
    }
    const known = values.get(name);
    if (known !== undefined) {
      return known;
    }
    const found = this.#find(name);
    if (values.size < namesMax) {
      values.set(name, found);
    }
    return found;
  }

  #find(name: string): string | null {
    let found: string | null = null;
    const offsets = this.#offsets;
    for (let slot = 0; slot < offsets.length; slot += 4) {
      const from = offsets[slot] as number;
      if ((offsets[slot + 1] as number) - from === name.length && this.#isNamed(from, name)) {
        const value = this.#bytes.toString("latin1", offsets[slot + 2], offsets[slot + 3]);
        found = found === null ? value : `${found}, ${value}`;
      }
    }
    return found;
  }

  /** Every field as it was sent, with its name in lower case. */
  *[Symbol.iterator](): Generator<[string, string]> {
    const offsets = this.#offsets;
    for (let slot = 0; slot < offsets.length; slot += 4) {
      const name = this.#bytes.toString("latin1", offsets[slot], offsets[slot + 1]).toLowerCase();
      yield [name, this.#bytes.toString("latin1", offsets[slot + 2], offsets[slot + 3])];
    }
  }

  #isNamed(from: number, name: string): boolean {
    for (let index = 0; index < name.length; index += 1) {
      const byte = this.#bytes[from + index] as number;
      if ((nameBytes[byte] === capital ? byte + 32 : byte) !== name.charCodeAt(index)) {
        return false;
      }
    }
    return true;
  }
}
