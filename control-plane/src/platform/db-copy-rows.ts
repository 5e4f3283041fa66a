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
/** Copying longer pieces natively takes less time than byte by byte. */
const shortMax = 32;

/** More than four digits make, wherever it is among them. */
const noDigit = 0x1_0000;
/** The value of each character as a hexadecimal digit. */
const digitValues = new Int32Array(256).fill(noDigit);
for (const [value, digit] of [..."0123456789abcdef"].entries()) {
  digitValues[digit.charCodeAt(0)] = value;
  digitValues[digit.toUpperCase().charCodeAt(0)] = value;
}

/**
 * Rows in the binary format of `COPY`, which the server stores without parsing texts: a row is its values, each after its
 * length, and its beginning can be bytes that other rows have too.
 */
export class CopyRows extends ReusedBytes {
  #count = 0;
  /** The memory that the view is of. */
  #viewed = this.bytes;
  #view = new DataView(this.bytes.buffer);

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

  /**
   * Begins a row with bytes that others have, too. Room is made for all of it, because asking for it before each value takes
   * longer than writing the value.
   * @param more how long the rest of it is at most
   */
  beginRow(start: Buffer, more: number): void {
    this.reserve(start.length + more);
    if (this.#viewed !== this.bytes) {
      this.#viewed = this.bytes;
      this.#view = new DataView(this.bytes.buffer);
    }
    this.end += start.copy(this.bytes, this.end);
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

  /** The length of a value of the row that was begun, before it is written; -1 for null. */
  length4(value: number): void {
    this.#view.setInt32(this.end, value);
    this.end += 4;
  }

  integer(value: number): void {
    const { end } = this;
    this.#view.setInt32(end, 4);
    this.#view.setInt32(end + 4, value | 0);
    this.end = end + 8;
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
    const { end } = this;
    const high = Math.floor(value / twoTo32);
    this.#view.setInt32(end, 8);
    // As integers: the runtime takes ten times as long for others.
    this.#view.setInt32(end + 4, high | 0);
    this.#view.setInt32(end + 8, (value - high * twoTo32) | 0);
    this.end = end + 12;
  }

  /**
   * The bytes of a UUID from its text in ASCII.
   * @returns false if it is none; what was written of it has to be cut off
   */
  uuid(text: Uint8Array, from: number): boolean {
    const view = this.#view;
    const at = this.end;
    const first = fourDigits(text, from);
    const second = fourDigits(text, from + 4);
    const third = fourDigits(text, from + 9);
    const fourth = fourDigits(text, from + 14);
    const fifth = fourDigits(text, from + 19);
    const sixth = fourDigits(text, from + 24);
    const seventh = fourDigits(text, from + 28);
    const last = fourDigits(text, from + 32);
    view.setInt32(at, uuidBytes);
    view.setInt32(at + 4, (first << 16) | second);
    view.setInt32(at + 8, (third << 16) | fourth);
    view.setInt32(at + 12, (fifth << 16) | sixth);
    view.setInt32(at + 16, (seventh << 16) | last);
    this.end = at + 4 + uuidBytes;
    return (
      (first | second | third | fourth | fifth | sixth | seventh | last) < noDigit &&
      text[from + 8] === dash &&
      text[from + 13] === dash &&
      text[from + 18] === dash &&
      text[from + 23] === dash
    );
  }

  /** Bytes of another memory. */
  piece(text: Buffer, from: number, to: number): void {
    const { bytes, end } = this;
    if (to - from > shortMax) {
      this.end += text.copy(bytes, end, from, to);
      return;
    }
    for (let at = from; at < to; at += 1) {
      bytes[end + at - from] = text[at] as number;
    }
    this.end = end + to - from;
  }
}

function fourDigits(text: Uint8Array, at: number): number {
  return (
    ((digitValues[text[at] as number] as number) << 12) |
    ((digitValues[text[at + 1] as number] as number) << 8) |
    ((digitValues[text[at + 2] as number] as number) << 4) |
    (digitValues[text[at + 3] as number] as number)
  );
}
