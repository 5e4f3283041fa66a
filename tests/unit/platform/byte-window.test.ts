import { expect, test } from "bun:test";
import {
  firstInWindow,
  isInWindow,
  isPlainAscii,
  openWindow,
  plainEnd,
  windowBytes,
  windowBytesMax,
  wordsOf,
} from "@sluice/control-plane/platform/byte-window.ts";

const before = 3;

function show(bytes: Buffer): void {
  openWindow(bytes, 0, bytes.length);
}

test("the first byte that is not plain is found, whatever it is, wherever it is, and whatever follows", () => {
  for (let byte = 0; byte < 256; byte += 1) {
    const isPlain = byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c;
    for (let at = before; at < before + 9; at += 1) {
      for (const next of [0x00, 0x01, 0x21, 0x22, 0x23, 0x5c, 0x5d, 0x7f, 0x80, 0xff]) {
        const bytes = Buffer.alloc(before + 16, 0x20).fill(0x7f, before, at);
        bytes[at] = byte;
        bytes[at + 1] = next;
        show(bytes);
        const isNextPlain = next === 0x21 || next === 0x23 || next === 0x5d || next === 0x7f;
        const found = isNextPlain ? bytes.length : at + 1;
        const end = plainEnd(before, bytes.length);
        const expected = isPlain ? found : at;
        const isRight = expected === bytes.length ? end > bytes.length - 4 && end <= bytes.length : end === expected;
        expect([byte, at, next, isRight]).toEqual([byte, at, next, true]);
      }
    }
  }
});

test("nothing at or after the end is looked at, and at most three bytes before it are left", () => {
  for (let end = before; end < before + 9; end += 1) {
    show(Buffer.alloc(before + 16, 0x61).fill(0x22, end));
    expect(plainEnd(before, end)).toBe(end - ((end - before) % 4));
  }
});

test("bytes are the same only if each of them is, and bytes after them do not matter", () => {
  for (let length = 1; length < 10; length += 1) {
    const part = Buffer.from(Array.from({ length }, (_, index) => 0xf8 + index));
    const expected = Int32Array.from([7, ...wordsOf(part)]);
    const bytes = Buffer.concat([Buffer.alloc(before, 0xfe), part, Buffer.alloc(4, length * 25)]);
    show(bytes);
    expect(isInWindow(before, length, expected, 1)).toBe(true);
    for (let at = before; at < before + length; at += 1) {
      for (const bit of [1, 0x80]) {
        const other = Buffer.from(bytes);
        other[at] = (other[at] as number) ^ bit;
        show(other);
        expect([length, at, bit, isInWindow(before, length, expected, 1)]).toEqual([length, at, bit, false]);
      }
    }
  }
});

test("bytes are plain ASCII only if each of them is, whatever is after them", () => {
  for (let length = 1; length < 40; length += 1) {
    const bytes = Buffer.alloc(length + 4, 0xff).fill(0x20, 0, length);
    show(bytes);
    expect([length, isPlainAscii(length)]).toEqual([length, true]);
    for (let at = 0; at < length; at += 1) {
      for (const byte of [0x00, 0x1f, 0x21, 0x7f, 0x80, 0xff]) {
        const other = Buffer.from(bytes);
        other[at] = byte;
        show(other);
        expect([length, at, byte, isPlainAscii(length)]).toEqual([length, at, byte, byte === 0x21 || byte === 0x7f]);
      }
    }
  }
});

test("a byte is found in what the window has, and not in what it had before", () => {
  show(Buffer.alloc(windowBytesMax, "a"));
  expect([firstInWindow(0x61, windowBytesMax), firstInWindow(0x62, windowBytesMax)]).toEqual([0, windowBytesMax]);
  show(Buffer.from("bcb"));
  expect([firstInWindow(0x61, 3), firstInWindow(0x62, 3), firstInWindow(0x63, 3)]).toEqual([3, 0, 1]);
  expect(windowBytes(3).toString()).toBe("bcb");
});
