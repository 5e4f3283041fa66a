import { describe, expect, test } from "bun:test";
import { badUpstreamResponse, MessagesError } from "@sluice/messages-conversion/errors/messages-error";
import type { MessagesEvent } from "@sluice/messages-conversion/messages";
import { MessagesStream } from "@sluice/messages-conversion/stream/messages-stream";
import { fromServerSentEvent, type StreamInput } from "@sluice/messages-conversion/stream/stream-input";
import {
  answerFacts,
  answerIds,
  callPiece,
  chunk,
  done,
  eof,
  eventsOf,
  finish,
  foldEvents,
  foldStream,
  reasoning,
  runStream,
  text,
  usageChunk,
} from "../../support/messages/messages-calls.ts";

const tick: StreamInput = { kind: "tick" };
const cut: StreamInput = { kind: "cut" };
const unparsable: StreamInput = { kind: "unparsable" };
const errorChunk = (error: unknown): StreamInput => ({ kind: "chunk", chunk: { error } });
const role = chunk({ role: "assistant", content: "" });

const startEvent = (usage: object): MessagesEvent => ({
  type: "message_start",
  message: {
    id: "msg_0",
    type: "message",
    role: "assistant",
    model: "claude-test",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 7, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, ...usage },
  },
});

/** The output at each moment. */
function runAt(steps: readonly (readonly [nowMs: number, input: StreamInput])[]): MessagesEvent["type"][][] {
  const stream = new MessagesStream({ facts: answerFacts(), ids: answerIds(), inputTokens: 7, nowMs: 0 });
  return steps.map(([nowMs, input]) => stream.reduce(input, nowMs).map(({ type }) => type));
}

describe("S the start", () => {
  test("S2 the first chunk starts the message, with an estimate of the prompt, and a ping follows", () => {
    expect(runStream([role]).events).toEqual([startEvent({}), { type: "ping" }]);
  });

  test("S2 usage in the first chunk goes before the estimate", () => {
    const usage = { prompt_tokens: 100, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 90 } };
    expect(runStream([chunk({ role: "assistant" }, { usage })]).events[0]).toEqual(
      startEvent({ input_tokens: 10, cache_read_input_tokens: 90 }),
    );
  });

  test("S2 B5 there is one start, however many chunks look like a beginning", () => {
    const { events } = runStream([role, role, text("a"), role, finish("stop"), done]);
    expect(events.filter(({ type }) => type === "message_start")).toHaveLength(1);
  });

  test.each<[string, StreamInput[], Partial<MessagesError>]>([
    [
      "S1 an error as the first chunk",
      [errorChunk({ message: "slow down", type: "rate_limit_error" })],
      { status: 429, type: "rate_limit_error" },
    ],
    ["S1 a broken connection", [cut], { status: 502, type: "api_error" }],
    ["S1 an empty body", [eof], { status: 502, type: "api_error" }],
    ["S1 only the end mark", [done], { status: 502, type: "api_error" }],
    ["S1 three events that are not JSON", [unparsable, unparsable, unparsable], { status: 502, type: "api_error" }],
    [
      "S1 a failure of the call",
      [{ kind: "failed", error: new MessagesError(529, "overloaded_error", "x") }],
      { status: 529, type: "overloaded_error" },
    ],
    ["S1 a chunk that ends in error", [finish("error")], { status: 502, type: "api_error" }],
  ])("%s is an HTTP error and no stream", (_rule, inputs, failure) => {
    const { events, stream } = runStream([...inputs, text("late"), done]);
    expect(events).toEqual([]);
    expect(stream.phase).toBe("refused");
    expect(stream.failure).toMatchObject(failure);
  });

  test("S2 after ten seconds without a chunk the stream starts anyway", () => {
    expect(
      runAt([
        [9_999, tick],
        [10_000, tick],
        [11_000, text("a")],
      ]),
    ).toEqual([[], ["message_start", "ping"], ["content_block_start", "content_block_delta"]]);
  });

  test("S1 E an error after a start without a chunk is an event", () => {
    expect(
      runAt([
        [10_000, tick],
        [11_000, errorChunk({ message: "x" })],
      ]).at(-1),
    ).toEqual(["error"]);
  });
});

describe("S3 F11 silence", () => {
  test("S3 B12 a silence of thirty seconds is broken by pings", () => {
    const seconds = Array.from({ length: 30 }, (_, index): [number, StreamInput] => [(index + 1) * 1_000, tick]);
    const said = runAt([[0, text("a")], ...seconds])
      .slice(1)
      .flat();
    expect(said).toEqual(["ping", "ping", "ping"]);
  });

  test("S3 whatever is sent delays the next ping", () => {
    expect(
      runAt([
        [0, text("a")],
        [9_000, text("b")],
        [12_000, tick],
        [19_000, tick],
      ]),
    ).toEqual([
      ["message_start", "ping", "content_block_start", "content_block_delta"],
      ["content_block_delta"],
      [],
      ["ping"],
    ]);
  });

  test("S3 chunks without content for the client do not count as a sign of life", () => {
    const pings = runAt([
      [0, role],
      [6_000, reasoning("hm")],
      [12_000, tick],
    ]);
    expect(pings.at(-1)).toEqual(["ping"]);
  });

  test("C7 while arguments are held back an empty delta goes with the ping", () => {
    const said = runAt([
      [0, callPiece({ index: 0, id: "c1", name: "f", arguments: '{"a' })],
      [10_000, tick],
      [20_000, tick],
    ]);
    expect(said.slice(1)).toEqual([
      ["ping", "content_block_delta"],
      ["ping", "content_block_delta"],
    ]);
  });
});

describe("N Z M the end", () => {
  const usage = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 80 } };
  const counted = { input_tokens: 20, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 80 };
  const guessed = { input_tokens: 7, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

  test("N an ordinary stream has every event", () => {
    expect(eventsOf([role, text("a"), text("b"), finish("stop"), usageChunk(usage), done])).toEqual([
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "b" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: counted },
      { type: "message_stop" },
    ]);
  });

  test.each<[string, StreamInput[], object]>([
    [
      "N usage after the finish ends the stream without waiting for the end mark",
      [text("a"), finish("stop"), usageChunk(usage)],
      counted,
    ],
    ["N the end mark ends the stream", [text("a"), finish("stop"), done], guessed],
    ["N the end of the body after a finish ends the stream", [text("a"), finish("stop"), eof], guessed],
    ["N a broken connection after the finish is an ordinary end", [text("a"), finish("stop"), cut], guessed],
    [
      "N B18 missing usage is estimated",
      [text("a".repeat(40)), finish("stop"), done],
      { ...guessed, output_tokens: 10 },
    ],
    ["C10 usage beside the finish", [text("a"), chunk({}, { finish_reason: "stop", usage }), done], counted],
    ["C10 usage before the finish", [text("a"), usageChunk(usage), finish("stop"), done], counted],
    [
      "C10 the last usage counts",
      [
        chunk({ content: "a" }, { usage: { prompt_tokens: 100, completion_tokens: 1 } }),
        chunk({}, { finish_reason: "stop", usage: { prompt_tokens: 100, completion_tokens: 2 } }),
        usageChunk(usage),
        done,
      ],
      counted,
    ],
    [
      "C10 null is not usage",
      [text("a"), usageChunk(usage), chunk({}, { finish_reason: "stop", usage: null }), done],
      counted,
    ],
    ["M the end mark without a finish", [text("a"), done], guessed],
  ])("%s", (_rule, inputs, expected) => {
    expect(foldStream(inputs)).toMatchObject({
      isStopped: true,
      error: null,
      usage: expected,
      stop_reason: "end_turn",
    });
  });

  test("C9 the finish reason alone does not end the stream", () => {
    const { stream } = runStream([text("a"), finish("stop")]);
    expect(stream.phase).toBe("started");
  });

  test("C9 usage is waited for two seconds, no longer", () => {
    expect(
      runAt([
        [0, text("a")],
        [500, finish("stop")],
        [2_499, tick],
        [2_500, tick],
      ]).slice(1),
    ).toEqual([[], [], ["content_block_stop", "message_delta", "message_stop"]]);
  });

  test("C9 the first finish reason counts", () => {
    expect(foldStream([text("a"), finish("length"), finish("stop"), done]).stop_reason).toBe("max_tokens");
  });

  test("Z a stream without blocks is an empty message", () => {
    expect(eventsOf([role, finish("stop"), done]).map(({ type }) => type)).toEqual(["message_delta", "message_stop"]);
  });

  test("N nothing follows the end", () => {
    const { stream } = runStream([text("a"), finish("stop"), done]);
    for (const input of [text("b"), done, eof, cut, tick, errorChunk({ message: "x" })]) {
      expect(stream.reduce(input, 100_000)).toEqual([]);
    }
    expect(stream.failure).toBeNull();
  });

  test.each<[string, StreamInput[]]>([
    ["M the end of the body without finish and end mark", [text("a"), eof]],
    ["M a broken connection", [text("a"), cut]],
    ["M a cut while arguments are held back", [callPiece({ index: 0, id: "c1", name: "f", arguments: '{"a":' }), eof]],
    ["M the end mark alone", [role, done]],
  ])("%s is an error and never looks complete", (_rule, inputs) => {
    const { error, isStopped, stop_reason } = foldStream(inputs);
    expect({ type: error?.type, isStopped, stop_reason }).toEqual({
      type: "api_error",
      isStopped: false,
      stop_reason: null,
    });
  });

  test("M a cut stream ends with the message for a cut", () => {
    expect(foldStream([text("a"), eof]).error).toEqual({
      type: "api_error",
      message: "The provider closed the stream early.",
    });
  });

  test("M lenient_eof accepts the end of the body as the end, if there is any content", () => {
    expect(foldStream([text("a"), eof], { isLenientAtEof: true })).toMatchObject({
      isStopped: true,
      stop_reason: "end_turn",
    });
    expect(foldStream([role, eof], { isLenientAtEof: true }).error).not.toBeNull();
    expect(foldStream([text("a"), cut], { isLenientAtEof: true }).error).not.toBeNull();
  });
});

describe("E errors on the way", () => {
  test.each<[string, StreamInput, object]>([
    [
      "E C11 an error chunk",
      errorChunk({ message: "overloaded", type: "overloaded_error" }),
      { type: "overloaded_error", message: "The provider is overloaded." },
    ],
    [
      "E C11 with a status in its code",
      errorChunk({ message: "busy", code: 429 }),
      { type: "rate_limit_error", message: "busy" },
    ],
    [
      "E C11 a type that the Messages API does not know",
      errorChunk({ message: "x", type: "internal_error" }),
      { type: "api_error", message: "The provider failed." },
    ],
    ["E C11 as a plain text", errorChunk("boom"), { type: "api_error", message: "The provider failed." }],
    [
      "E C11 in the form of vLLM",
      { kind: "chunk", chunk: { object: "error", message: "bad", code: 400 } },
      { type: "invalid_request_error", message: "bad" },
    ],
    [
      "E C11 an error of our own",
      errorChunk({
        message: "The provider did not respond in time.",
        type: "server_error",
        code: "upstream_timeout",
      }),
      { type: "timeout_error", message: "The provider did not respond in time." },
    ],
    [
      "E C11 never the client's credential",
      errorChunk({ message: "bad key sk-abcdef", code: "invalid_api_key" }),
      { type: "api_error", message: "The provider refused our credential." },
    ],
    [
      "E a failure of the call",
      { kind: "failed", error: badUpstreamResponse("x") },
      { type: "api_error", message: "x" },
    ],
    [
      "E P8 a chunk that ends in error",
      finish("error"),
      { type: "api_error", message: "The provider interrupted its response." },
    ],
  ])("%s closes nothing and ends the stream", (_rule, input, error) => {
    const events = eventsOf([text("a"), input, text("b"), done]);
    expect(events.map(({ type }) => type)).toEqual(["content_block_start", "content_block_delta", "error"]);
    expect(events.at(-1)).toEqual({ type: "error", error: error as never });
  });

  test("C1 unreadable events are skipped, until there are too many", () => {
    const noise = [unparsable, unparsable];
    const { content, error } = foldStream([text("a"), ...noise, text("b"), ...noise, finish("stop"), done]);
    expect({ content, error } as unknown).toEqual({ content: [{ type: "text", text: "ab" }], error: null });
    expect(foldEvents(runStream([text("a"), unparsable, unparsable, unparsable]).events).error?.type).toBe("api_error");
  });
});

describe("C1 events of the upstream", () => {
  test.each<[string, { event: string; data: string }, StreamInput | null]>([
    ["C1 a chunk", { event: "", data: '{"choices":[]}' }, { kind: "chunk", chunk: { choices: [] } }],
    ["N the end mark", { event: "", data: "[DONE]" }, done],
    ["N the end mark with white space", { event: "message", data: " [DONE] " }, done],
    ["C1 no data", { event: "", data: "" }, null],
    ["C1 data that is not JSON", { event: "", data: "{" }, unparsable],
    ["C1 JSON that is not an object", { event: "", data: "null" }, unparsable],
    [
      "C11 an event that is an error by its name",
      { event: "error", data: '{"message":"x"}' },
      errorChunk({ message: "x" }),
    ],
    ["C11 an error within", { event: "error", data: '{"error":{"message":"x"}}' }, errorChunk({ message: "x" })],
    ["C11 an error that is not JSON", { event: "error", data: "boom" }, errorChunk("boom")],
  ])("%s", (_rule, event, expected) => {
    expect(fromServerSentEvent(event)).toEqual(expected);
  });
});
