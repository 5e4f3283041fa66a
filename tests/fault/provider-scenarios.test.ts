/**
 * Sixteen faults of a provider beside a healthy one, for streams: the client gets a whole response, by the other
 * channel wherever nothing went out yet, or a clean error in bounded time. Limits of time are a fraction of the
 * defaults here; `unit/gateway/dispatch/bound-silence` shows that the defaults stay within a minute.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { errorIn, eventPayloads, type RelayedResponse, streamedText } from "../support/calls/relayed-call.ts";
import { startRawHttpServer } from "../support/wire/raw-http-server.ts";

const limits = { UPSTREAM_FIRST_TOKEN_TIMEOUT_MS: "3000", UPSTREAM_IDLE_TIMEOUT_MS: "1500" };
const boundMs = 3_500;
const tokens = 40;
const rest: Behaviour = { chunks: 60 };
const refusal = (code: string) => ({
  status: 400,
  body: { error: { message: "no", type: "invalid_request_error", code } },
});

/** Nothing was sent, so the other channel responds. */
const coveredFaults: readonly { readonly name: string; readonly behaviour?: Behaviour; readonly result: string }[] = [
  { name: "S01 429 with Retry-After", behaviour: { status: 429, retryAfter: 30 }, result: "status_429" },
  { name: "S02 500", behaviour: { status: 500 }, result: "status_500" },
  { name: "S03 503 with Retry-After", behaviour: { status: 503, retryAfter: 30 }, result: "status_503" },
  { name: "S04 a refused connection", result: "unreachable" },
  {
    name: "S05 a reset before the head",
    behaviour: { cut: { afterBytes: 0, with: "rst" } },
    result: "reset_before_head",
  },
  { name: "S06 silence", behaviour: { neverAnswer: true }, result: "first_byte_timeout" },
  {
    name: "S07 a first token that comes too late",
    behaviour: { silence: { afterChunks: 0 } },
    result: "first_byte_timeout",
  },
];

/** Something was sent: the client gets an error, and the other channel, which knows nothing about it, is not asked. */
const endedFaults: readonly { readonly name: string; readonly behaviour: Behaviour; readonly code: string }[] = [
  { name: "S08 a cut", behaviour: { ...rest, cut: { afterChunks: tokens, with: "rst" } }, code: "stream_interrupted" },
  { name: "S09 a stall", behaviour: { ...rest, silence: { afterChunks: tokens } }, code: "upstream_timeout" },
  {
    name: "S14 an orderly end in the middle",
    behaviour: { ...rest, cut: { afterChunks: tokens, with: "fin" } },
    code: "stream_interrupted",
  },
];

/** The request is at fault, and would be at any other channel. */
const refusals = [
  {
    name: "S12 a context that is too long",
    behaviour: refusal("context_length_exceeded"),
    code: "context_length_exceeded",
  },
  {
    name: "S13 content that is refused",
    behaviour: refusal("content_policy_violation"),
    code: "content_policy_violation",
  },
];

const modelOf = (name: string) => name.slice(0, 3).toLowerCase();

describe("beside a healthy channel", () => {
  let faulty: FaultRig;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    const free = startRawHttpServer({});
    free.stop();
    for (const { name, behaviour } of [...coveredFaults, ...endedFaults, ...refusals]) {
      const place = behaviour === undefined ? { baseUrl: `http://127.0.0.1:${free.port}/v1` } : {};
      await faulty.addModel(modelOf(name), [{ name: `${modelOf(name)}-1`, ...place }, { name: `${modelOf(name)}-2` }]);
    }
    await faulty.addModel("s15", [{ name: "s15-1" }, { name: "s15-2" }]);
    await faulty.start("one-process", limits);
  });

  afterAll(async () => {
    await faulty.waitUntilReleased();
    expect(await faulty.rig.checkMoney()).toEqual([]);
    await faulty.close();
  });

  const script = (model: string, behaviour: Behaviour | undefined) =>
    behaviour === undefined
      ? undefined
      : faulty.provider.script(behaviour, { match: { credential: `upstream-${model}-1` } });

  const timed = async (model: string): Promise<{ readonly answer: RelayedResponse; readonly tookMs: number }> => {
    const startedAt = performance.now();
    const answer = await faulty.call(model, { stream: true });
    return { answer, tookMs: performance.now() - startedAt };
  };

  test.each(coveredFaults)("$name: the other channel responds, and the first costs nothing", async (fault) => {
    const model = modelOf(fault.name);
    script(model, fault.behaviour);
    const { answer, tookMs } = await timed(model);
    expect({ status: answer.status, isWhole: answer.isWhole }).toEqual({ status: 200, isWhole: true });
    expect(eventPayloads(answer.body).at(-1)).toBe("[DONE]");
    expect(tookMs).toBeLessThan(boundMs);
    const row = await faulty.row(answer.requestId);
    expect(row.outcome).toBe("completed");
    expect(row.attempts.map(({ channel, result }) => [channel, result])).toEqual([
      [`${model}-1`, fault.result],
      [`${model}-2`, "answered"],
    ]);
    expect(row.channel_id).toBe(BigInt(row.attempts[1]?.channelId ?? 0));
  });

  test.each(endedFaults)("$name in the middle: a clean error in time, from one channel only", async (fault) => {
    const model = modelOf(fault.name);
    script(model, fault.behaviour);
    const { answer, tookMs } = await timed(model);
    expect({ status: answer.status, isWhole: answer.isWhole }).toEqual({ status: 200, isWhole: false });
    expect(streamedText(answer.body)).not.toBe("");
    expect(answer.body.toString()).not.toContain("[DONE]");
    expect(answer.body.toString()).toContain(fault.code);
    expect(tookMs).toBeLessThan(boundMs);
    const row = await faulty.row(answer.requestId);
    expect(row).toMatchObject({ outcome: "failed", error_code: fault.code, usage_source: "estimated" });
    expect(row.attempts.map(({ channel }) => channel)).toEqual([`${model}-1`]);
  });

  test.each(refusals)("$name: reported in the provider's words, and retried nowhere else", async (fault) => {
    const model = modelOf(fault.name);
    script(model, fault.behaviour);
    const { answer } = await timed(model);
    expect({ status: answer.status, code: errorIn(answer.body)?.code }).toEqual({ status: 400, code: fault.code });
    const row = await faulty.row(answer.requestId);
    expect(row).toMatchObject({ outcome: "failed", quota: 0n });
    expect(row.attempts.map(({ channel, said }) => [channel, said])).toEqual([[`${model}-1`, "no"]]);
  });

  test("S15, S16 the first channel gets the calls again once it is healthy, and each row names who responded", async () => {
    script("s15", { status: 503, retryAfter: 1 });
    const covered = await faulty.call("s15");
    const named = (row: Awaited<ReturnType<FaultRig["row"]>>) =>
      row.attempts.find(({ channelId }) => BigInt(channelId) === row.channel_id)?.channel;
    expect(named(await faulty.row(covered.requestId))).toBe("s15-2");
    faulty.provider.reset();
    const { answer } = await faulty.callUntilRequest("s15", "upstream-s15-1");
    expect(named(await faulty.row((await answer).requestId))).toBe("s15-1");
  });
});
