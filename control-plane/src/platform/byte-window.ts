/** Longer bytes do not fit into it: up to three after them are read, too. */
const size = 16_384;
export const windowBytesMax = size - 4;
const wordBytes = 4;
/**
 * Where a part of a packet is read four bytes at a time. In its packet it can't be: for a view of that, the runtime would have
 * to move its bytes.
 */
const memory = Buffer.allocUnsafeSlow(size);
const words = new DataView(memory.buffer);
const alignedWords = new Int32Array(memory.buffer);
const wordsPerStep = 4;
const highBits = 0x80_80_80_80;

/** Copies the bytes of a packet from `start` to `end` to the beginning of the window. */
export function openWindow(packet: Buffer, start: number, end: number): void {
  packet.copy(memory, 0, start, end);
}

export function windowByte(at: number): number {
  return memory[at] as number;
}

/** The first bytes of the window, until it has others. */
export function windowBytes(length: number): Buffer {
  return memory.subarray(0, length);
}

/** Where a byte first is among the first `length` bytes of the window; `length` if it is not there. */
export function firstInWindow(byte: number, length: number): number {
  // What the window had before is not searched.
  memory[length] = byte;
  return memory.indexOf(byte);
}

export function windowText(start: number, end: number): string {
  return memory.toString("utf8", start, end);
}

/** How many words hold so many bytes. */
export function wordsIn(bytes: number): number {
  return (bytes + wordBytes - 1) >> 2;
}

/** Bytes as words; what is missing in the last one is zero. */
export function wordsOf(bytes: Buffer): readonly number[] {
  const count = wordsIn(bytes.length);
  const filled = Buffer.alloc(count * wordBytes);
  bytes.copy(filled);
  return Array.from({ length: count }, (_, index) => filled.readInt32LE(index * wordBytes));
}

/** Whether the window has, at `start`, the bytes whose words begin at `first`. There is at least one byte. */
export function isInWindow(start: number, length: number, expected: Int32Array, first: number): boolean {
  const last = first + wordsIn(length) - 1;
  let at = start;
  for (let index = first; index < last; index += 1) {
    if (words.getInt32(at, true) !== expected[index]) {
      return false;
    }
    at += wordBytes;
  }
  const missingBits = (-length & 3) << 3;
  return (words.getInt32(at, true) << missingBits) >>> missingBits === (expected[last] as number) >>> 0;
}

/** Whether the first bytes of the window are all ASCII, without a control character. */
export function isPlainAscii(length: number): boolean {
  const count = (length >> 2) & -wordsPerStep;
  let found = 0;
  for (let index = 0; index < count; index += wordsPerStep) {
    const first = alignedWords[index] as number;
    const second = alignedWords[index + 1] as number;
    const third = alignedWords[index + 2] as number;
    const fourth = alignedWords[index + 3] as number;
    // The lowest control character leaves its bit, because a subtraction borrows only from bytes after it.
    found |= (first - 0x20_20_20_20) | first | (second - 0x20_20_20_20) | second;
    found |= (third - 0x20_20_20_20) | third | (fourth - 0x20_20_20_20) | fourth;
  }
  for (let at = count * wordBytes; at < length; at += 1) {
    const byte = memory[at] as number;
    found |= byte < 0x20 ? highBits : byte;
  }
  return (found & highBits) === 0;
}

/**
 * Finds the first byte from `start` on that is a quote, a backslash, a control character or not ASCII.
 * @returns where it is; if there is none before `last`, up to three bytes before that
 */
export function plainEnd(start: number, last: number): number {
  let at = start;
  for (; at + wordBytes <= last; at += wordBytes) {
    const word = words.getInt32(at, true);
    const isControl = word - 0x20_20_20_20;
    const isQuote = (word ^ 0x22_22_22_22) - 0x01_01_01_01;
    const isBackslash = (word ^ 0x5c_5c_5c_5c) - 0x01_01_01_01;
    // The lowest of the high bits is of the first such byte, because a subtraction borrows only from bytes after it. A byte that is
    // not ASCII keeps its bit in one of the last two.
    const found = (isControl | isQuote | isBackslash) & highBits;
    if (found !== 0) {
      return at + ((31 - Math.clz32(found & -found)) >> 3);
    }
  }
  return at;
}
