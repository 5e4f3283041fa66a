import type { Units } from "../usage-log/model.ts";

export const noUnits: Units = {
  inputTokens: 0n,
  outputTokens: 0n,
  cacheReadTokens: 0n,
  cacheWriteTokens: 0n,
  reasoningTokens: 0n,
  images: 0,
  audioMs: 0n,
};

const usageKey = Buffer.from('"usage"');
const openBrace = 0x7b;
const closeBrace = 0x7d;
/** A usage object is a few hundred bytes; anything longer is none. */
const usageBytesMax = 16_384;
const bytesPerToken = 4;

type Json = Record<string, unknown>;

/**
 * The usage object in the bytes of an answer or of one event, or null. The last one counts, because some providers repeat
 * a running total. Only the object itself is parsed; inside a string its quotes would be escaped, so text can't pass for it.
 */
export function readUsage(bytes: Buffer): Units | null {
  for (let at = bytes.lastIndexOf(usageKey); at !== -1; at = at === 0 ? -1 : bytes.lastIndexOf(usageKey, at - 1)) {
    const isEscaped = at > 0 && bytes[at - 1] === 0x5c;
    const object = isEscaped ? null : objectAfter(bytes, at + usageKey.length);
    if (object !== null) {
      return toUnits(object);
    }
  }
  return null;
}

function objectAfter(bytes: Buffer, from: number): Json | null {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x3a || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) {
    at += 1;
  }
  if (bytes[at] !== openBrace) {
    return null;
  }
  let depth = 0;
  const last = Math.min(bytes.length, at + usageBytesMax);
  for (let end = at; end < last; end += 1) {
    if (bytes[end] === openBrace) {
      depth += 1;
    } else if (bytes[end] === closeBrace) {
      depth -= 1;
      if (depth === 0) {
        return parseObject(bytes.toString("utf8", at, end + 1));
      }
    }
  }
  return null;
}

function parseObject(text: string): Json | null {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/**
 * Reads the spellings of the providers: chat completions (`prompt_tokens`), responses and images (`input_tokens`),
 * details of cached and reasoning tokens, and DeepSeek's `prompt_cache_hit_tokens`.
 */
function toUnits(usage: Json): Units {
  const promptDetails = asObject(usage["prompt_tokens_details"] ?? usage["input_tokens_details"]);
  const outputDetails = asObject(usage["completion_tokens_details"] ?? usage["output_tokens_details"]);
  const inputTokens = count(usage["prompt_tokens"] ?? usage["input_tokens"]);
  const outputTokens = count(usage["completion_tokens"] ?? usage["output_tokens"]);
  const cacheReadTokens = atMost(
    count(promptDetails["cached_tokens"] ?? usage["prompt_cache_hit_tokens"]),
    inputTokens,
  );
  const seconds = usage["type"] === "duration" ? usage["seconds"] : undefined;
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: atMost(count(promptDetails["cache_write_tokens"]), inputTokens - cacheReadTokens),
    reasoningTokens: atMost(count(outputDetails["reasoning_tokens"]), outputTokens),
    images: 0,
    audioMs: typeof seconds === "number" && seconds >= 0 && seconds < 1e9 ? BigInt(Math.ceil(seconds * 1000)) : 0n,
  };
}

function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

/** A count is a non-negative integer; whatever else a provider sends counts as nothing. */
function count(value: unknown): bigint {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? BigInt(value) : 0n;
}

function atMost(value: bigint, limit: bigint): bigint {
  return value < limit ? value : limit;
}

/**
 * Our own count for an answer whose usage never came: the rule is one token for each event that carried text, or for
 * each 4 bytes of text, whichever is more; and one input token for each 4 bytes of the request.
 */
export function estimateUnits(requestBytes: number, delivered: { textBytes: number; textEvents: number }): Units {
  if (delivered.textBytes === 0 && delivered.textEvents === 0) {
    return noUnits;
  }
  return {
    ...noUnits,
    inputTokens: BigInt(Math.ceil(requestBytes / bytesPerToken)),
    outputTokens: BigInt(Math.max(delivered.textEvents, Math.ceil(delivered.textBytes / bytesPerToken))),
  };
}

/** What was delivered of an event stream, counted over the pieces that were kept and scaled up to all bytes. */
export function countDelivered(
  pieces: readonly Uint8Array[],
  bytesSent: number,
): { textBytes: number; textEvents: number } {
  const kept = Buffer.concat(pieces);
  let textBytes = 0;
  let textEvents = 0;
  for (const line of kept.toString("utf8").split("\n")) {
    const bytes = line.startsWith("data:") ? deliveredTextBytes(line.slice(5)) : 0;
    textBytes += bytes;
    textEvents += bytes > 0 ? 1 : 0;
  }
  const scale = kept.length > 0 && bytesSent > kept.length ? bytesSent / kept.length : 1;
  return { textBytes: Math.ceil(textBytes * scale), textEvents: Math.ceil(textEvents * scale) };
}

/** The bytes of model output that one event carries: text, reasoning, refusal and tool arguments. */
function deliveredTextBytes(data: string): number {
  const event = parseObject(data);
  if (event === null) {
    return 0;
  }
  if (typeof event["delta"] === "string") {
    return Buffer.byteLength(event["delta"]);
  }
  const choices = Array.isArray(event["choices"]) ? event["choices"] : [];
  let bytes = 0;
  for (const choice of choices) {
    const delta = asObject(choice);
    bytes += textBytesIn(delta["delta"]) + textBytesIn(delta["message"]);
    bytes += typeof delta["text"] === "string" ? Buffer.byteLength(delta["text"]) : 0;
  }
  return bytes;
}

function textBytesIn(message: unknown): number {
  const fields = asObject(message);
  let bytes = 0;
  for (const name of ["content", "reasoning_content", "reasoning", "refusal"]) {
    const value = fields[name];
    bytes += typeof value === "string" ? Buffer.byteLength(value) : 0;
  }
  const calls = Array.isArray(fields["tool_calls"]) ? fields["tool_calls"] : [];
  for (const call of calls) {
    const called = asObject(asObject(call)["function"]);
    bytes += typeof called["name"] === "string" ? Buffer.byteLength(called["name"]) : 0;
    bytes += typeof called["arguments"] === "string" ? Buffer.byteLength(called["arguments"]) : 0;
  }
  return bytes;
}

/** The same count for a whole JSON answer that came without usage. */
export function countDeliveredJson(body: Buffer): { textBytes: number; textEvents: number } {
  const textBytes = deliveredTextBytes(body.toString("utf8"));
  return { textBytes, textEvents: textBytes > 0 ? 1 : 0 };
}
