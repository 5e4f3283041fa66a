import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { EarlyStream } from "@sluice/control-plane/gateway/early-stream.ts";
import { SignsOfLife } from "@sluice/control-plane/gateway/signs-of-life.ts";
import type { AnswerStream } from "@sluice/control-plane/platform/answer-stream.ts";

const longAfter = 1_000_000;
/** Silence begins the stream at once, instead of after ten seconds. */
let watching: ReturnType<typeof spyOn>;

beforeEach(() => {
  watching = spyOn(SignsOfLife.prototype, "begin").mockImplementation(function silent(this: SignsOfLife) {
    this.onTick(longAfter);
  });
});

afterEach(() => {
  watching.mockRestore();
});

class Received {
  text = "";
  end: "close" | "break" | null = null;
  readonly waitingBytes = 0;

  push(piece: Uint8Array): void {
    this.text += Buffer.from(piece).toString();
  }

  close(): void {
    this.end = "close";
  }

  break(): void {
    this.end = "break";
  }
}

async function begun(): Promise<{ early: EarlyStream; received: Received }> {
  const early = new EarlyStream({ headers: () => ({}), onSent: () => undefined, postscript: () => null });
  early.watch(null);
  const received = new Received();
  const { body } = await early.answer;
  (body as AnswerStream).sendTo(received);
  return { early, received };
}

const whole = (text: string) => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: Buffer.from(text),
});

describe("a stream that has begun by itself", () => {
  test("ends with the events of a message that came whole", async () => {
    const { early, received } = await begun();
    early.finish(whole('{"type":"message","content":[{"type":"text","text":"Hi"}],"usage":{"output_tokens":1}}'));
    expect(received.text).toContain('"text":"Hi"');
    expect(received.end).toBe("close");
  });

  test.each([
    ["no JSON", '{"content":[oops],"usage":{"input_tokens":1,"output_tokens":1}}'],
    ["no message", '{"content":[null],"usage":{"input_tokens":1,"output_tokens":1}}'],
  ])("is broken off by a response that is %s", async (_, text) => {
    const { early, received } = await begun();
    expect(() => early.finish(whole(text))).not.toThrow();
    expect(received.end).toBe("break");
  });
});
