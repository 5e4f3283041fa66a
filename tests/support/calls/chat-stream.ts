/**
 * A chat stream whose every byte is known, and what may be charged for a part of it, computed independently of the
 * product.
 */

/** One `data:` event as in the body. */
export type StreamEvent = {
  readonly bytes: Buffer;
  readonly text: string;
  /** The reported usage: input and output tokens. */
  readonly usage: readonly [input: number, output: number] | null;
};

const base = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model: "scripted" };

function eventOf(payload: object | "[DONE]", text = "", usage: StreamEvent["usage"] = null): StreamEvent {
  const data = payload === "[DONE]" ? payload : JSON.stringify(payload);
  return { bytes: Buffer.from(`data: ${data}\n\n`), text, usage };
}

const delta = (fields: object, finishReason: string | null = null) => ({
  ...base,
  choices: [{ index: 0, delta: fields, finish_reason: finishReason }],
});

/** The events of a response with these deltas: role, deltas, finish, usage, `[DONE]`. */
export function chatStream(pieces: readonly string[], usage: readonly [number, number] | null): StreamEvent[] {
  const told =
    usage === null ? [] : [{ prompt_tokens: usage[0], completion_tokens: usage[1], total_tokens: usage[0] + usage[1] }];
  return [
    eventOf(delta({ role: "assistant", content: "" })),
    ...pieces.map((content) => eventOf(delta({ content }), content)),
    eventOf(delta({}, "stop")),
    ...told.map((counts) => eventOf({ ...base, choices: [], usage: counts }, "", usage)),
    eventOf("[DONE]"),
  ];
}

export const streamHead =
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";

/** The whole response as sent, each event in a separate chunk. */
export function wireBytes(events: readonly StreamEvent[]): Buffer {
  const chunks = events.flatMap(({ bytes }) => [
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([Buffer.from(streamHead), ...chunks, Buffer.from("0\r\n\r\n")]);
}

/** How many events are complete when this many bytes have arrived. */
export function completeEvents(events: readonly StreamEvent[], wireOffset: number): number {
  let at = streamHead.length;
  let count = 0;
  for (const { bytes } of events) {
    at += bytes.length.toString(16).length + 2 + bytes.length;
    if (wireOffset < at) {
      break;
    }
    count += 1;
    at += 2;
  }
  return count;
}

export type Charge = { usage_source: string; input_tokens: bigint; output_tokens: bigint; quota: bigint };

const free: Charge = { usage_source: "none", input_tokens: 0n, output_tokens: 0n, quota: 0n };

/** A charge at 0.15 and 0.60 USD for a million tokens: 75 and 300 thousandths of quota each, rounded up once. */
function chargeOf(source: string, input: number, output: number): Charge {
  const quota = BigInt(Math.ceil((input * 75 + output * 300) / 1000));
  return { usage_source: source, input_tokens: BigInt(input), output_tokens: BigInt(output), quota };
}

/**
 * Our count of a text that came in these deltas: five letters, or two characters of Chinese and the like, are a token.
 */
function tokensOf(pieces: readonly string[]): number {
  const signs = pieces.join("").match(/[\u1100-\uffff]/g)?.length ?? 0;
  const tokens = (pieces.join("").length - signs) / 5 + signs / 2;
  const isTokenEach = tokens >= (pieces.length * 2) / 3 && tokens <= pieces.length * 1.6;
  return isTokenEach ? pieces.length : Math.ceil(tokens);
}

/**
 * The written rule, for an incomplete stream: what was delivered is charged, by the provider's count if one was
 * reported that names output, else by ours. Without any event, or without any output, it is free.
 */
export function chargeForPart(
  delivered: readonly StreamEvent[],
  seen: readonly StreamEvent[],
  requestBytes: number,
): Charge {
  const isFree = delivered.every(({ text }) => text === "") && seen.every(({ usage }) => (usage?.[1] ?? 0) === 0);
  return isFree ? free : chargeForAbort(delivered, seen, requestBytes);
}

/**
 * The same when the client left after the head of the response: the input is owed in addition, whatever was delivered.
 */
export function chargeForAbort(
  delivered: readonly StreamEvent[],
  seen: readonly StreamEvent[],
  requestBytes: number,
): Charge {
  const [input, output] = seen.findLast(({ usage }) => usage !== null)?.usage ?? [0, 0];
  if (output > 0) {
    return chargeOf("provider", input, output);
  }
  const texts = delivered.map(({ text }) => text).filter((text) => text !== "");
  return chargeOf("estimated", Math.ceil(requestBytes / 5), tokensOf(texts));
}
