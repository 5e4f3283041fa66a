import { expect, test } from "bun:test";
import { ChunkedAnswer, type StreamOutlet } from "@sluice/control-plane/front/chunked-answer.ts";
import { frameChunk } from "@sluice/control-plane/front/response-head.ts";
import type { AnswerStream } from "@sluice/control-plane/platform/answer-stream.ts";
import fc from "fast-check";
import { parsePieces } from "../../support/wire/parse-pieces.ts";

const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

/** Keeps what is written, each time as one piece. */
class KeptWrites implements StreamOutlet {
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
