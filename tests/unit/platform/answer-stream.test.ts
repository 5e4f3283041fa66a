import { expect, test } from "bun:test";
import {
  type AnswerSink,
  type AnswerStream,
  LateSink,
  serverResponse,
} from "@sluice/control-plane/platform/answer-stream.ts";

/** A client that takes nothing by itself, and what it got. */
function openSink(): AnswerSink & { readonly got: string[] } {
  const got: string[] = [];
  return {
    got,
    waitingBytes: 7,
    push: (piece) => got.push(Buffer.from(piece).toString()),
    pushPart: (packet, start, end) => got.push(packet.toString("utf8", start, end)),
    flush: () => undefined,
    close: () => got.push("close"),
    break: () => got.push("break"),
  };
}

test("what comes before the client waits for it and keeps its order", () => {
  const late = new LateSink();
  late.push(Buffer.from("a"));
  late.pushPart(Buffer.from("-bc-"), 1, 3);
  expect(late.waitingBytes).toBe(3);
  const sink = openSink();
  late.sendTo(sink);
  expect(late.waitingBytes).toBe(7);
  late.push(Buffer.from("d"));
  late.close();
  expect(sink.got).toEqual(["a", "bc", "d", "close"]);
});

test.each(["close", "break"] as const)("an answer that is over before the client comes says so: %s", (end) => {
  const late = new LateSink();
  late.push(Buffer.from("a"));
  late[end]();
  const sink = openSink();
  late.sendTo(sink);
  expect(sink.got).toEqual(["a", end]);
});

test("after the end nothing follows, not even another end", () => {
  const late = new LateSink();
  const sink = openSink();
  late.sendTo(sink);
  late.break();
  late.push(Buffer.from("a"));
  late.close();
  late.break();
  expect(sink.got).toEqual(["break"]);
});

/** Fails in one of its parts, and counts how often it was told that nobody takes it. */
class FailingStream implements AnswerStream {
  goneCount = 0;
  readonly #failsIn: "sendTo" | "onTaken" | null;

  constructor(failsIn: "sendTo" | "onTaken" | null) {
    this.#failsIn = failsIn;
  }

  sendTo(): void {
    this.#failIn("sendTo");
  }

  onTaken(): void {
    this.#failIn("onTaken");
  }

  onGone(): void {
    this.goneCount += 1;
  }

  #failIn(place: "sendTo" | "onTaken"): void {
    if (this.#failsIn === place) {
      throw new Error(`failed in ${place}`);
    }
  }
}

test.each([
  ["a header that can't be sent", null, { headers: { "x-a": "b\r\nx-c: d" } }],
  ["a status that can't be sent", null, { status: 99 }],
  ["a stream that fails at once", "sendTo", {}],
] as const)("a response that can't be made tells its stream that nobody takes it: %s", (_, failsIn, init) => {
  const stream = new FailingStream(failsIn);
  expect(() => serverResponse(stream, init)).toThrow();
  expect(stream.goneCount).toBe(1);
});

test("a stream that fails on the way breaks its response off, and is told that nobody takes it", async () => {
  const stream = new FailingStream("onTaken");
  const text = serverResponse(stream, {}).text();
  expect(await text.catch((error: Error) => error.message)).toBe("failed in onTaken");
  expect(stream.goneCount).toBe(1);
});
