/**
 * All responses of the fake provider, encoded before the first request: one JSON response of about 1,069 bytes with six
 * headers, and one stream of 50 events of about 335 bytes, each with a slot for the time at which it is sent.
 */

export const CHUNKS_PER_STREAM = 50;
/** The send time goes into `system_fingerprint`, which gateways pass on unchanged: "fp_" and 20 digits. */
export const SEND_TIME_MARK = "fp_";
export const SEND_TIME_DIGITS = 20;
/** The bytes of a whole answer. */
export const ANSWER_BYTES = 1069;
/** The bytes of one event of a stream, in dialects that pad their events. */
export const EVENT_BYTES = 335;
export const endOfChatStream = "data: [DONE]\n\n";

export const CREATED_AT = 1_792_000_000;
const model = "gpt-4o-mini-2024-07-18";
const words = "relayed bytes keep their order and their time while the meter counts what was delivered to the caller";
/** A send time that was not written yet. */
export const sendTimePlaceholder = `${SEND_TIME_MARK}${"0".repeat(SEND_TIME_DIGITS)}`;

export type StreamChunk = {
  /** One HTTP chunk as sent (the last one with `[DONE]` and the end of the body after it). */
  readonly wire: Uint8Array;
  /** Where the digits of the send time begin in `wire`. */
  readonly slot: number;
};

export type Answers = {
  readonly json: Uint8Array;
  readonly jsonBody: Uint8Array;
  readonly streamHead: Uint8Array;
  readonly chunks: readonly StreamChunk[];
  /** The body of a stream without transfer coding, with zeros for the send times. */
  readonly streamBody: Uint8Array;
};

const encoder = new TextEncoder();

/** Builds the responses; the same bytes in every process. */
export function buildAnswers(): Answers {
  const events = Array.from({ length: CHUNKS_PER_STREAM }, (_, index) => [streamEvent(index)]);
  events.at(-1)?.push(endOfChatStream);
  return encodeAnswers(completionBody(), events);
}

/** @param writes the stream: for each write its HTTP chunks, the first of which has the slot for the send time */
export function encodeAnswers(body: string, writes: readonly (readonly string[])[]): Answers {
  const jsonBody = encoder.encode(body);
  const jsonHead = responseHead("application/json", `content-length: ${jsonBody.byteLength}`);
  return {
    json: concatenate([encoder.encode(jsonHead), jsonBody]),
    jsonBody,
    streamHead: encoder.encode(responseHead("text/event-stream; charset=utf-8", "transfer-encoding: chunked")),
    chunks: writes.map((texts, index) => {
      const end = index === writes.length - 1 ? "0\r\n\r\n" : "";
      const wire = texts.map(httpChunk).join("") + end;
      return { wire: encoder.encode(wire), slot: wire.indexOf(SEND_TIME_MARK) + SEND_TIME_MARK.length };
    }),
    streamBody: encoder.encode(writes.flat().join("")),
  };
}

/** The same text with zeros for the send times, so that two streams can be compared byte for byte. */
export function withoutSendTimes(body: string): string {
  return body.replace(new RegExp(`${SEND_TIME_MARK}\\d{${SEND_TIME_DIGITS}}`, "g"), sendTimePlaceholder);
}

function responseHead(contentType: string, framing: string): string {
  const lines = [
    "HTTP/1.1 200 OK",
    "date: Sat, 21 Nov 2026 12:00:00 GMT",
    `content-type: ${contentType}`,
    framing,
    "x-request-id: req_5f0c2b7d9e8a4c31",
    "openai-processing-ms: 1",
    "cache-control: no-cache",
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function completionBody(): string {
  const answer = (content: string) =>
    JSON.stringify({
      id: "chatcmpl-BenchAnswer0000000000000001",
      object: "chat.completion",
      created: CREATED_AT,
      model,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content, refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 410,
        completion_tokens: 96,
        total_tokens: 506,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 0,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
      service_tier: "default",
      system_fingerprint: sendTimePlaceholder,
    });
  return answer(fillText(ANSWER_BYTES - answer("").length));
}

function streamEvent(index: number): string {
  const isLast = index === CHUNKS_PER_STREAM - 1;
  const delta = index === 0 ? { role: "assistant", content: "", refusal: null } : { content: wordAt(index) };
  const choice = { index: 0, delta, logprobs: null, finish_reason: index === CHUNKS_PER_STREAM - 2 ? "stop" : null };
  const event = (obfuscation: string) =>
    `data: ${JSON.stringify({
      id: "chatcmpl-BenchStream0000000000000001",
      object: "chat.completion.chunk",
      created: CREATED_AT,
      model,
      service_tier: "default",
      system_fingerprint: sendTimePlaceholder,
      choices: isLast ? [] : [choice],
      usage: isLast ? { prompt_tokens: 410, completion_tokens: 49, total_tokens: 459 } : null,
      obfuscation,
    })}\n\n`;
  return event("x".repeat(Math.max(0, EVENT_BYTES - event("").length)));
}

export function wordAt(index: number): string {
  const all = words.split(" ");
  return ` ${all[index % all.length]}`;
}

export function fillText(length: number): string {
  return `${words} `.repeat(Math.ceil(length / words.length)).slice(0, length);
}

function httpChunk(data: string): string {
  return `${encoder.encode(data).byteLength.toString(16)}\r\n${data}\r\n`;
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
