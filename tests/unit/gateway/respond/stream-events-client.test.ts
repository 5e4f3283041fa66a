import { afterEach, beforeEach, describe, expect, jest, spyOn, test } from "bun:test";
import { ChunkedAnswer, type StreamConnection, type StreamOutlet } from "@sluice/control-plane/front/chunked-answer.ts";
import type { StreamOwner } from "@sluice/control-plane/gateway/respond/stream-events/stream-owner.ts";
import { SignsOfLife } from "@sluice/control-plane/gateway/signs-of-life.ts";
import { HttpClientError } from "@sluice/http-client/model";
import {
  chunk,
  errorEvent,
  runEventStream as run,
  usage,
  usageChunk,
} from "../../../support/calls/event-stream-run.ts";
import { settlePromises } from "../../../support/values/fake-time.ts";

describe("the client's side", () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const content = (length: number) => Buffer.from(`data: "${"x".repeat(length - 2)}"\n\n`);
  const readText = async (reader: { read(): Promise<{ value?: Uint8Array | undefined }> }) =>
    Buffer.from((await reader.read()).value ?? []).toString("utf8");

  test("holds the end back until the call is settled", async () => {
    let settle: () => void = () => undefined;
    const one = run({
      onEnding: (_ending, onSettled) => {
        settle = () => onSettled({ errorEvent: null, postscript: Buffer.from(": for the relay\n\n") });
      },
    });
    one.body.push(Buffer.from('data: "a"\n\ndata: [DONE]\n\n'));
    const reader = one.readable.getReader();
    expect(await readText(reader)).toBe('data: "a"\n\n');
    const next = readText(reader);
    await settlePromises();
    expect(one.sent()).toBe('data: "a"\n\n');
    settle();
    expect(await next).toBe("data: [DONE]\n\n");
    expect(await readText(reader)).toBe(": for the relay\n\n");
    expect((await reader.read()).done).toBe(true);
  });

  test("the head of the response and the first events go out in one write, as soon as their packet was read", () => {
    const writes: string[] = [];
    const outlet: StreamOutlet = {
      backlogBytes: 0,
      writeParts: ({ before, pieces, after }) => writes.push(before + Buffer.concat(pieces).toString() + after),
      writeChunk: (packet, start, end) => writes.push(packet.toString("utf8", start, end)),
      writePart: (packet, start, end) => writes.push(packet.toString("utf8", start, end)),
    };
    const connection: StreamConnection = {
      outlet,
      onStreamEnd: () => undefined,
      onStreamFailure: () => undefined,
    };
    const none = () => new ReadableStream<Uint8Array>();
    const one = run({}, none, ({ stream }) => new ChunkedAnswer(stream, "head\r\n\r\n", connection).begin());
    one.body.push(Buffer.from(": a comment\n\n"));
    expect(writes).toEqual([]);
    one.body.push(Buffer.from('data: "a"\n\ndata: "b"\n\n'));
    expect(writes).toEqual(['head\r\n\r\n23\r\n: a comment\n\ndata: "a"\n\ndata: "b"\n\n\r\n']);
  });

  test("pauses the upstream when 16 KB wait, and lets it continue when half of them were read", async () => {
    const one = run();
    one.body.push(content(7_000));
    one.body.push(content(7_000));
    expect(one.body.isPaused).toBe(false);
    one.body.push(content(7_000));
    expect(one.body.isPaused).toBe(true);
    const reader = one.readable.getReader();
    await reader.read();
    await settlePromises();
    expect(one.body.isPaused).toBe(true);
    await reader.read();
    await settlePromises();
    expect(one.body.isPaused).toBe(false);
  });

  test("what a slow reader takes counts, also while the upstream stays paused", async () => {
    const one = run();
    const reader = one.readable.getReader();
    for (let piece = 0; piece < 17; piece += 1) {
      one.body.push(content(1_000));
    }
    for (let turn = 0; turn < 3; turn += 1) {
      jest.advanceTimersByTime(59_000);
      await reader.read();
      await settlePromises();
    }
    expect(one.body.isPaused).toBe(true);
    expect(one.endings).toEqual([]);
    jest.advanceTimersByTime(65_000);
    expect(one.endings).toEqual([{ kind: "aborted" }]);
  });

  test("a reader that reads nothing is gone after its time, and one that reads now and then is not", async () => {
    const one = run();
    const reader = one.readable.getReader();
    for (let turn = 0; turn < 5; turn += 1) {
      one.body.push(content(70_000));
      jest.advanceTimersByTime(59_000);
      await reader.read();
      await settlePromises();
    }
    expect(one.endings).toEqual([]);
    one.body.push(content(70_000));
    jest.advanceTimersByTime(59_999);
    expect(one.endings).toEqual([]);
    jest.advanceTimersByTime(1);
    jest.advanceTimersByTime(5_000);
    expect(one.endings).toEqual([{ kind: "aborted" }]);
    expect(one.body.isCancelled).toBe(true);
    await settlePromises();
    await expect(reader.read()).rejects.toThrow("not whole");
  });

  const left = async (more: Partial<StreamOwner> = {}) => {
    const one = run(more);
    one.body.push(Buffer.from(`data: ${chunk({ content: "x" })}\n\n`));
    await one.opening;
    await one.readable.cancel();
    return one;
  };

  test("when it leaves, the upstream is read on for its usage, and none of that counts as delivered", async () => {
    const one = await left();
    const sent = one.sent();
    expect([one.body.isCancelled, one.endings]).toEqual([false, []]);
    one.body.push(Buffer.from(`data: ${chunk({ content: "y" })}\n\ndata: ${usageChunk}\n\ndata: [DONE]\n\n`));
    expect(one.endings).toEqual([{ kind: "aborted" }]);
    expect([one.usages.at(-1), one.delivered]).toEqual([usage, [true, false, false]]);
    expect([one.sent(), one.body.isCancelled]).toEqual([sent, false]);
    await settlePromises();
  });

  test("when it leaves, the upstream is cut off once its time is over", async () => {
    const one = await left();
    jest.advanceTimersByTime(4_999);
    expect([one.body.isCancelled, one.endings]).toEqual([false, []]);
    jest.advanceTimersByTime(1);
    expect([one.body.isCancelled, one.endings]).toEqual([true, [{ kind: "aborted" }]]);
  });

  test("when it leaves, the upstream is cut off once it has sent too much", async () => {
    const one = await left();
    one.body.push(content(60_000));
    expect(one.body.isCancelled).toBe(false);
    one.body.push(content(60_000));
    expect([one.body.isCancelled, one.endings]).toEqual([true, [{ kind: "aborted" }]]);
  });

  test("when it leaves, a paused upstream continues", async () => {
    const one = run();
    one.body.push(content(70_000));
    await one.opening;
    expect(one.body.isPaused).toBe(true);
    await one.readable.cancel();
    expect([one.body.isPaused, one.body.isCancelled]).toEqual([false, false]);
  });

  test("gets an error, and has not left, if something has thrown while events passed", async () => {
    const failures: unknown[] = [];
    const one = run({ onFailure: (thrown) => failures.push(thrown) });
    one.body.push(Buffer.from('data: "a"\n\n'));
    const error = new HttpClientError("aborted", true, "the receiver of the body failed");
    error.cause = new RangeError("a bug");
    one.body.sink.onError(error);
    expect([one.endings, failures]).toEqual([[{ kind: "cut", error: null }], [error.cause]]);
    expect(await readText(one.readable.getReader())).toBe('data: "a"\n\n');
  });

  test("gets an error response if something has thrown before the first event was passed on", async () => {
    const failure = new RangeError("a bug");
    const onSent = () => {
      throw failure;
    };
    const one = run({ onSent });
    expect(() => one.body.push(Buffer.from('data: "a"\n\n'))).toThrow(failure);
    const error = new HttpClientError("aborted", true, "the receiver of the body failed");
    error.cause = failure;
    one.body.sink.onError(error);
    expect([await one.opening, one.endings]).toEqual([{ kind: "cut", error: null }, []]);
  });

  test("ends, and its call is told of it, even if the upstream can't be cut off", () => {
    const failures: unknown[] = [];
    const one = run({ onFailure: (thrown) => failures.push(thrown) });
    one.body.push(Buffer.from('data: "a"\n\n'));
    const failure = new RangeError("a bug");
    using _ = spyOn(one.body, "cancel").mockImplementation(() => {
      throw failure;
    });
    one.body.sink.onError(new HttpClientError("reset_in_body", true, "the connection was lost"));
    expect([one.endings.map(({ kind }) => kind), failures]).toEqual([["cut"], [failure]]);
  });

  test("is cut if the call can't be settled: nothing more would ever come", async () => {
    const failure = new Error("no settlement");
    const onEnding = () => {
      throw failure;
    };
    const ended = spyOn(SignsOfLife.prototype, "end");
    const one = run({ onEnding, idle: () => null });
    expect(() => one.body.push(Buffer.from('data: "a"\n\ndata: [DONE]\n\n'))).toThrow(failure);
    await expect(one.readable.getReader().read()).rejects.toThrow("not whole");
    // Else its signs of life would stay in memory for good.
    expect(ended).toHaveBeenCalledTimes(1);
    ended.mockRestore();
  });

  test("the last events, the end and what follows it go out in one write, once the call is settled", () => {
    const writes: string[] = [];
    const outlet: StreamOutlet = {
      backlogBytes: 0,
      writeParts: ({ before, pieces, after }) => writes.push(before + Buffer.concat(pieces).toString() + after),
      writeChunk: (packet, start, end) => writes.push(packet.toString("utf8", start, end)),
      writePart: (packet, start, end) => writes.push(packet.toString("utf8", start, end)),
    };
    const connection: StreamConnection = {
      outlet,
      onStreamEnd: (isWhole) => writes.push(isWhole ? "whole" : "cut"),
      onStreamFailure: () => undefined,
    };
    const none = () => new ReadableStream<Uint8Array>();
    let settle: () => void = () => undefined;
    const onEnding: StreamOwner["onEnding"] = (_ending, onSettled) => {
      settle = () => onSettled({ errorEvent: null, postscript: Buffer.from(": report\n\n") });
    };
    const one = run({ onEnding }, none, ({ stream }) => new ChunkedAnswer(stream, "", connection).begin());
    one.body.push(Buffer.from('data: "a"\n\n'));
    expect(writes.splice(0)).toEqual(['b\r\ndata: "a"\n\n\r\n']);
    one.body.push(Buffer.from('data: "b"\n\ndata: [DONE]\n\n'));
    expect(writes).toEqual([]);
    settle();
    expect(writes).toEqual(['23\r\ndata: "b"\n\ndata: [DONE]\n\n: report\n\n\r\n0\r\n\r\n', "whole"]);
  });

  test.each([
    ["if nothing more could come from it", { form: "raw" }],
    ["if no time is configured", { afterAbort: { timeoutMs: 0, bytesMax: 1 } }],
  ] as const)("when it leaves, the upstream is cut off at once %s", async (_where, more) => {
    const one = await left(more);
    expect([one.body.isCancelled, one.endings]).toEqual([true, [{ kind: "aborted" }]]);
    await settlePromises();
  });

  test("a stream that broke off ends with the error event, and its connection is then cut off", async () => {
    const one = run();
    one.body.push(Buffer.from('data: "a"\n\n'));
    one.body.sink.onError(new HttpClientError("reset_in_body", true, "reset"));
    await settlePromises();
    const reader = one.readable.getReader();
    expect(await readText(reader)).toBe('data: "a"\n\n');
    // An event that was not read yet is not lost when the stream breaks off.
    jest.advanceTimersByTime(10_000);
    expect(await readText(reader)).toBe(errorEvent.toString("utf8"));
    const end = reader.read();
    await settlePromises();
    jest.advanceTimersByTime(250);
    await expect(end).rejects.toThrow("not whole");
  });

  test("a response that is not an event stream gets no event when it breaks off", async () => {
    const one = run({ form: "raw" });
    one.body.push(Buffer.from("ID3"));
    one.body.sink.onError(new HttpClientError("idle_timeout", true, "silent"));
    await settlePromises();
    const reader = one.readable.getReader();
    expect(await readText(reader)).toBe("ID3");
    const end = reader.read();
    await settlePromises();
    jest.advanceTimersByTime(250);
    await expect(end).rejects.toThrow("not whole");
  });

  test("a response that is not an event stream breaks off right after the good part of its last packet", async () => {
    const writes: string[] = [];
    const outlet: StreamOutlet = {
      backlogBytes: 0,
      writeParts: ({ pieces }) => writes.push(Buffer.concat(pieces).toString()),
      writeChunk: (packet, start, end) => writes.push(packet.toString("utf8", start, end)),
      writePart: (packet, start, end) => writes.push(packet.toString("utf8", start, end)),
    };
    const connection: StreamConnection = {
      outlet,
      onStreamEnd: (isWhole) => writes.push(isWhole ? "whole" : "cut"),
      onStreamFailure: (error) => {
        throw error;
      },
    };
    const one = run({ form: "raw" }, (stream) => {
      new ChunkedAnswer(stream, "", connection).begin();
      return new ReadableStream();
    });
    one.body.push(Buffer.from("ID3"));
    await settlePromises();
    // What follows in the same packet is malformed, so that nobody says that the packet was read.
    one.body.sink.onPart?.(Buffer.from("3\r\nv24\r\nnot a size"), 3, 6);
    one.body.sink.onError(new HttpClientError("malformed", true, "not a size"));
    await settlePromises();
    const sent = "3\r\nv24\r\n";
    expect(writes).toEqual(["ID3", sent]);
    jest.advanceTimersByTime(250);
    expect(writes).toEqual(["ID3", sent, "cut"]);
  });
});
