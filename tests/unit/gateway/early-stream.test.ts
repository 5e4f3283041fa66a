import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { continuing, wholeFor } from "@sluice/control-plane/gateway/attempt-answer.ts";
import { EarlyStream } from "@sluice/control-plane/gateway/early-stream.ts";
import type { AdmittedCall } from "@sluice/control-plane/gateway/model.ts";
import type { AnswerReceiver } from "@sluice/control-plane/gateway/port.ts";
import { SignsOfLife } from "@sluice/control-plane/gateway/signs-of-life.ts";
import type { ConvertedAnswer } from "@sluice/control-plane/gateway/upstreams/conversion-order.ts";
import { convertedAsideBytesMin, type RequestPlan } from "@sluice/control-plane/gateway/upstreams/plan-request.ts";
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

  pushPart(packet: Buffer, start: number, end: number): void {
    this.push(packet.subarray(start, end));
  }

  flush(): void {}

  break(): void {
    this.end = "break";
  }
}

function begun(): { early: EarlyStream; received: Received } {
  const received = new Received();
  const early = opened(({ body }) => (body as AnswerStream).sendTo(received));
  early.watch(null);
  return { early, received };
}

const opened = (onAnswer: AnswerReceiver["onAnswer"]) =>
  new EarlyStream({ receiver: { onAnswer }, headers: () => ({}), onSent: () => undefined, postscript: () => null });

const whole = (text: string) => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: Buffer.from(text),
});

describe("a stream that has begun automatically", () => {
  test("ends with the events of a message that came whole", () => {
    const { early, received } = begun();
    early.onAnswer(whole('{"type":"message","content":[{"type":"text","text":"Hi"}],"usage":{"output_tokens":1}}'));
    expect(received.text).toContain('"text":"Hi"');
    expect(received.end).toBe("close");
  });

  test.each([
    ["no JSON", '{"content":[oops],"usage":{"input_tokens":1,"output_tokens":1}}'],
    ["no message", '{"content":[null],"usage":{"input_tokens":1,"output_tokens":1}}'],
  ])("is broken off by a response that is %s", (_, text) => {
    const { early, received } = begun();
    expect(() => early.onAnswer(whole(text))).not.toThrow();
    expect(received.end).toBe("break");
  });
});

describe("while a response is converted on another thread", () => {
  /** Ten seconds without a byte, as long as silence is watched. */
  let silence: () => void;
  let ending: ReturnType<typeof spyOn>;

  beforeEach(() => {
    let watched: SignsOfLife | null = null;
    silence = () => watched?.onTick(longAfter);
    watching.mockImplementation(function watch(this: SignsOfLife) {
      watched = this;
    });
    ending = spyOn(SignsOfLife.prototype, "end").mockImplementation(() => {
      watched = null;
    });
  });

  afterEach(() => {
    ending.mockRestore();
  });

  async function convertedInSilence(result: ConvertedAnswer | null) {
    const early = opened(() => undefined);
    early.watch(() => Buffer.from("event: message_start\ndata: {}\n\n"));
    const state = {
      early,
      request: { isStream: true },
      call: { signal: new AbortController().signal },
    } as unknown as AdmittedCall;
    const aside = {
      convertAnswer: async () => {
        silence();
        return result;
      },
    } as unknown as Parameters<typeof wholeFor>[0]["aside"];
    const plan = { answers: {}, names: null } as unknown as RequestPlan;
    const converted = await wholeFor({ aside }, state, plan, Buffer.alloc(convertedAsideBytesMin));
    const begunMeanwhile = early.hasBegun;
    const fitting = continuing(state, converted);
    silence();
    return { begunMeanwhile, fitting, begunAfterwards: early.hasBegun };
  }

  test("its stream does not begin automatically, so that its client gets one beginning", async () => {
    const events = { bytes: Buffer.from("event: message_start\ndata: {}\n\n"), isEvents: true };
    expect(await convertedInSilence(events)).toEqual({
      begunMeanwhile: false,
      fitting: events,
      begunAfterwards: false,
    });
  });

  test("and can't be, silence begins the stream again, while the next channel is asked", async () => {
    expect(await convertedInSilence(null)).toEqual({ begunMeanwhile: false, fitting: null, begunAfterwards: true });
  });
});
