/**
 * Faults of an upstream before a byte of a response was sent: what the client sees, and whether another channel is
 * tried.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { errorIn, type RelayedResponse } from "../support/calls/relayed-call.ts";
import { arrangements } from "../support/service/sluice.ts";
import { type RawHttpServer, startRawHttpServer } from "../support/wire/raw-http-server.ts";
import { createTestAuthority } from "../support/wire/test-certificates.ts";

type Fault = {
  readonly name: string;
  readonly behaviour?: Behaviour;
  /** Where the channel leads, in place of the scripted provider. */
  readonly place?: "closed port" | "untrusted certificate" | "no TLS";
  /** The channel loses patience soon. */
  readonly isSilent?: true;
  /** What kinds of call the fault can hit; both by default. */
  readonly only?: "stream" | "whole";
  readonly status: number;
  readonly code: string;
  /** From, to: the pause of the channel has some jitter on top of what the provider asked for. */
  readonly retryAfter?: readonly [secondsMin: number, secondsMax: number];
  /** Whether the next channel is tried. */
  readonly goesOn: boolean;
  /** The content of the attempt record. */
  readonly result: string;
  /** Tried twice if there is no other channel. */
  readonly isRepeated?: boolean;
};

const silenceMsMax = 300;

const unreachable = { status: 502, code: "upstream_unreachable", goesOn: true };
const failed = { status: 502, code: "upstream_error", goesOn: true };
const limited = { status: 429, code: "upstream_rate_limited", goesOn: true };
const overloaded = { status: 503, code: "no_upstream", goesOn: true };
const late = { status: 504, code: "upstream_timeout", goesOn: true } as const;
const silent = { ...late, isSilent: true } as const;
const refused = { status: 418, code: "upstream_rejected", goesOn: false };
const interrupted = { status: 502, code: "stream_interrupted", goesOn: true };

const statusFault = (status: number, outcome: typeof failed, more: Behaviour = {}): Fault => ({
  name: `status ${status}${Object.keys(more).length === 0 ? "" : ` with ${Object.keys(more).join()}`}`,
  behaviour: { status, ...more },
  ...outcome,
  result: [401, 402].includes(status) ? "credential_refused" : `status_${status}`,
  isRepeated: [500, 502, 503, 529].includes(status) && more.retryAfter === undefined,
});

const faults: readonly Fault[] = [
  { name: "a refused connection", place: "closed port", ...unreachable, result: "unreachable", isRepeated: true },
  {
    name: "a certificate that no authority signed",
    place: "untrusted certificate",
    ...unreachable,
    result: "tls_failed",
  },
  { name: "a server without TLS at an https address", place: "no TLS", ...unreachable, result: "tls_failed" },
  {
    name: "a reset instead of a response",
    behaviour: { cut: { afterBytes: 0, with: "rst" } },
    ...failed,
    result: "reset_before_head",
    isRepeated: true,
  },
  {
    name: "an end of the connection instead of a response",
    behaviour: { cut: { afterBytes: 0, with: "fin" } },
    ...failed,
    result: "reset_before_head",
    isRepeated: true,
  },
  {
    name: "a reset inside the head",
    behaviour: { cut: { afterBytes: 40, with: "rst" } },
    ...failed,
    result: "reset_before_head",
    isRepeated: true,
  },
  { name: "silence instead of a response", behaviour: { neverAnswer: true }, ...silent, result: "first_byte_timeout" },
  {
    name: "silence instead of the first token",
    only: "stream",
    behaviour: { silence: { afterChunks: 0 } },
    ...silent,
    result: "first_byte_timeout",
  },
  {
    name: "silence instead of the body",
    only: "whole",
    behaviour: { silence: { afterChunks: 0 } },
    ...silent,
    result: "first_byte_timeout",
  },
  { ...statusFault(429, limited, { retryAfter: 7 }), retryAfter: [7, 9] },
  { ...statusFault(503, overloaded, { retryAfter: 3 }), retryAfter: [3, 4] },
  // Without a word of the provider the channel rests for a second and some jitter, which may be over when it is rounded up.
  { ...statusFault(429, limited), retryAfter: [1, 2] },
  { ...statusFault(503, overloaded), retryAfter: [1, 2] },
  statusFault(500, failed),
  { ...statusFault(500, failed, { retryAfter: 7 }), retryAfter: [7, 7] },
  { ...statusFault(502, failed, { retryAfter: 86_400 }), retryAfter: [60, 60] },
  statusFault(502, failed, { isHtmlBody: true }),
  statusFault(500, failed, { hugeBodyBytes: 10_485_760 }),
  { ...statusFault(529, overloaded), retryAfter: [1, 2] },
  { ...statusFault(529, overloaded, { retryAfter: 3 }), retryAfter: [3, 4] },
  statusFault(504, late),
  { ...statusFault(504, late, { retryAfter: 7 }), retryAfter: [7, 7] },
  statusFault(408, late),
  // A refused credential rests for 15 seconds.
  { ...statusFault(401, failed), retryAfter: [14, 15] },
  { ...statusFault(402, failed), retryAfter: [14, 15] },
  { ...statusFault(403, failed), retryAfter: [1, 2] },
  // A refusal of this particular request, whatever its status, would be the same at any other channel.
  { ...statusFault(418, refused, { body: { error: { message: "no tea" } } }), name: "status 418" },
  statusFault(302, failed, { redirectTo: "/v1/chat/completions" }),
  { ...statusFault(307, failed, { redirectTo: "/v1/chat/completions" }), name: "a redirect" },
  { name: "a page in HTML with status 200", behaviour: { isHtmlBody: true }, ...failed, result: "content_type" },
  { name: "a text with status 200", behaviour: { hugeBodyBytes: 300_000 }, ...failed, result: "no_json" },
  {
    name: "JSON that breaks off",
    behaviour: { body: '{"id":"x","choices":[{"message":' },
    ...failed,
    result: "no_json",
  },
  { name: "an empty body", behaviour: { body: "" }, ...failed, result: "no_json" },
  {
    name: "an error with status 200",
    behaviour: { body: { error: { message: "sandbox words", type: "server_error" } } },
    ...failed,
    result: "error_event",
    isRepeated: true,
  },
  {
    name: "an error as the first event",
    only: "stream",
    behaviour: { errorEventAfter: 0 },
    ...failed,
    result: "error_event",
    isRepeated: true,
  },
  {
    name: "an error object as the first event",
    only: "stream",
    behaviour: { events: [{ object: "error", message: "sandbox words", code: 500 }] },
    ...failed,
    result: "error_event",
    isRepeated: true,
  },
  {
    name: "a stream without an event",
    only: "stream",
    behaviour: { noDone: true, events: [] },
    ...failed,
    result: "empty_stream",
  },
  {
    name: "a stream that is reset before its first event",
    only: "stream",
    behaviour: { cut: { afterChunks: 0, with: "rst" } },
    ...interrupted,
    result: "reset_in_body",
  },
  {
    name: "compressed bytes that were not requested",
    behaviour: { headers: { "Content-Encoding": "gzip" } },
    ...failed,
    result: "encoded",
  },
  {
    name: "a length above the true one",
    only: "whole",
    behaviour: { contentLengthLie: 20 },
    ...interrupted,
    result: "reset_in_body",
  },
  {
    name: "a length below the true one",
    only: "whole",
    behaviour: { contentLengthLie: -20 },
    ...failed,
    result: "no_json",
  },
  {
    name: "a body that is reset",
    only: "whole",
    behaviour: { cut: { afterChunks: 0, with: "rst" } },
    ...interrupted,
    result: "reset_in_body",
  },
  {
    name: "a chunk size that is not a number",
    behaviour: { malformedFraming: 0, framing: "chunked" },
    ...failed,
    result: "malformed",
  },
  { name: "bytes that are not HTTP", behaviour: { raw: "SSH-2.0-OpenSSH_9.2\r\n" }, ...failed, result: "malformed" },
  {
    name: "two different lengths",
    behaviour: { raw: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 2\r\n\r\n{}\n" },
    ...failed,
    result: "malformed",
  },
];

const stories = faults.flatMap((fault, index) =>
  (["whole", "stream"] as const)
    .filter((kind) => fault.only === undefined || fault.only === kind)
    .map((kind) => ({ ...fault, kind, model: `fault-${index}-${kind}` })),
);

describe.each(arrangements)("before a byte of a response was sent, %s", (arrangement) => {
  let faulty: FaultRig;
  let untrusted: RawHttpServer;
  let plain: RawHttpServer;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    untrusted = startRawHttpServer({ tls: createTestAuthority().issue({ ip: ["127.0.0.1"] }) });
    plain = startRawHttpServer({ onOpen: (socket) => socket.send("HTTP/1.1 400 Bad Request\r\n\r\n") });
    const places = {
      // Nobody else is given this port meanwhile.
      "closed port": "http://127.0.0.1:9/v1",
      "untrusted certificate": `https://127.0.0.1:${untrusted.port}/v1`,
      "no TLS": `https://127.0.0.1:${plain.port}/v1`,
    };
    for (const { model, place, isSilent } of stories) {
      const plan = {
        ...(place === undefined ? {} : { baseUrl: places[place] }),
        ...(isSilent ? { silenceMsMax } : {}),
      };
      await faulty.addModel(`${model}-alone`, [{ name: `${model}-alone-1`, ...plan }]);
      await faulty.addModel(`${model}-passing`, [{ name: `${model}-passing-1`, ...plan }]);
      await faulty.addModel(`${model}-backed`, [{ name: `${model}-backed-1`, ...plan }, { name: `${model}-backed-2` }]);
    }
    await faulty.start(arrangement);
  });

  afterAll(async () => {
    await faulty.close();
    untrusted.stop();
    plain.stop();
  });

  const callWith = async (story: (typeof stories)[number], model: string, times = 1): Promise<RelayedResponse> => {
    if (story.behaviour !== undefined) {
      faulty.provider.script(story.behaviour, { match: { credential: `upstream-${model}-1` }, times });
    }
    return await faulty.call(model, story.kind === "stream" ? { stream: true } : {});
  };

  const requestsWith = (credential: string) =>
    faulty.provider.requests.filter((request) => request.credential === credential).length;

  test.each(stories)("$name ($kind) with one channel ends as $status $code and costs nothing", async (story) => {
    const model = `${story.model}-alone`;
    const times = story.isRepeated === true ? 2 : 1;
    const answer = await callWith(story, model, times);
    const { status, isWhole } = answer;
    expect({ status, isWhole, code: errorIn(answer.body)?.code }).toEqual({
      status: story.status,
      isWhole: true,
      code: story.code,
    });
    const retryAfter = answer.headers.get("retry-after");
    if (story.retryAfter === undefined) {
      expect(retryAfter).toBeUndefined();
    } else {
      const [secondsMin, secondsMax] = story.retryAfter;
      expect(Number(retryAfter)).toBeWithin(secondsMin, secondsMax + 1);
    }
    expect(answer.headers.get("content-type")).toStartWith("application/json");
    expect(answer.body.toString("utf8")).not.toMatch(/sandbox|upstream-fault|127\.0\.0\.1/);
    const row = await faulty.row(answer.requestId);
    expect(row).toMatchObject({
      outcome: "failed",
      http_status: story.status,
      error_code: story.code,
      usage_source: "none",
      quota: 0n,
    });
    const attempt = expect.objectContaining({ channel: `${model}-1`, result: story.result });
    expect(row.attempts).toEqual(Array(times).fill(attempt));
    expect(row.channel_id).toBe(BigInt(row.attempts[0]?.channelId ?? 0));
    expect(requestsWith(`upstream-${model}-1`)).toBe(story.place === undefined ? times : 0);
  });

  test.each(stories.filter(({ isRepeated, place }) => isRepeated === true && place === undefined))(
    "$name ($kind) that passes is survived by the only channel, and charged once",
    async (story) => {
      const model = `${story.model}-passing`;
      const answer = await callWith(story, model);
      expect({ status: answer.status, isWhole: answer.isWhole }).toEqual({ status: 200, isWhole: true });
      const row = await faulty.row(answer.requestId);
      expect(row.attempts.map(({ result }) => result)).toEqual([story.result, "answered"]);
      expect(row.quota).toBe((row.input_tokens * 75n + row.output_tokens * 300n + 999n) / 1000n);
    },
  );

  test.each(stories.filter(({ goesOn }) => goesOn))("$name ($kind) is served by the next channel", async (story) => {
    const model = `${story.model}-backed`;
    const answer = await callWith(story, model);
    expect({ status: answer.status, isWhole: answer.isWhole }).toEqual({ status: 200, isWhole: true });
    const row = await faulty.row(answer.requestId);
    expect(row).toMatchObject({ outcome: "completed", error_code: null, usage_source: "provider" });
    expect(row.attempts.map(({ channel, result }) => [channel, result])).toEqual([
      [`${model}-1`, story.result],
      [`${model}-2`, "answered"],
    ]);
    expect(row.channel_id).toBe(BigInt(row.attempts[1]?.channelId ?? 0));
    // The price of the one answer, in thousandths of quota: 75 for an input token, 300 for one of the output.
    expect(row.quota).toBe((row.input_tokens * 75n + row.output_tokens * 300n + 999n) / 1000n);
    expect(requestsWith(`upstream-${model}-2`)).toBe(1);
  });

  test.each(stories.filter(({ goesOn }) => !goesOn))("$name ($kind) is not retried elsewhere", async (story) => {
    const model = `${story.model}-backed`;
    const answer = await callWith(story, model);
    expect({ status: answer.status, code: errorIn(answer.body)?.code }).toEqual({
      status: story.status,
      code: story.code,
    });
    const row = await faulty.row(answer.requestId);
    expect(row).toMatchObject({ outcome: "failed", quota: 0n });
    expect(row.attempts).toHaveLength(1);
    expect(requestsWith(`upstream-${model}-2`)).toBe(0);
  });

  test("after all of them nothing is held and the books are correct", async () => {
    await faulty.waitUntilReleased();
    expect(await faulty.rig.checkMoney()).toEqual([]);
  });
});
