/**
 * Responses that would never end: time and size are limited, the call at the provider is aborted, and the delivered
 * part is charged.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { errorIn, eventPayloads, streamedText } from "../support/calls/relayed-call.ts";
import { arrangements } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";

const totalMsMax = 2_000;
const answerBytesMax = 200_000;

describe.each(arrangements)("an endless response, %s", (arrangement) => {
  let faulty: FaultRig;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    await faulty.addModel("endless", [{ name: "endless-1" }, { name: "endless-2" }]);
    await faulty.start(arrangement, {
      UPSTREAM_TOTAL_TIMEOUT_MS: String(totalMsMax),
      UPSTREAM_RESPONSE_BYTES_MAX: String(answerBytesMax),
    });
  });

  afterAll(async () => {
    await faulty.close();
  });

  const expectCut = async (code: string, result: string) => {
    const startedAt = performance.now();
    const answer = await faulty.call("endless", { stream: true });
    const durationMs = performance.now() - startedAt;
    expect({ status: answer.status, isWhole: answer.isWhole, code: errorIn(answer.body)?.code }).toEqual({
      status: 200,
      isWhole: false,
      code,
    });
    const row = await faulty.row(answer.requestId);
    const texts = eventPayloads(answer.body).length - 2;
    const counted = Math.max(texts, Math.ceil(streamedText(answer.body).length / 4));
    expect(row).toMatchObject({
      outcome: "failed",
      error_code: code,
      usage_source: "estimated",
    });
    // A long response is counted by its beginning, and a hold bounds what an estimate may charge.
    expect(Number(row.output_tokens)).toBeWithin(
      Math.floor(Math.min(counted, 16_384) * 0.98),
      Math.ceil(counted * 1.02),
    );
    expect(row.attempts.map((attempt) => attempt.result)).toEqual([result]);
    return { durationMs, bytes: answer.body.length };
  };

  test("a drip is cut at the total limit", async () => {
    faulty.provider.script({ isEndless: true, chunkDelayMs: 50 });
    const { durationMs } = await expectCut("upstream_timeout", "total_timeout");
    // The error event is given a moment before the connection breaks.
    expect(durationMs).toBeWithin(totalMsMax, totalMsMax + promptMs);
    await faulty.provider.waitForCancel(0);
  });

  test("a flood is cut at the byte limit", async () => {
    faulty.provider.reset();
    faulty.provider.script({ isEndless: true, chunkBytes: 1_000 });
    const { bytes } = await expectCut("stream_interrupted", "too_large");
    expect(bytes).toBeLessThanOrEqual(answerBytesMax + 1_000);
    await faulty.provider.waitForCancel(0);
  });

  test("a complete response above the byte limit ends as 502 and is free", async () => {
    faulty.provider.reset();
    faulty.provider.script({ hugeBodyBytes: 100_000_000, framing: "chunked" });
    const answer = await faulty.call("endless");
    expect({ status: answer.status, code: errorIn(answer.body)?.code }).toEqual({
      status: 502,
      code: "upstream_error",
    });
    expect(await faulty.row(answer.requestId)).toMatchObject({ outcome: "failed", quota: 0n });
    await faulty.provider.waitForCancel(0);
  });

  test("endless comments are not a response: they end at the total limit, with a clean error, and are free", async () => {
    faulty.provider.reset();
    const comments = Array.from({ length: 200 }, () => "8\r\n: wait\n\n\r\n").join("");
    const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    faulty.provider.script({ raw: head + comments, silence: { afterBytes: head.length + comments.length } });
    const answer = await faulty.call("endless", { stream: true });
    const seen = { status: answer.status, isWhole: answer.isWhole, code: errorIn(answer.body)?.code };
    expect(seen).toEqual({ status: 504, isWhole: true, code: "upstream_timeout" });
    expect(await faulty.row(answer.requestId)).toMatchObject({ outcome: "failed", usage_source: "none", quota: 0n });
  });

  test("afterwards nothing is held and the books are correct", async () => {
    await faulty.waitUntilReleased();
    expect(await faulty.rig.checkMoney()).toEqual([]);
  });
});
