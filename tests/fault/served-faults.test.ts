/**
 * Faults of calls that the front serves itself: chats and messages, each at the only channel of its model, which speaks the
 * same API. Both have the same row, charge and attempts, and each is told so in the words of its API.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { type SurfaceName, surfaces } from "../support/calls/call-routes.ts";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { type RelayedResponse, relayedCall, relayedRequest } from "../support/calls/relayed-call.ts";
import { startPostgresProxy } from "../support/postgres/postgres-proxy.ts";
import { readFrontOutcomes } from "../support/service/metrics.ts";
import type { SluiceProcess, TestUser } from "../support/service/sluice.ts";
import { connectRaw } from "../support/wire/raw-tcp-client.ts";

const silenceMsMax = 1_500;
const answerBytesMax = 200_000;

/** The status of a code in a chat, and what the Messages API has in its place. */
const words = {
  upstream_rate_limited: { status: 429, messages: { status: 429, type: "rate_limit_error" } },
  upstream_error: { status: 502, messages: { status: 502, type: "api_error" } },
  upstream_unreachable: { status: 502, messages: { status: 502, type: "api_error" } },
  upstream_timeout: { status: 504, messages: { status: 504, type: "timeout_error" } },
  stream_interrupted: { status: 502, messages: { status: 502, type: "api_error" } },
  no_upstream: { status: 503, messages: { status: 529, type: "overloaded_error" } },
  insufficient_quota: { status: 429, messages: { status: 402, type: "billing_error" } },
  rate_limit_exceeded: { status: 429, messages: { status: 429, type: "rate_limit_error" } },
  temporarily_unavailable: { status: 503, messages: { status: 529, type: "overloaded_error" } },
} as const;
type Code = keyof typeof words;

type Fault = {
  readonly name: string;
  /** Null for a closed port. */
  readonly behaviour: Behaviour | null;
  /** Both by default. */
  readonly only?: "stream" | "whole";
  readonly code: Code;
  /** Where the provider's own words for its error say something else. */
  readonly codeOfMessages?: Code;
  readonly result: string;
  /** The connection, or the provider, is tried twice. */
  readonly isRepeated?: true;
  readonly retryAfter?: readonly [secondsMin: number, secondsMax: number];
};

const statusFault = (status: number, code: Code, seconds: number | null, retryAfter?: Fault["retryAfter"]): Fault => ({
  name: `status ${status}${seconds === null ? "" : " with Retry-After"}`,
  behaviour: { status, ...(seconds === null ? {} : { retryAfter: seconds }) },
  code,
  result: `status_${status}`,
  ...(status >= 500 && seconds === null ? { isRepeated: true } : {}),
  ...(retryAfter === undefined ? {} : { retryAfter }),
});
// Without a word of the provider a channel rests for a second and some jitter.
const shortly = [1, 3] as const;

/** Before a byte of a response was sent. */
const earlyFaults: readonly Fault[] = [
  statusFault(429, "upstream_rate_limited", null, shortly),
  statusFault(429, "upstream_rate_limited", 7, [7, 9]),
  statusFault(500, "upstream_error", null),
  statusFault(500, "upstream_error", 7, [7, 7]),
  statusFault(503, "no_upstream", null, shortly),
  statusFault(503, "no_upstream", 3, [3, 4]),
  statusFault(529, "no_upstream", null, shortly),
  statusFault(529, "no_upstream", 3, [3, 4]),
  {
    name: "a refused connection",
    behaviour: null,
    code: "upstream_unreachable",
    result: "unreachable",
    isRepeated: true,
  },
  {
    name: "a reset before the head",
    behaviour: { cut: { afterBytes: 0, with: "rst" } },
    code: "upstream_error",
    result: "reset_before_head",
    isRepeated: true,
  },
  {
    name: "a reset inside the head",
    behaviour: { cut: { afterBytes: 40, with: "rst" } },
    code: "upstream_error",
    result: "reset_before_head",
    isRepeated: true,
  },
  {
    name: "a reset inside the body",
    only: "whole",
    behaviour: { cut: { afterBytes: 400, with: "rst" } },
    code: "stream_interrupted",
    result: "reset_in_body",
  },
  { name: "silence", behaviour: { neverAnswer: true }, code: "upstream_timeout", result: "first_byte_timeout" },
  {
    name: "JSON that breaks off",
    behaviour: { body: '{"id":"x","content":[{"te' },
    code: "upstream_error",
    result: "no_json",
  },
  {
    name: "a head above the limit",
    behaviour: { raw: `HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(200_000)}\r\n\r\n` },
    code: "upstream_error",
    result: "too_large",
  },
  {
    name: "a body above the limit",
    behaviour: { hugeBodyBytes: 5 * answerBytesMax, framing: "chunked" },
    code: "upstream_error",
    result: "too_large",
  },
  {
    name: "a first event that is not JSON",
    only: "stream",
    behaviour: { malformedChunk: 0 },
    code: "upstream_error",
    result: "broken_event",
  },
];

/** After some pieces of text. */
const lateFaults: readonly Fault[] = [
  {
    name: "a reset",
    behaviour: { cut: { afterChunks: 6, with: "rst" } },
    code: "stream_interrupted",
    result: "reset_in_body",
  },
  {
    name: "an orderly end",
    behaviour: { cut: { afterChunks: 6, with: "fin" } },
    code: "stream_interrupted",
    result: "reset_in_body",
  },
  { name: "silence", behaviour: { silence: { afterChunks: 6 } }, code: "upstream_timeout", result: "idle_timeout" },
  {
    name: "an event that is not JSON",
    behaviour: { malformedChunk: 6 },
    code: "stream_interrupted",
    result: "broken_event",
  },
  {
    name: "a chunk size that is not a number",
    behaviour: { malformedFraming: 6 },
    code: "stream_interrupted",
    result: "malformed",
  },
  {
    name: "an error event",
    behaviour: { errorEventAfter: 6 },
    code: "upstream_error",
    codeOfMessages: "no_upstream",
    result: "error_event",
  },
  {
    name: "more than the limit",
    behaviour: { isEndless: true, chunkBytes: 1_000 },
    code: "stream_interrupted",
    result: "too_large",
  },
];

const both = ["chat", "messages"] as const satisfies readonly SurfaceName[];
type Served = (typeof both)[number];

const storiesOf = (faults: readonly Fault[], when: string, kinds: readonly ("whole" | "stream")[]) =>
  both.flatMap((surface) =>
    faults.flatMap((fault, index) =>
      kinds
        .filter((kind) => fault.only === undefined || fault.only === kind)
        .map((kind) => ({ ...fault, surface, kind, model: `${when}-${index}-${surface}-${kind}` })),
    ),
  );
const earlyStories = storiesOf(earlyFaults, "early", ["whole", "stream"]);
const lateStories = storiesOf(lateFaults, "late", ["stream"]);
const healthy = (surface: Served): string => `healthy-${surface}`;

describe("calls that the front serves", () => {
  let faulty: FaultRig;
  let calls = 0;
  /** Those with a row that another process served. */
  let callsElsewhere = 0;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    // Nobody else is given this port meanwhile.
    const closed = { baseUrl: "http://127.0.0.1:9/v1" };
    for (const { model, surface, behaviour, result } of [...earlyStories, ...lateStories]) {
      const patience = result.endsWith("_timeout") ? { silenceMsMax } : {};
      await faulty.addModel(model, [
        { name: model, speaks: surface, ...patience, ...(behaviour === null ? closed : {}) },
      ]);
      if (behaviour !== null) {
        const rule = { match: { credential: `upstream-${model}` }, times: "always" } as const;
        faulty.provider.script({ chunks: 20, ...behaviour }, rule);
      }
    }
    for (const surface of both) {
      await faulty.addModel(healthy(surface), [{ name: healthy(surface), speaks: surface }]);
    }
    await faulty.start("one-process", {
      CHAT_FRONT: "on",
      ABORTED_USAGE_TIMEOUT_MS: "100",
      UPSTREAM_RESPONSE_BYTES_MAX: String(answerBytesMax),
    });
  });

  afterAll(async () => {
    try {
      await faulty.waitUntilReleased();
      expect(await readFrontOutcomes(faulty.relay.url)).toEqual({ served: calls, handed_over: expect.any(Number) });
      expect(await faulty.relay.stop()).toBe(0);
      expect(await faulty.rowCount()).toBe(calls + callsElsewhere);
      expect([...(await faulty.rig.db.sql`select * from budget_lease`)]).toEqual([]);
      expect(await faulty.rig.checkMoney()).toEqual([]);
    } finally {
      await faulty.close();
    }
  });

  const ask = (surface: Served, model: string, fields: object = {}): Promise<RelayedResponse> => {
    calls += 1;
    return faulty.ask(surface, model, fields);
  };

  const askAs = (user: TestUser, surface: Served, at: SluiceProcess = faulty.relay): Promise<RelayedResponse> => {
    const { path, fields } = surfaces[surface];
    return relayedCall(at.url, { apiKey: user.apiKey, path, body: { ...fields, model: healthy(surface) } });
  };

  /** @param isStarted whether the head of a stream was sent before */
  const expectError = (surface: Served, answer: RelayedResponse, code: Code, isStarted = false) => {
    const { status, messages } = words[code];
    const error = surfaces[surface].errorOf(answer.body);
    if (surface === "messages") {
      const requestId = `req_${answer.requestId.replaceAll("-", "")}`;
      expect(error).toEqual({ type: messages.type, code: null, requestId });
      expect(answer.headers.get("request-id")).toBe(requestId);
    } else {
      expect(error).toEqual({ type: expect.any(String), code, requestId: null });
    }
    expect({ status: answer.status, isWhole: answer.isWhole }).toEqual({
      status: isStarted ? 200 : surface === "messages" ? messages.status : status,
      isWhole: !isStarted,
    });
  };

  const expectRetryAfter = (answer: RelayedResponse, expected: Fault["retryAfter"]) => {
    const told = answer.headers.get("retry-after");
    if (expected === undefined) {
      expect(told).toBeUndefined();
    } else {
      expect(Number(told)).toBeWithin(expected[0], expected[1] + 1);
    }
  };

  test.concurrent.each(earlyStories)("$surface ($kind): $name ends as $code and costs nothing", async (story) => {
    const { surface, kind, model, code, result } = story;
    const answer = await ask(surface, model, kind === "stream" ? { stream: true } : {});
    expectError(surface, answer, code);
    expect(answer.body.toString()).not.toMatch(/sandbox|127\.0\.0\.1/);
    expectRetryAfter(answer, story.retryAfter);
    const row = await faulty.row(answer.requestId);
    const { status } = words[code];
    const free = { usage_source: "none", input_tokens: 0n, output_tokens: 0n, quota: 0n };
    expect(row).toMatchObject({ outcome: "failed", http_status: status, error_code: code, ...free });
    const attempt = expect.objectContaining({ channel: model, result });
    expect(row.attempts).toEqual(Array(story.isRepeated === true ? 2 : 1).fill(attempt));
  });

  test.concurrent.each(lateStories)("$surface: $name in a stream ends it, and costs what was sent", async (story) => {
    const { surface, model, result } = story;
    const code = surface === "messages" ? (story.codeOfMessages ?? story.code) : story.code;
    const answer = await ask(surface, model, { stream: true, max_tokens: 1_000_000 });
    expect(surfaces[surface].textsOf(answer.body)).not.toEqual([]);
    expect(surfaces[surface].isComplete(answer.body)).toBe(false);
    expectError(surface, answer, code, true);
    const row = await faulty.row(answer.requestId);
    expect(row).toMatchObject({ outcome: "failed", http_status: 200, error_code: code, usage_source: "estimated" });
    expect(row.output_tokens).toBeGreaterThan(0n);
    expect(row.quota).toBe((row.input_tokens * 75n + row.output_tokens * 300n + 999n) / 1_000n);
    expect(row.attempts).toEqual([expect.objectContaining({ channel: model, result })]);
  });

  const leavings = both.flatMap((surface) =>
    (["fin", "rst"] as const).flatMap((how) => [
      { surface, how, when: "before the head", behaviour: { neverAnswer: true } },
      { surface, how, when: "in the middle of a stream", behaviour: { chunks: 20, silence: { afterChunks: 6 } } },
    ]),
  );

  test.each(leavings)("$surface: a client that leaves $when by $how ends the call", async (story) => {
    const { surface, how, behaviour } = story;
    calls += 1;
    faulty.provider.script(behaviour, { match: { credential: `upstream-${healthy(surface)}` } });
    const user = await faulty.rig.addUser();
    const { path, fields } = surfaces[surface];
    const index = faulty.provider.requests.length;
    const connection = await connectRaw(Number(new URL(faulty.relay.url).port));
    const body = { ...fields, model: healthy(surface), stream: true };
    connection.send(relayedRequest({ apiKey: user.apiKey, path, body }));
    await faulty.provider.waitForHeld(index);
    const hasBegun = !("neverAnswer" in behaviour);
    if (hasBegun) {
      await connection.waitForText("data: ");
    }
    connection.close(how);
    await faulty.provider.waitForCancel(index);
    const row = await faulty.rowOf(user);
    expect(row).toMatchObject({ outcome: "aborted", http_status: 499, error_code: "client_closed_request" });
    expect(row.attempts).toEqual([expect.objectContaining({ channel: healthy(surface), result: "client_left" })]);
    expect(row.quota).toBe((row.input_tokens * 75n + row.output_tokens * 300n + 999n) / 1_000n);
    expect(row.quota > 0n).toBe(hasBegun);
  });

  test.each(both)("%s: a user without balance, and a key at its limit, are refused", async (surface) => {
    const [poor, limited] = [await faulty.rig.addUser(1n), await faulty.rig.addUser()];
    await faulty.rig.db.sql`
      update api_key set tokens_per_minute = 1 where gateway_user_id = ${limited.gatewayUserId}::bigint`;
    calls += 3;
    expectError(surface, await askAs(poor, surface), "insufficient_quota");
    const row = await faulty.rowOf(poor);
    expect(row).toMatchObject({ outcome: "refused", error_code: "insufficient_quota", quota: 0n, attempts: [] });
    expect((await askAs(limited, surface)).status).toBe(200);
    const refused = await askAs(limited, surface);
    expectError(surface, refused, "rate_limit_exceeded");
    expectRetryAfter(refused, [1, 60]);
    const later = await faulty.row(refused.requestId);
    expect(later).toMatchObject({ outcome: "refused", error_code: "rate_limit_exceeded", quota: 0n, attempts: [] });
  });

  test("while the database is away, known keys are served, and others are told to come back", async () => {
    await using proxy = await startPostgresProxy(faulty.rig.database.url);
    const away = await faulty.rig.startProcess({ CHAT_FRONT: "on", DATABASE_URL: proxy.url });
    const known = await faulty.rig.addUser();
    expect((await askAs(known, "chat", away)).status).toBe(200);
    proxy.stall();
    const seen = await Promise.all(
      both.map(async (surface) => {
        const unknown = await faulty.rig.addUser();
        return { surface, served: await askAs(known, surface, away), refused: await askAs(unknown, surface, away) };
      }),
    );
    proxy.resume();
    for (const { surface, served, refused } of seen) {
      expect(served.status).toBe(200);
      expectError(surface, refused, "temporarily_unavailable");
      expectRetryAfter(refused, [2, 2]);
      expect(await faulty.row(served.requestId)).toMatchObject({ outcome: "completed", usage_source: "provider" });
    }
    expect(await readFrontOutcomes(away.url)).toMatchObject({ served: 5 });
    expect(await away.stop()).toBe(0);
    callsElsewhere = 3;
  });
});
