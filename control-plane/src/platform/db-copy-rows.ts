import { ReusedBytes } from "./reused-bytes.ts";

const openingBytes = 64 * 1024;
/** The signature of the format, no flags, and no further header. */
const header = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
/** In the place of the number of a row's values. */
const trailer = Buffer.from([0xff, 0xff]);
const twoTo32 = 0x1_0000_0000;
const msUntil2000 = Date.UTC(2000, 0, 1);
const microsOfMs = 1_000;
const dash = 0x2d;
const uuidBytes = 16;

/** The value of each character as a hexadecimal digit; 255 for those that are none. */
const nibbles = new Uint8Array(256).fill(255);
for (const [value, digit] of [..."0123456789abcdef"].entries()) {
  nibbles[digit.charCodeAt(0)] = value;
  nibbles[digit.toUpperCase().charCodeAt(0)] = value;
}

/**
 * Rows in the binary format of `COPY`, which the server stores without parsing texts: a row is its values, each after its
 * length, and its beginning can be bytes that other rows have too.
 */
export class CopyRows extends ReusedBytes {
  #count = 0;

  constructor() {
    super(openingBytes);
    this.clear();
  }

  get count(): number {
    return this.#count;
  }

  clear(): void {
    this.cut(0);
    this.add(header);
    this.#count = 0;
  }

  /** Counts what was written since the last row as one. */
  endRow(): void {
    this.#count += 1;
  }

  /** All rows, with what ends them. They are overwritten after `clear`. */
  get whole(): Buffer {
    this.reserve(trailer.length);
    trailer.copy(this.bytes, this.end);
    return this.bytes.subarray(0, this.end + trailer.length);
  }

  /** The length of a value, before it is written; -1 for null. */
  length4(value: number): void {
    this.reserve(4);
    this.#int4(value);
  }

  integer(value: number): void {
    this.reserve(8);
    this.#int4(4);
    this.#int4(value);
  }

  integerOrNull(value: number | null): void {
    if (value === null) {
      this.length4(-1);
    } else {
      this.integer(value);
    }
  }

  /** @param atMs milliseconds since 1970 */
  moment(atMs: number): void {
    this.bigint((atMs - msUntil2000) * microsOfMs);
  }

  /** @param value a safe integer */
  bigint(value: number): void {
    this.reserve(12);
    this.#int4(8);
    const high = Math.floor(value / twoTo32);
    this.#int4(high);
    this.#int4(value - high * twoTo32);
  }

  /**
   * The bytes of a UUID from its text in ASCII.
   * @returns false if it is none; what was written of it has to be cut off
   */
  uuid(text: Uint8Array, from: number): boolean {
    this.reserve(4 + uuidBytes);
    this.#int4(uuidBytes);
    let at = from;
    let isValid = true;
    for (let index = 0; index < uuidBytes; index += 1) {
      if (index === 4 || index === 6 || index === 8 || index === 10) {
        isValid &&= text[at] === dash;
        at += 1;
      }
      const high = nibbles[text[at] as number] as number;
      const low = nibbles[text[at + 1] as number] as number;
      isValid &&= (high | low) < uuidBytes;
      this.bytes[this.end + index] = (high << 4) | low;
      at += 2;
    }
    this.end += uuidBytes;
    return isValid;
  }

  /** Bytes of another memory. */
  piece(text: Buffer, from: number, to: number): void {
    this.reserve(to - from);
    this.end += text.copy(this.bytes, this.end, from, to);
  }

  #int4(value: number): void {
    const { bytes, end } = this;
    bytes[end] = value >> 24;
    bytes[end + 1] = value >> 16;
    bytes[end + 2] = value >> 8;
    bytes[end + 3] = value;
    this.end = end + 4;
  }
}
