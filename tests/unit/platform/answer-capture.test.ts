import { describe, expect, test } from "bun:test";
import { AnswerCapture, CaptureAllowance } from "@sluice/control-plane/platform/answer-capture.ts";
import { PacketPart, viewOf } from "@sluice/http-client/packet-part";
import fc from "fast-check";

const own = 65_536;
const most = 262_144;
const concat = (capture: AnswerCapture) => Buffer.concat(capture.pieces.map(viewOf));

function fill(capture: AnswerCapture, bytes: number, piece = 1_000): Buffer {
  const sent: Buffer[] = [];
  for (let left = bytes; left > 0; left -= piece) {
    const next = Buffer.alloc(Math.min(piece, left), sent.length % 251);
    sent.push(next);
    capture.keep(next);
  }
  return Buffer.concat(sent);
}

describe("the captured part of a response", () => {
  test("is never that of another response", () => {
    const allowance = new CaptureAllowance();
    const [first, second, third] = [1, 2, 3].map(() => new AnswerCapture(allowance)) as [
      AnswerCapture,
      AnswerCapture,
      AnswerCapture,
    ];
    first.keep(Buffer.from("one"));
    second.keepPart(Buffer.from("two"), 0, 3);
    expect([first, second, third].map((each) => concat(each).toString())).toEqual(["one", "two", ""]);
    first.recycle();
    second.recycle();
    third.keep(Buffer.from("three"));
    expect([first, second, third].map((each) => concat(each).toString())).toEqual(["", "", "three"]);
  });

  test("is its beginning, whatever the pieces in which it came", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: 60_000 }), fc.boolean()), { maxLength: 30 }), (lengths) => {
        const capture = new AnswerCapture(new CaptureAllowance());
        const sent = lengths.map(([length], index) => Buffer.alloc(length, index % 251));
        for (const [index, piece] of sent.entries()) {
          if (lengths[index]?.[1] === true) {
            const packet = Buffer.concat([Buffer.from("ab"), piece, Buffer.from("c")]);
            capture.keepPart(packet, 2, packet.length - 1);
            packet.fill(255);
          } else {
            capture.keep(piece);
          }
        }
        expect(concat(capture).equals(Buffer.concat(sent).subarray(0, most))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test("has the bytes of parts of packets, up to its limit", () => {
    const capture = new AnswerCapture(null);
    const packet = Buffer.concat([Buffer.from("head"), Buffer.alloc(own + 1, 7), Buffer.from("next")]);
    capture.keep(new PacketPart(packet, 4, 6));
    capture.keep(new PacketPart(packet, 4, 4 + own + 1));
    expect(concat(capture).equals(Buffer.alloc(own, 7))).toBe(true);
  });

  test("has few pieces, and holds on to no packet that it was cut from", () => {
    const capture = new AnswerCapture(new CaptureAllowance());
    const packet = Buffer.alloc(524_288);
    for (let at = 0; at < packet.length; at += 100) {
      capture.keep(packet.subarray(at, at + 100));
    }
    expect(capture.pieces.length).toBeLessThan(32);
    expect(capture.pieces.some((piece) => viewOf(piece).buffer === packet.buffer)).toBe(false);
  });

  test("takes blocks for the parts of a stream that grow with it", () => {
    for (const parts of [1, 10, 50, 150]) {
      const capture = new AnswerCapture(null);
      const packet = Buffer.alloc(400);
      for (let part = 0; part < parts; part += 1) {
        capture.keepPart(packet, 0, packet.length);
      }
      const held = capture.pieces.reduce((sum, piece) => sum + viewOf(piece).buffer.byteLength, 0);
      expect(held).toBeLessThanOrEqual(Math.min(3 * parts * packet.length, parts * packet.length + 4_096));
      expect(capture.pieces.length).toBeLessThanOrEqual(2 + Math.ceil((parts * packet.length) / 4_096));
    }
  });

  test("is smaller for responses above the shared limit, and the room comes back once", () => {
    const allowance = new CaptureAllowance();
    const fillMany = (count: number) => {
      const captures = Array.from({ length: count }, () => new AnswerCapture(allowance));
      for (const capture of captures) {
        fill(capture, 300_000, 30_000);
      }
      return { captures, lengths: captures.map((capture) => concat(capture).length) };
    };
    const first = fillMany(200);
    expect(first.lengths.every((length) => length === most || length === own)).toBe(true);
    // 32 MB in shares of 192 KB.
    expect(first.lengths.filter((length) => length === most)).toHaveLength(170);
    for (const capture of first.captures) {
      capture.release();
      capture.release();
    }
    expect(fillMany(171).lengths.filter((length) => length === most)).toHaveLength(170);
  });

  test("is in blocks that the next streams use again once its call is over", () => {
    const allowance = new CaptureAllowance();
    const stream = (text: string, parts: number) => {
      const capture = new AnswerCapture(allowance);
      capture.keep(Buffer.from("first"));
      for (let part = 0; part < parts; part += 1) {
        capture.keepPart(Buffer.from(text.repeat(400)), 0, 400);
      }
      return capture;
    };
    const blocksOf = (capture: AnswerCapture) => new Set(capture.pieces.slice(1).map((piece) => viewOf(piece).buffer));
    const first = stream("a", 40);
    const blocks = blocksOf(first);
    first.recycle();
    const second = stream("b", 40);
    expect(blocksOf(second)).toEqual(blocks);
    expect(concat(second).toString()).toBe(`first${"b".repeat(16_000)}`);
    // One that is still running has blocks of its own.
    expect(blocksOf(stream("c", 40)).intersection(blocks).size).toBe(0);
    expect(concat(second).toString()).toBe(`first${"b".repeat(16_000)}`);
  });

  test("takes nothing more, and shows nothing, once its blocks are used again", () => {
    const allowance = new CaptureAllowance();
    const capture = new AnswerCapture(allowance);
    capture.keepPart(Buffer.alloc(5_000, "a"), 0, 5_000);
    capture.recycle();
    capture.recycle();
    const next = new AnswerCapture(allowance);
    next.keepPart(Buffer.alloc(5_000, "b"), 0, 5_000);
    capture.keepPart(Buffer.alloc(300_000, "c"), 0, 300_000);
    capture.keep(Buffer.from("c"));
    expect(capture.pieces).toEqual([]);
    expect(concat(next).equals(Buffer.alloc(5_000, "b"))).toBe(true);
    const third = new AnswerCapture(allowance);
    third.keepPart(Buffer.alloc(5_000, "d"), 0, 5_000);
    expect(concat(next).equals(Buffer.alloc(5_000, "b"))).toBe(true);
  });

  test("leaves at most 4 MiB of blocks to others", () => {
    const allowance = new CaptureAllowance();
    const blocks = Array.from({ length: 1_025 }, () => Buffer.alloc(4_096));
    for (const block of blocks) {
      allowance.giveBackBlock(block);
    }
    const taken = new Set(Array.from({ length: 1_025 }, () => allowance.takeBlock(4_096)));
    expect(blocks.filter((block) => taken.has(block)).length).toBe(1_024);
  });

  test("without an allowance is what every response may keep", () => {
    const capture = new AnswerCapture(null);
    const sent = fill(capture, 100_000);
    expect(concat(capture).equals(sent.subarray(0, own))).toBe(true);
    capture.release();
  });
});
