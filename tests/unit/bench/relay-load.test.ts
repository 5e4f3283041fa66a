import { describe, expect, test } from "bun:test";
import { buildAnswers, CHUNKS_PER_STREAM, withoutSendTimes } from "../../bench/relay/load/answers.ts";
import { callDialects, callOf, chatCall } from "../../bench/relay/load/call.ts";
import { callBody } from "../../bench/relay/load/chat-request.ts";
import { dialectAnswers } from "../../bench/relay/load/dialect-answers.ts";
import { ResponseReader } from "../../bench/relay/load/response-reader.ts";
import { median, Samples } from "../../bench/relay/load/samples.ts";
import { StreamScan } from "../../bench/relay/load/stream-scan.ts";

const answers = buildAnswers();
const wholeStream = Buffer.concat([answers.streamHead, ...answers.chunks.map(({ wire }) => wire)]);
const wholeJson = Buffer.from(answers.json);

/** Feeds the pieces to a reader and a scan and counts what a load run would count. */
function readStream(pieces: readonly Buffer[]): { events: number; ends: number } {
  const counts = { events: 0, ends: 0 };
  const scan = new StreamScan(() => {
    counts.events += 1;
  });
  const reader = new ResponseReader({
    onBody: (bytes) => scan.take(bytes),
    onEnd() {
      scan.finish();
      counts.ends += 1;
    },
  });
  for (const piece of pieces) {
    reader.feed(piece);
  }
  return counts;
}

function without(bytes: Buffer, text: string): Buffer {
  const at = bytes.indexOf(text);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + text.length)]);
}

describe("what the load sends and expects", () => {
  test("the call has 2,060 bytes with and without a stream, the response 1,069", () => {
    expect([callBody(chatCall, false).length, callBody(chatCall, true).length, answers.jsonBody.byteLength]).toEqual([
      2060, 2060, 1069,
    ]);
  });

  test.each(callDialects)("the call in %s and its whole response are as long as those of chat", (dialect) => {
    const call = callOf({ client: dialect, upstream: dialect });
    expect([callBody(call, false).length, callBody(call, true).length]).toEqual([2060, 2060]);
    expect(dialectAnswers[dialect].jsonBody.byteLength).toBe(1069);
  });

  test("two streams differ in their send times only", () => {
    const body = Buffer.from(answers.streamBody).toString();
    const stamped = body.replaceAll("fp_00000000000000000000", "fp_00000000012345678901");
    expect(stamped).not.toBe(body);
    expect(withoutSendTimes(stamped)).toBe(body);
    expect(withoutSendTimes(stamped.replace("chatcmpl", "chatcmpI"))).not.toBe(body);
  });
});

describe("reading a response", () => {
  test("a stream is read alike wherever the packets are cut", () => {
    for (let cut = 1; cut < wholeStream.byteLength; cut += 7) {
      expect(readStream([wholeStream.subarray(0, cut), wholeStream.subarray(cut)])).toEqual({
        events: CHUNKS_PER_STREAM,
        ends: 1,
      });
    }
  });

  test("a stream that arrives byte by byte is read the same", () => {
    const bytes = Array.from(wholeStream, (_, index) => wholeStream.subarray(index, index + 1));
    expect(readStream(bytes)).toEqual({ events: CHUNKS_PER_STREAM, ends: 1 });
  });

  test("responses of one connection are distinguished", () => {
    expect(readStream([Buffer.concat([wholeStream, wholeStream])])).toEqual({ events: 2 * CHUNKS_PER_STREAM, ends: 2 });
  });

  test("a stream without its last event or without its end mark is refused", () => {
    const last = Buffer.from(answers.chunks.at(-1)?.wire ?? []);
    const head = wholeStream.subarray(0, wholeStream.byteLength - last.byteLength);
    expect(() => readStream([head, Buffer.from("e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")])).toThrow("49 events");
    expect(() => readStream([without(wholeStream, "e\r\ndata: [DONE]\n\n\r\n")])).toThrow("no data: [DONE]");
  });

  test("a response other than 2xx, without a declared end or with a broken chunk is refused", () => {
    const edited = (from: string, to: string) => Buffer.from(wholeJson.toString().replace(from, to));
    expect(() => readStream([edited("200 OK", "500 No")])).toThrow("500 No");
    expect(() => readStream([edited("content-length", "content-lenght")])).toThrow("without a declared end");
    expect(() => readStream([without(wholeStream, "\r\n\r\n0\r\n")])).toThrow("does not end where it said");
  });

  test("a status that is accepted is read up to its end, and only that one", () => {
    let ends = 0;
    const reader = new ResponseReader({
      accepts: (status) => status === 503,
      onBody: () => undefined,
      onEnd: () => {
        ends += 1;
      },
    });
    const edited = (status: string) => Buffer.from(wholeJson.toString().replace("200 OK", status));
    reader.feed(edited("503 Later"));
    reader.feed(wholeJson);
    expect(ends).toBe(2);
    expect(() => reader.feed(edited("500 No"))).toThrow("500 No");
  });

  test.each(callDialects)("a stream of %s is read alike wherever the packets are cut", (dialect) => {
    const { chunks } = dialectAnswers[dialect];
    const body = Buffer.from(dialectAnswers[dialect].streamBody);
    const { marks } = callOf({ client: dialect, upstream: dialect });
    for (let cut = 1; cut < body.byteLength; cut += 11) {
      const seen: number[] = [];
      const scan = new StreamScan((sentNs) => seen.push(sentNs), marks);
      scan.take(body.subarray(0, cut));
      scan.take(body.subarray(cut));
      scan.finish();
      expect(seen).toHaveLength(chunks.length);
    }
    const scan = new StreamScan(() => undefined, marks);
    scan.take(body.subarray(0, body.lastIndexOf("\n\n", body.byteLength - 3) + 2));
    expect(() => scan.finish()).toThrow("50 events but no");
  });

  test("the send time is read back as written", () => {
    const seen: number[] = [];
    const scan = new StreamScan((sentNs) => seen.push(sentNs));
    scan.take(Buffer.from('data: {"system_fingerprint":"fp_00000001234567890123"}\n\n'));
    expect(seen).toEqual([1_234_567_890_123]);
  });
});

describe("numbers", () => {
  test("the median of an even count is between the two in the middle", () => {
    expect([median([3, 1, 2]), median([4, 1, 3, 2])]).toEqual([2, 2.5]);
  });

  test("quantiles cover all samples, even beyond the first block of memory", () => {
    const samples = new Samples();
    for (let value = 0; value < 100_000; value += 1) {
      samples.add(value);
    }
    expect(samples.quantiles()).toEqual({ p50: 50_000, p99: 99_000, max: 99_999 });
  });

  test("no sample means no result", () => {
    expect(() => new Samples().quantiles()).toThrow("no sample");
  });
});
