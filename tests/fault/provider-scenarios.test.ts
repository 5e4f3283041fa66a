/**
 * Sixteen faults of a provider beside a healthy one, for streams, by each route from a client to a provider: the client
 * gets a whole response, by the other channel wherever nothing went out yet, or a clean error in bounded time. Limits of
 * time are a fraction of the defaults here; `unit/gateway/dispatch/bound-silence` shows that the defaults stay within a
 * minute.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { allRoutes, type CallRoute, surfaces } from "../support/calls/call-routes.ts";
import { FaultRig, type FaultRow } from "../support/calls/fault-rig.ts";
import type { RelayedResponse } from "../support/calls/relayed-call.ts";
import { patienceMs } from "../support/values/patience.ts";

const limits = { UPSTREAM_FIRST_TOKEN_TIMEOUT_MS: "3000" };
/** The scenarios run side by side, so there is some room for a busy machine. */
const boundMs = 15_000;
const tokens = 40;
const rest: Behaviour = { chunks: 60 };
const counts = { prompt: 1_011, completion: 29 };
/** At 75 and 300 thousandths of quota a token, rounded up. */
const charge = { input_tokens: 1_011n, output_tokens: 29n, quota: 85n };

type CoveredFault = {
  readonly name: string;
  readonly behaviour?: Behaviour;
  /** What a provider of the Messages API does in its place. */
  readonly inMessages?: Behaviour;
  readonly result: string;
};

/** Nothing was sent, so the other channel responds. */
const coveredFaults: readonly CoveredFault[] = [
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
  { name: "S10 a credential that is refused", behaviour: { status: 401 }, result: "credential_refused" },
  {
    name: "S11 an account that is empty",
    behaviour: {
      status: 429,
      body: { error: { message: "x", type: "insufficient_quota", code: "insufficient_quota" } },
    },
    inMessages: {
      status: 400,
      body: {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
        },
      },
    },
    result: "account_empty",
  },
];

/** Something was sent: the client gets an error, and the other channel, which knows nothing about it, is not asked. */
const endedFaults: readonly {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly code: string;
  /** In the Messages API. */
  readonly type: string;
}[] = [
  {
    name: "S08 a cut",
    behaviour: { ...rest, cut: { afterChunks: tokens, with: "rst" } },
    code: "stream_interrupted",
    type: "api_error",
  },
  {
    name: "S09 a stall",
    behaviour: { ...rest, silence: { afterChunks: tokens } },
    code: "upstream_timeout",
    type: "timeout_error",
  },
  {
    name: "S14 an orderly end in the middle",
    behaviour: { ...rest, cut: { afterChunks: tokens, with: "fin" } },
    code: "stream_interrupted",
    type: "api_error",
  },
];

/** The request is at fault, and would be at any other channel. */
const refusals = [
  {
    name: "S12 a context that is too long",
    code: "context_length_exceeded",
    openai: "This model's maximum context length is 2000 tokens. However, your messages resulted in 2100 tokens.",
    anthropic: "prompt is too long: 2100 tokens > 2000 maximum",
    /** What clients of the Messages API act on. */
    understood: "prompt is too long: 2100 tokens > 2000 maximum",
  },
  {
    name: "S13 content that is refused",
    code: "content_policy_violation",
    openai: "Your request was refused.",
    anthropic: "Output blocked by content filtering policy",
    understood: null,
  },
];
type Refusal = (typeof refusals)[number];

/** The words in which a provider of this dialect refuses a request. */
function refusalBy(route: CallRoute, { code, openai, anthropic }: Refusal): Behaviour {
  const type = "invalid_request_error";
  return route.channel === "messages"
    ? { status: 400, body: { type: "error", error: { type, message: anthropic } } }
    : { status: 400, body: { error: { message: openai, type, code } } };
}

const modelOf = (route: CallRoute, name: string) =>
  `${name.slice(0, 3).toLowerCase()}-${route.surface}-${route.channel}`;
const byRoute = <Story extends { readonly name: string }>(stories: readonly Story[]) =>
  allRoutes.flatMap((route) =>
    stories.map((story) => ({ ...story, route, model: modelOf(route, story.name), by: route.name })),
  );
const returning = byRoute([{ name: "S15, S16" }]);

describe("beside a healthy channel", () => {
  let faulty: FaultRig;
  let calls = 0;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    // Nobody else is given this port meanwhile.
    const closed = { baseUrl: "http://127.0.0.1:9/v1" };
    const stories = [...byRoute(coveredFaults), ...byRoute(endedFaults), ...byRoute(refusals), ...returning];
    for (const { name, route, model } of stories) {
      const place = name.startsWith("S04") ? closed : {};
      // In some of the APIs a model may think for longer in the middle, unless its channel says otherwise.
      const patience = name.startsWith("S09") ? { silenceMsMax: 3_000 } : {};
      const speaks = route.channel;
      await faulty.addModel(model, [
        { name: `${model}-1`, speaks, ...place, ...patience },
        { name: `${model}-2`, speaks },
      ]);
      faulty.provider.script({ tokens: counts }, { match: { credential: `upstream-${model}-2` }, times: "always" });
    }
    await faulty.start("one-process", limits);
  });

  afterAll(async () => {
    await faulty.waitUntilReleased();
    await faulty.rig.waitForUsageRows(calls);
    expect(await faulty.rowCount()).toBe(calls);
    expect(await faulty.rig.checkMoney()).toEqual([]);
    await faulty.close();
  });

  const script = (model: string, behaviour: Behaviour) =>
    faulty.provider.script(behaviour, { match: { credential: `upstream-${model}-1` } });

  const ask = (route: CallRoute, model: string): Promise<RelayedResponse> => {
    calls += 1;
    return faulty.ask(route.surface, model, { stream: true });
  };

  const timed = async (route: CallRoute, model: string) => {
    const startedAt = performance.now();
    const answer = await ask(route, model);
    return { answer, tookMs: performance.now() - startedAt };
  };

  const expectError = (route: CallRoute, answer: RelayedResponse, wanted: { code: string; type: string }) => {
    const error = surfaces[route.surface].errorOf(answer.body);
    if (route.surface === "messages") {
      const requestId = `req_${answer.requestId.replaceAll("-", "")}`;
      expect(error).toEqual({ type: wanted.type, code: null, requestId });
      expect(answer.headers.get("request-id")).toBe(requestId);
    } else {
      expect(error?.code).toBe(wanted.code);
    }
    expect(answer.requestId).not.toBe("");
  };

  test.concurrent.each(byRoute(coveredFaults))(
    "$name, $by: the other channel responds, and the first costs nothing",
    async ({ route, model, behaviour, inMessages, result }) => {
      const fault = route.channel === "messages" ? (inMessages ?? behaviour) : behaviour;
      if (fault !== undefined) {
        script(model, fault);
      }
      const { answer, tookMs } = await timed(route, model);
      expect({ status: answer.status, isWhole: answer.isWhole }).toEqual({ status: 200, isWhole: true });
      expect(surfaces[route.surface].isComplete(answer.body)).toBe(true);
      expect(tookMs).toBeLessThan(boundMs);
      const row = await faulty.row(answer.requestId);
      expect(row).toMatchObject({ outcome: "completed", usage_source: "provider", ...charge });
      expect(row.attempts.map((attempt) => [attempt.channel, attempt.result])).toEqual([
        [`${model}-1`, result],
        [`${model}-2`, "answered"],
      ]);
      expect(row.channel_id).toBe(BigInt(row.attempts[1]?.channelId ?? 0));
    },
  );

  test.concurrent.each(byRoute(endedFaults))(
    "$name in the middle, $by: a clean error in time, from one channel only",
    async ({ route, model, behaviour, code, type }) => {
      script(model, behaviour);
      const { answer, tookMs } = await timed(route, model);
      expect({ status: answer.status, isWhole: answer.isWhole }).toEqual({ status: 200, isWhole: !route.isBrokenOff });
      expect(surfaces[route.surface].textsOf(answer.body)).not.toEqual([]);
      expect(surfaces[route.surface].isComplete(answer.body)).toBe(false);
      expectError(route, answer, { code, type });
      expect(tookMs).toBeLessThan(boundMs);
      const row = await faulty.row(answer.requestId);
      expect(row).toMatchObject({ outcome: "failed", error_code: code });
      expect(row.quota).toBe((row.input_tokens * 75n + row.output_tokens * 300n + 999n) / 1_000n);
      // Our own count of the delivered pieces, unless the provider counted more: at most what it sent.
      expect(Number(row.output_tokens)).toBeWithin(20, tokens + 1);
      expect(row.attempts.map(({ channel }) => channel)).toEqual([`${model}-1`]);
    },
  );

  test.concurrent.each(byRoute(refusals))(
    "$name, $by: reported in the provider's words, and retried nowhere else",
    async (story) => {
      const { route, model } = story;
      script(model, refusalBy(route, story));
      const { answer } = await timed(route, model);
      expect(answer.status).toBe(400);
      // A prompt that is too long is recognised in any provider's words.
      const isKnown = route.channel !== "messages" || story.code === "context_length_exceeded";
      const code = isKnown ? story.code : "upstream_rejected";
      expectError(route, answer, { code, type: "invalid_request_error" });
      const said = route.channel === "messages" ? story.anthropic : story.openai;
      expect(answer.body.toString()).toContain(route.surface === "messages" ? (story.understood ?? said) : said);
      const row = await faulty.row(answer.requestId);
      expect(row).toMatchObject({ outcome: "failed", quota: 0n });
      expect(row.attempts.map((attempt) => [attempt.channel, attempt.said])).toEqual([[`${model}-1`, said]]);
    },
  );

  test.concurrent.each(returning)(
    "$name, $by: the first channel gets the calls again once it is healthy, and each row names who responded",
    async ({ route, model }) => {
      script(model, { status: 503, retryAfter: 1 });
      const responder = async (): Promise<string | undefined> => {
        const answer = await ask(route, model);
        expect(surfaces[route.surface].isComplete(answer.body)).toBe(true);
        const row: FaultRow = await faulty.row(answer.requestId);
        return row.attempts.find(({ channelId }) => BigInt(channelId) === row.channel_id)?.channel;
      };
      expect(await responder()).toBe(`${model}-2`);
      let last = `${model}-2`;
      for (const deadline = performance.now() + patienceMs; last !== `${model}-1`; ) {
        expect(performance.now()).toBeLessThan(deadline);
        last = (await responder()) ?? "";
      }
    },
  );
});
