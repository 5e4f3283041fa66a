import { type Bytes, copyBytes } from "@sluice/http-client/packet-part";
import { ReusedBytes } from "../platform/reused-bytes.ts";

const openingBytes = 4_096;
const cr = 13;
const lf = 10;
const zero = 48;

/** Per byte: whether a value may contain it: a line end in it would end the head. */
const valueBytes = new Uint8Array(256).fill(1, 0x20, 0x7f).fill(1, 0x80);
valueBytes[0x09] = 1;

/** A head, written piece by piece, and the body after it if that is small. */
export class HeadBytes extends ReusedBytes {
  constructor() {
    super(openingBytes);
  }

  /** Begins with what was written, which is `length` bytes. */
  get memory(): Buffer {
    return this.bytes;
  }

  addBody(body: Bytes): void {
    this.reserve(body.byteLength);
    copyBytes(body, this.bytes, this.end);
    this.end += body.byteLength;
  }

  addNumber(value: number): void {
    const digits = countDigits(value);
    this.reserve(digits);
    this.#putDigits(this.end, digits, value);
    this.end += digits;
  }

  /** Writes a number over the `last` one, which begins at `at`. @returns false if that has more or fewer digits */
  replaceNumber(at: number, last: number, value: number): boolean {
    const digits = countDigits(value);
    if (digits !== countDigits(last)) {
      return false;
    }
    this.#putDigits(at, digits, value);
    return true;
  }

  #putDigits(from: number, digits: number, value: number): void {
    let rest = value;
    for (let at = from + digits - 1; at >= from; at -= 1) {
      const next = Math.floor(rest / 10);
      this.bytes[at] = zero + rest - next * 10;
      rest = next;
    }
  }

  /** Adds a value and the end of its line. @returns false for a value that can't be in a head, and adds nothing then */
  addValue(value: string): boolean {
    const { length } = value;
    this.reserve(length + 2);
    const end = this.end + length;
    if (!this.replaceValue(this.end, value)) {
      return false;
    }
    this.bytes[end] = cr;
    this.bytes[end + 1] = lf;
    this.end = end + 2;
    return true;
  }

  /** Writes a value over one of the same length. @returns false for a value that can't be in a head; some of it is written then */
  replaceValue(from: number, value: string): boolean {
    const { length } = value;
    const bytes = this.bytes;
    for (let index = 0; index < length; index += 1) {
      const unit = value.charCodeAt(index);
      if (valueBytes[unit] !== 1) {
        return false;
      }
      bytes[from + index] = unit;
    }
    return true;
  }
}

function countDigits(value: number): number {
  let digits = 1;
  for (let bound = 10; bound <= value; bound *= 10) {
    digits += 1;
  }
  return digits;
}
