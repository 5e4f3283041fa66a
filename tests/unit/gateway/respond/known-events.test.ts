import { describe, expect, test } from "bun:test";
import type { StreamForm } from "@sluice/control-plane/gateway/operations/model.ts";
import { StreamMeter } from "@sluice/control-plane/gateway/settle/measure-usage.ts";
import { HttpClientError } from "@sluice/http-client/model";
import fc from "fast-check";
import { runEventStream } from "../../../support/calls/event-stream-run.ts";
import { anyCharacter } from "../../../support/values/any-character.ts";

const { TEST_FULL } = process.env;
const runs = TEST_FULL === "1" ? 10_000 : 500;
const timeoutMs = 60_000;

type Dialect = "chat" | "messages" | "responses";
type Case = {
  readonly dialect: Dialect;
  readonly bytes: Buffer;
  readonly cuts?: readonly number[];
  /** After how many pieces the client leaves; never if absent. */
  readonly leavesAfter?: number;
  /** Whether the upstream's connection breaks at the end. */
  readonly isLost?: boolean;
};

const forms: Readonly<Record<Dialect, StreamForm>> = { chat: "choices", messages: "messages", responses: "responses" };

/** Everything that a stream comes to, and how many of its events were parsed: all of them without a channel. */
async function run({ dialect, bytes, cuts = [], leavesAfter, isLost = false }: Case, channel: object | null) {
  let pushed = 0;
  let parsed = 0;
  const meter = new StreamMeter({ tick: () => pushed }, dialect);
  /** How long a stream is read on depends on what was heard when its client left. */
  const heardByLeaving: unknown[] = [];
  const { body, sent, readable, endings, opening } = runEventStream({
    form: forms[dialect],
    kind: { channel: channel ?? {}, usageDialect: dialect, model: "m" },
    onPayload: (payload, isDelivered) => {
      parsed += 1;
      meter.add(payload, isDelivered);
    },
    textOf: (payload) => (channel === null ? null : meter.textOf(payload)),
    onShape: (payload) => meter.addShape(payload),
    onTexts: (told) => meter.addTexts(told),
    follow: (unreported) => meter.follow(unreported),
    afterAbort: {
      get timeoutMs() {
        heardByLeaving.push(meter.heard);
        return 5_000;
      },
      bytesMax: 100_000,
    },
  });
  opening.catch(() => undefined);
  const reader = readable.getReader();
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1))), bytes.length].toSorted((a, b) => a - b);
  let start = 0;
  for (const end of places) {
    if (pushed === leavesAfter) {
      // The call hears that its client has left before its stream does.
      heardByLeaving.push(meter.heard);
      await reader.cancel();
    }
    body.push(bytes.subarray(start, end));
    start = end;
    pushed += 1;
  }
  if (isLost) {
    body.sink.onError(new HttpClientError("reset_in_body", true, "lost"));
  } else {
    body.end(false);
  }
  await Promise.resolve();
  const { heard, outputTick } = meter;
  return { seen: { sent: sent(), endings, heard, heardByLeaving, outputTick }, parsed };
}

/** @param channel its streams share what they have learned */
async function expectSame(
  given: Case,
  channel: object = {},
): Promise<{ readonly parsed: number; readonly events: number }> {
  const known = await run(given, channel);
  const plain = await run(given, null);
  expect(known.seen).toEqual(plain.seen);
  return { parsed: known.parsed, events: plain.parsed };
}

const event = (data: string | Buffer, name = "") =>
  Buffer.concat([
    Buffer.from(`${name === "" ? "" : `event: ${name}\n`}data: `),
    Buffer.from(data),
    Buffer.from("\n\n"),
  ]);

function chatEvent(delta: object, more: object = {}, choice: object = {}): Buffer {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: null, ...choice }];
  return event(JSON.stringify({ id: "chatcmpl-1", created: 1, model: "m", choices, usage: null, ...more }));
}

function messagesEvent(text: string): Buffer {
  const delta = { type: "text_delta", text };
  return event(JSON.stringify({ type: "content_block_delta", index: 0, delta }), "content_block_delta");
}

let sequence = 0;

function responsesEvent(type: string, fields: object): Buffer {
  sequence += 1;
  return event(JSON.stringify({ type, sequence_number: sequence, ...fields }), type);
}

const place = { item_id: "msg_1", output_index: 0, content_index: 0 };

function textDelta(delta: string, more: object = {}): Buffer {
  return responsesEvent("response.output_text.delta", { ...place, delta, logprobs: [], ...more });
}

const done = event("[DONE]");
const usage = { prompt_tokens: 3, completion_tokens: 9 };
const usageEvent = event(JSON.stringify({ id: "chatcmpl-1", created: 1, model: "m", choices: [], usage }));
const words = ["", "content_filter", "Hello", " world", "naïve", "你好", "🙂", "a".repeat(600)];

/** Replaces the only letter X, after the JSON was made, with bytes that no encoder would write. */
function withBytes(whole: Buffer, bytes: readonly number[]): Buffer {
  const at = whole.indexOf("X");
  return Buffer.concat([whole.subarray(0, at), Buffer.from(bytes), whole.subarray(at + 1)]);
}

const texts = fc.oneof(
  fc.constantFrom(...words),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: anyCharacter, maxLength: 6 }),
);
const oddBytes = fc.constantFrom(
  [0x09],
  [0x0a],
  [0x22],
  [0x5c],
  [0xff],
  [0xe4, 0xbd],
  [0x22, 0x7d],
  [0xc3, 0xa9],
  [0x0d],
);
const chatEvents = fc.oneof(
  { weight: 8, arbitrary: texts.map((content) => chatEvent({ content })) },
  { weight: 4, arbitrary: texts.map((padding) => chatEvent({ content: "so" }, { obfuscation: padding })) },
  fc.tuple(texts, texts).map(([content, own]) => chatEvent({ content, own })),
  texts.map((content) => chatEvent({ content }, { system_fingerprint: content })),
  texts.map((reasoning) => chatEvent({ reasoning_content: reasoning })),
  texts.map((own) => chatEvent({ tool_calls: [{ index: 0, function: { arguments: own } }] })),
  texts.map((content) => chatEvent({ content }, {}, { index: 1 })),
  fc.nat().map((created) => chatEvent({ content: "so" }, { created, id: `chatcmpl-${created}` })),
  fc.nat().map((created) => chatEvent({ tool_calls: [{ index: 0, function: { input: { created } } }] })),
  fc
    .constantFrom("007", "1.5", "1e3", "-1", "0", '"1"')
    .map((number) => withBytes(chatEvent({ content: "so" }, { created: "X" }), [...Buffer.from(number)])),
  texts.map((content) => chatEvent({ content }, { choices: [{ index: 0, delta: { content }, usage: { content } }] })),
  texts.map((content) => chatEvent({ content }, { error: content })),
  { weight: 2, arbitrary: texts.map((reason) => chatEvent({ content: "so" }, {}, { finish_reason: reason })) },
  oddBytes.map((bytes) => withBytes(chatEvent({ content: "aX" }), bytes)),
  fc.constantFrom(
    ...[usageEvent, Buffer.from(": quiet\n\n"), chatEvent({}, {}, { finish_reason: "stop" }), event("{")],
    ...[chatEvent({}, {}, { finish_reason: "content_filter" }), event('{"content":"}'), Buffer.from("\n\n")],
    ...[event('{"id":"a",\ndata: "choices":[]}'), Buffer.from('data: {"id":"b"}\r\n\r\n'), Buffer.from("\n"), done],
    chatEvent({ content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }] }),
  ),
);
const messagesEvents = fc.oneof(
  { weight: 6, arbitrary: texts.map(messagesEvent) },
  fc.constantFrom(
    event('{"type":"ping"}', "ping"),
    event('{"type":"message_start","message":{"usage":{"input_tokens":3}}}', "message_start"),
    event('{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4}}', "message_delta"),
    event('{"type":"message_stop"}', "message_stop"),
    event('{"type":"error","error":{"message":"no"}}', "error"),
  ),
);
const responsesEvents = fc.oneof(
  { weight: 8, arbitrary: texts.map((delta) => textDelta(delta)) },
  { weight: 2, arbitrary: fc.nat(2).map((index) => textDelta("so", { output_index: index, item_id: `msg_${index}` })) },
  texts.map((delta) => textDelta(delta, { sequence_number: delta })),
  texts.map((delta) => textDelta(delta, { output_index: delta })),
  texts.map((delta) => textDelta(delta, { usage: { input_tokens: 3, output_tokens: 4 } })),
  texts.map((delta) => responsesEvent("response.reasoning_summary_text.delta", { ...place, summary_index: 0, delta })),
  texts.map((delta) => responsesEvent("response.function_call_arguments.delta", { ...place, delta })),
  texts.map((delta) => responsesEvent("response.output_audio.delta", { ...place, delta })),
  texts.map((text) => responsesEvent("response.output_text.done", { ...place, text })),
  texts.map((delta) => responsesEvent("image_edit.completed", { delta })),
  oddBytes.map((bytes) => withBytes(textDelta("aX"), bytes)),
  fc
    .constantFrom("completed", "incomplete", "failed", "in_progress")
    .map((status) =>
      responsesEvent(`response.${status}`, { response: { status, usage: { input_tokens: 3, output_tokens: 4 } } }),
    ),
);
const streams = fc.oneof(
  fc.record({ dialect: fc.constant("chat" as const), events: fc.array(chatEvents, { maxLength: 30 }) }),
  fc.record({ dialect: fc.constant("messages" as const), events: fc.array(messagesEvents, { maxLength: 30 }) }),
  fc.record({ dialect: fc.constant("responses" as const), events: fc.array(responsesEvents, { maxLength: 30 }) }),
);

describe("events like the ones before are not parsed", () => {
  test("nearly none of an ordinary stream is, and none of what it comes to differs", async () => {
    const long = Array.from({ length: 50 }, (_, index) => chatEvent({ content: ` word${index}` }));
    const whole = Buffer.concat([chatEvent({ role: "assistant" }), ...long, usageEvent, done]);
    const chat = await expectSame({ dialect: "chat", bytes: whole });
    expect([chat.events, chat.parsed]).toEqual([52, 4]);
    const deltas = Array.from({ length: 50 }, (_, index) => messagesEvent(` word${index}`));
    const messages = await expectSame({ dialect: "messages", bytes: Buffer.concat(deltas) });
    expect([messages.events, messages.parsed]).toEqual([50, 2]);
    const pieces = Array.from({ length: 50 }, (_, index) => textDelta(` word${index}`));
    const responses = await expectSame({ dialect: "responses", bytes: Buffer.concat(pieces) });
    expect([responses.events, responses.parsed]).toEqual([50, 2]);
  });

  test("what one stream has learned, the next one need not, though its id and time differ", async () => {
    const channel = {};
    for (const [created, parsed] of [
      [1, 2],
      [1_792_000_000, 0],
    ] as const) {
      const more = { created, id: `chatcmpl-${created}` };
      const events = Array.from({ length: 9 }, (_, index) => chatEvent({ content: ` word${index}` }, more));
      const seen = await expectSame({ dialect: "chat", bytes: Buffer.concat(events) }, channel);
      expect(seen).toEqual({ events: 9, parsed });
    }
  });

  test("once two streams had the same beginning and end, the next ones need not parse theirs, and come to the same", async () => {
    const pieces = Array.from({ length: 5 }, (_, index) => ({ delta: { content: ` word${index}` } }));
    const other = { index: 1, delta: { content: "" } };
    const stop = { delta: {}, finish_reason: "stop" };
    const tails = [
      { name: "whole", choices: [stop], end: [done] },
      { name: "without a mark", choices: [stop], end: [] },
      { name: "one of two choices has ended", choices: [other, stop], end: [] },
      { name: "filtered", choices: [{ delta: {}, finish_reason: "content_filter" }], end: [done] },
    ];
    for (const { name, choices, end } of tails) {
      const channel = {};
      const parsed: number[] = [];
      for (let stream = 0; stream < 4; stream += 1) {
        const all = [{ delta: { role: "assistant", content: "" } }, ...pieces, ...choices];
        const events = all.map(({ delta, ...choice }) => chatEvent(delta, { id: `chatcmpl-${stream}` }, choice));
        const bytes = Buffer.concat([...events, usageEvent, ...end]);
        parsed.push((await expectSame({ dialect: "chat", bytes }, channel)).parsed);
      }
      const ofOne = 4 + choices.length;
      expect([name, ...parsed]).toEqual([name, ofOne, 2 + choices.length, 1, 1]);
    }
  });

  test("a stream that begins with line ends learns what comes after them", async () => {
    const lines = Array.from({ length: 9 }, () => chatEvent({ content: "\n" }));
    const plain = Array.from({ length: 9 }, (_, index) => chatEvent({ content: ` word${index}` }));
    const seen = await expectSame({ dialect: "chat", bytes: Buffer.concat([...lines, ...plain]) });
    expect(seen).toEqual({ events: 18, parsed: 11 });
  });

  test("an event with a usage after the end of all choices completes the stream, though the ones before had the same usage", async () => {
    const content = ["a", "b", "c"].map((each) => chatEvent({ content: each }, { usage: {} }));
    const stop = chatEvent({ content: "\n" }, { usage: null }, { finish_reason: "stop" });
    const bytes = Buffer.concat([...content, stop, chatEvent({ content: "d" }, { usage: {} })]);
    const { parsed } = await expectSame({ dialect: "chat", bytes, isLost: true });
    expect(parsed).toBe(3);
  });

  test("whatever changes in the ids, times and texts of a stream, and whatever comes in the place of a byte", async () => {
    const id = fc.constantFrom("a", "ab", "abc", "b", "", "naïve", "0".repeat(190), "0".repeat(240), "0".repeat(509));
    const padding = fc.constantFrom("", "x".repeat(40), "x".repeat(520));
    const each = fc.record({
      id,
      created: fc.constantFrom(1, 12, 123, 0),
      model: fc.constant("m"),
      system_fingerprint: id,
      choices: fc.record({ delta: fc.record({ content: id }) }).map((choice) => [choice]),
      obfuscation: padding,
    });
    const changed = fc.record({
      event: fc.nat(20),
      at: fc.nat(200),
      byte: fc.constantFrom(0x22, 0x30, 0x5c, 0x7d, 0xc3),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(each, { minLength: 1, maxLength: 20 }),
        fc.nat(6),
        fc.option(changed),
        async (payloads, repeats, change) => {
          const all = payloads.flatMap((payload) =>
            Array.from({ length: 1 + repeats }, () => event(JSON.stringify(payload))),
          );
          const target = change === null ? undefined : all[change.event];
          if (change !== null && target !== undefined && change.at < target.length - 2) {
            target[change.at] = change.byte;
          }
          await expectSame({ dialect: "chat", bytes: Buffer.concat(all) });
        },
      ),
      { numRuns: runs },
    );
  });

  test("a string that decides what an event is stays one that is read", async () => {
    const endings = ["a", "b", "content_filter"].map((reason) =>
      chatEvent({ content: "so" }, {}, { finish_reason: reason }),
    );
    await expectSame({ dialect: "chat", bytes: Buffer.concat(endings) });
    const errors = ["", "", "overloaded"].map((error, at) => chatEvent({ content: `so ${at}` }, { error }));
    await expectSame({ dialect: "chat", bytes: Buffer.concat(errors) });
  });

  test("an event with CR alone at its end is parsed each time, because what follows may continue it", async () => {
    const channel = {};
    const plain = chatEvent({ content: "so" });
    const withCr = Buffer.concat([plain.subarray(0, -2), Buffer.from("\r\r")]);
    const all = { dialect: "chat", bytes: Buffer.concat(Array.from({ length: 4 }, () => withCr)) } as const;
    expect(await expectSame(all, channel)).toEqual({ events: 4, parsed: 4 });
    await expectSame({ dialect: "chat", bytes: Buffer.concat([plain, withCr, plain]) }, channel);
  });

  test("wherever packets are cut", async () => {
    const content = ["He", "llo ", "wörld", "你", "\n", "!"].map((each) => chatEvent({ content: each }));
    const bytes = Buffer.concat([...content, chatEvent({}, {}, { finish_reason: "stop" }), usageEvent, done]);
    await expectSame({ dialect: "chat", bytes, cuts: Array.from({ length: bytes.length }, (_, at) => at) });
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      await expectSame({ dialect: "chat", bytes, cuts: [cut], leavesAfter: cut % 3 });
    }
  });

  test(
    "whatever comes, and whenever the client leaves",
    async () => {
      const channel = {};
      await fc.assert(
        fc.asyncProperty(
          streams,
          fc.array(fc.nat(), { maxLength: 12 }),
          fc.option(fc.nat(6), { nil: 99 }),
          async ({ dialect, events }, cuts, leavesAfter) => {
            await expectSame({ dialect, bytes: Buffer.concat(events), cuts, leavesAfter }, channel);
          },
        ),
        { numRuns: runs },
      );
    },
    timeoutMs,
  );
});
