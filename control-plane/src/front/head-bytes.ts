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
    let digits = 1;
    for (let bound = 10; bound <= value; bound *= 10) {
      digits += 1;
    }
    this.reserve(digits);
    let rest = value;
    for (let at = this.end + digits - 1; at >= this.end; at -= 1) {
      const next = Math.floor(rest / 10);
      this.bytes[at] = zero + rest - next * 10;
      rest = next;
    }
    this.end += digits;
  }

  /** A value with the end of its line. @returns false for one that can't be in a head; then nothing of it is written */
  addValue(value: string): boolean {
    const { length } = value;
    this.reserve(length + 2);
    const bytes = this.bytes;
    let at = this.end;
    for (let index = 0; index < length; index += 1) {
      const unit = value.charCodeAt(index);
      if (valueBytes[unit] !== 1) {
        return false;
      }
      bytes[at] = unit;
      at += 1;
    }
    bytes[at] = cr;
    bytes[at + 1] = lf;
    this.end = at + 2;
    return true;
  }
}
