import type { Amount } from "../amount.ts";
import { ReusedBytes } from "../reused-bytes.ts";

const openingBytes = 16 * 1024;
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const space = 0x20;
const tilde = 0x7e;
const minus = 0x2d;
const zero = 0x30;
/** Digits of a number up to here are computed as those of a 32-bit integer, which is much faster. */
const smallMax = 999_999_999;
const digitsOfSmall = 9;

/**
 * JSON as UTF-8, written piece by piece into memory that is used again. Plain pieces are written without a text being made
 * for them. A piece that is not plain is not written, and `isPlain` is false from then on: its writer has to `cut` what
 * it wrote, and write the text of an encoder instead.
 */
export class JsonBytes extends ReusedBytes {
  #isPlain = true;

  constructor() {
    super(openingBytes);
  }

  get isPlain(): boolean {
    return this.#isPlain;
  }

  /** Takes back everything after a length, and what was not plain in it. */
  override cut(length: number): void {
    super.cut(length);
    this.#isPlain = true;
  }

  /** Appends a text that is JSON already. */
  json(text: string): void {
    // A UTF-16 unit has at most three bytes of UTF-8.
    this.reserve(text.length * 3);
    this.end += this.bytes.write(text, this.end, "utf8");
  }

  /** The same for a text of ASCII alone that is short. */
  ascii(text: string): void {
    this.reserve(text.length);
    const bytes = this.bytes;
    let at = this.end;
    for (let index = 0; index < text.length; index += 1) {
      bytes[at] = text.charCodeAt(index);
      at += 1;
    }
    this.end = at;
  }

  /** What separates values. */
  comma(): void {
    this.reserve(1);
    this.bytes[this.end] = comma;
    this.end += 1;
  }

  /** A string that is known to be printable ASCII without anything to escape. */
  word(value: string): void {
    const { length } = value;
    this.reserve(length + 2);
    const { bytes, end } = this;
    bytes[end] = quote;
    bytes.write(value, end + 1, "latin1");
    bytes[end + 1 + length] = quote;
    this.end = end + length + 2;
  }

  /** A string. It is plain if it has printable ASCII alone, nothing to escape, and at most so many characters. */
  text(value: string, lengthMax = Number.POSITIVE_INFINITY): void {
    const { length } = value;
    if (length > lengthMax) {
      this.#isPlain = false;
      return;
    }
    this.reserve(length + 2);
    const bytes = this.bytes;
    let at = this.end;
    bytes[at] = quote;
    at += 1;
    for (let index = 0; index < length; index += 1) {
      const unit = value.charCodeAt(index);
      if (unit < space || unit > tilde || unit === quote || unit === backslash) {
        this.#isPlain = false;
        return;
      }
      bytes[at] = unit;
      at += 1;
    }
    bytes[at] = quote;
    this.end = at + 1;
  }

  textOrNull(value: string | null, lengthMax?: number): void {
    if (value === null) {
      this.ascii("null");
    } else {
      this.text(value, lengthMax);
    }
  }

  /** A number, plain if it is a safe integer. */
  integer(value: number): void {
    if (!Number.isSafeInteger(value)) {
      this.#isPlain = false;
      return;
    }
    this.reserve(2 * digitsOfSmall);
    if (value < 0) {
      this.bytes[this.end] = minus;
      this.end += 1;
    }
    const size = Math.abs(value);
    if (size <= smallMax) {
      this.#small(size);
    } else {
      const high = Math.floor(size / (smallMax + 1));
      this.#small(high);
      this.#digits(size - high * (smallMax + 1), digitsOfSmall);
    }
  }

  integerOrNull(value: number | null): void {
    if (value === null) {
      this.ascii("null");
    } else {
      this.integer(value);
    }
  }

  /** The same for an amount. */
  amount(value: Amount): void {
    this.integer(Number(value));
  }

  /** A number, plain if it represents the value exactly. */
  bigint(value: bigint): void {
    // Most counts are zero, and converting one takes longer than asking.
    this.integer(value ? Number(value) : 0);
  }

  bigintOrNull(value: bigint | null): void {
    if (value === null) {
      this.ascii("null");
    } else {
      this.bigint(value);
    }
  }

  /** At most 9 digits. */
  #small(value: number): void {
    let digits = 1;
    for (let bound = 10; bound <= value; bound *= 10) {
      digits += 1;
    }
    this.#digits(value, digits);
  }

  #digits(value: number, digits: number): void {
    const bytes = this.bytes;
    let rest = value | 0;
    for (let at = this.end + digits - 1; at >= this.end; at -= 1) {
      const next = (rest / 10) | 0;
      bytes[at] = zero + rest - next * 10;
      rest = next;
    }
    this.end += digits;
  }
}
