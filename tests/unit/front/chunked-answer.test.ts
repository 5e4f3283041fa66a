import { expect, test } from "bun:test";
import { ChunkedAnswer, type StreamConnection, type StreamOutlet } from "@sluice/control-plane/front/chunked-answer.ts";
import { frameChunk } from "@sluice/control-plane/front/response-head.ts";
import type { AnswerStream } from "@sluice/control-plane/platform/answer-stream.ts";
import fc from "fast-check";
import { parsePieces } from "../../support/wire/parse-pieces.ts";

const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

/** Keeps what is written, each time as one piece. */
class KeptWrites implements StreamOutlet, StreamConnection {
  readonly outlet = this;
  readonly backlogBytes = 0;
  readonly writes: Buffer[] = [];
  end: boolean | null = null;

  writeParts({ before, pieces, after }: Parameters<StreamOutlet["writeParts"]>[0]): void {
    const start = typeof before === "string" ? Buffer.from(before, "latin1") : before;
    this.writes.push(Buffer.concat([start, ...pieces, Buffer.from(after)]));
  }

  writeChunk(packet: Buffer, start: number, end: number): void {
    const framed = Buffer.alloc(end - start + 12);
    this.writes.push(framed.subarray(0, frameChunk(packet, start, end, framed)));
  }

  writePart(packet: Buffer, start: number, end: number): void {
    this.writes.push(packet.subarray(start, end));
  }

  onStreamEnd(isWhole: boolean): void {
    this.end = isWhole;
  }

  onStreamFailure(error: unknown): void {
    throw error;
  }
}

test("whatever a stream pushes goes out in order, with one write in each turn, and none after a flush", async () => {
  const push = fc.record({ text: fc.string({ minLength: 1, maxLength: 40 }), isPart: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(push, { maxLength: 4 }), { maxLength: 8 }), async (turns) => {
      const stream: AnswerStream = { sendTo: () => undefined, onTaken: () => undefined, onGone: () => undefined };
      const outlet = new KeptWrites();
      const answer = new ChunkedAnswer(stream, head, outlet);
      answer.begin();
      await Promise.resolve();
      for (const turn of turns) {
        const before = outlet.writes.length;
        for (const { text, isPart } of turn) {
          const bytes = Buffer.from(text);
          if (isPart) {
            answer.pushPart(Buffer.concat([Buffer.from("<<"), bytes, Buffer.from(">")]), 2, bytes.length + 2);
          } else {
            answer.push(bytes);
          }
        }
        const hasParts = turn.some(({ isPart }) => isPart);
        if (hasParts) {
          answer.flush();
          expect(outlet.writes.length - before).toBe(1);
        }
        await Promise.resolve();
        expect(outlet.writes.length - before).toBe(turn.length > 0 ? 1 : 0);
      }
      answer.close();
      expect(outlet.end).toBeTrue();
      const all = turns.flat().map(({ text }) => text);
      const { body, end } = parsePieces(outlet.writes);
      expect([body, end]).toEqual([Buffer.from(all.join("")).toString("latin1"), "delimited"]);
    }),
  );
});

const size = (text: string, isLarge: boolean) => {
  const digits = Buffer.byteLength(text).toString(16);
  return isLarge ? digits.toUpperCase() : digits;
};

/** What an upstream may put around a text in a packet: a chunk that can be sent as it is, or anything else. */
const frames: Readonly<Record<string, (text: string) => readonly [before: string, after: string]>> = {
  chunk: (text) => [`${size(text, false)}\r\n`, "\r\n"],
  largeDigits: (text) => [`${size(text, true)}\r\n`, "\r\n"],
  leadingZeros: (text) => [`00${size(text, false)}\r\n`, "\r\n"],
  extension: (text) => [`${size(text, false)};a=b\r\n`, "\r\n"],
  wrongSize: (text) => [`${size(`${text}more`, false)}\r\n`, "\r\n"],
  noSize: () => ["\r\n", "\r\n"],
  noEnd: (text) => [`${size(text, false)}\r\n`, "--"],
  nothing: () => ["", ""],
};

test("parts of packets reach the client in order and framed once, whatever was around them in their packets", () => {
  const part = fc.record({
    text: fc.string({ minLength: 1, maxLength: 300 }),
    frame: fc.constantFrom("chunk", "chunk", "chunk", ...Object.keys(frames)),
    isSent: fc.constantFrom(true, true, true, false),
    isPushed: fc.constantFrom(false, false, false, true),
  });
  const packets = fc.array(fc.array(part, { minLength: 1, maxLength: 5 }), { maxLength: 5 });
  fc.assert(
    fc.property(packets, fc.boolean(), fc.boolean(), (all, isHeadWritten, isFlushed) => {
      const stream: AnswerStream = { sendTo: () => undefined, onTaken: () => undefined, onGone: () => undefined };
      const outlet = new KeptWrites();
      const answer = new ChunkedAnswer(stream, isHeadWritten ? "" : head, outlet);
      const sent: string[] = [];
      for (const [index, parts] of all.entries()) {
        const framed = parts.map(({ text, frame }) => [...(frames[frame]?.(text) ?? ["", ""]), text] as const);
        const packet = Buffer.from(framed.map(([before, after, text]) => before + text + after).join(""));
        let at = 0;
        for (const [place, [before, after, text]] of framed.entries()) {
          const start = at + before.length;
          const end = start + Buffer.byteLength(text);
          at = end + after.length;
          if (parts[place]?.isSent) {
            sent.push(text);
            answer.pushPart(packet, start, end);
          }
          if (parts[place]?.isPushed) {
            sent.push("!");
            answer.push(Buffer.from("!"));
          }
        }
        if (isFlushed || index < all.length - 1) {
          answer.flush();
        }
      }
      answer.close();
      const { body, end } = parsePieces(isHeadWritten ? [Buffer.from(head), ...outlet.writes] : outlet.writes);
      expect([body, end]).toEqual([Buffer.from(sent.join("")).toString("latin1"), "delimited"]);
    }),
  );
});

test("chunks that come in one packet are sent as they are, in one write and without being copied", () => {
  const outlet = new KeptWrites();
  const stream: AnswerStream = { sendTo: () => undefined, onTaken: () => undefined, onGone: () => undefined };
  const answer = new ChunkedAnswer(stream, "", outlet);
  const packet = Buffer.from("2\r\nab\r\n11\r\n0123456789abcdefg\r\nA\r\n0123456789\r\n");
  answer.pushPart(packet, 3, 5);
  answer.pushPart(packet, 11, 28);
  answer.pushPart(packet, 33, 43);
  answer.flush();
  expect(outlet.writes.map((write) => write.toString())).toEqual([packet.toString()]);
  packet.fill("-");
  expect(outlet.writes[0]?.toString()).toBe("-".repeat(packet.length));
});
