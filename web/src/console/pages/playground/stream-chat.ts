import { EventSourceParserStream } from "eventsource-parser/stream";
import { sentenceInOwnWords } from "../../error-words.ts";
import type { Measures } from "./chat-messages.ts";
import { joinToolCalls, type ToolCall, type ToolCallPiece } from "./tool-calls.ts";

/** A refusal of the service. */
export class ChatRefusal extends Error {
  readonly code: string;
  /** The sentence as the service wrote it, whatever the user's language. */
  readonly original: string;
  readonly requestId: string | null;

  constructor(message: string, detail: Pick<ChatRefusal, "code" | "original" | "requestId">) {
    super(message);
    this.name = "ChatRefusal";
    this.code = detail.code;
    this.original = detail.original;
    this.requestId = detail.requestId;
  }
}

/** What a stream reports as it arrives; tool calls are whole each time. */
export type ChatListener = {
  readonly onText: (piece: string) => void;
  readonly onReasoning: (piece: string) => void;
  readonly onToolCalls: (calls: readonly ToolCall[]) => void;
  /** The measures so far: at the head of the response, at the first token, and at the end. */
  readonly onMeasures: (measures: Measures) => void;
};

type Chunk = {
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: unknown;
      readonly refusal?: unknown;
      readonly reasoning_content?: unknown;
      readonly reasoning?: unknown;
      readonly tool_calls?: readonly ToolCallPiece[] | null;
    };
  }[];
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number } | null;
  readonly error?: { readonly message?: unknown; readonly code?: unknown };
};

/**
 * Requests a model and reports each piece as it arrives.
 * @throws ChatRefusal, and DOMException `AbortError` when it was stopped
 */
export async function streamChat(
  apiKey: string,
  body: Readonly<Record<string, unknown>>,
  options: { readonly signal: AbortSignal; readonly listener: ChatListener },
): Promise<void> {
  const { signal, listener } = options;
  const startedAt = performance.now();
  const answer = await send(apiKey, body, signal);
  const requestId = answer.headers.get("x-request-id");
  if (!answer.ok || answer.body === null) {
    throw await toRefusal(answer, requestId);
  }
  let measures: Measures = {
    requestId,
    firstTokenMs: null,
    durationMs: performance.now() - startedAt,
    inputTokens: null,
    outputTokens: null,
    cost: null,
  };
  const measure = (change: Partial<Measures>): void => {
    measures = { ...measures, durationMs: performance.now() - startedAt, ...change };
    listener.onMeasures(measures);
  };
  measure({});
  const read = chunkReader(listener);
  for await (const chunk of readChunks(answer.body)) {
    if (chunk.error !== undefined) {
      measure({});
      throw await refusalOf(chunk, answer, requestId);
    }
    if (read(chunk) && measures.firstTokenMs === null) {
      measure({ firstTokenMs: performance.now() - startedAt });
    }
    if (chunk.usage != null) {
      const { prompt_tokens: input, completion_tokens: output } = chunk.usage;
      measure({ inputTokens: input ?? null, outputTokens: output ?? null });
    }
  }
  measure({});
}

/** Reports what is in a chunk, and returns whether anything was. */
function chunkReader(listener: ChatListener): (chunk: Chunk) => boolean {
  let calls: readonly ToolCall[] = [];
  return ({ choices }) => {
    const delta = choices?.[0]?.delta ?? {};
    const text = textIn(delta.content) + textIn(delta.refusal);
    const reasoning = textIn(delta.reasoning_content) || textIn(delta.reasoning);
    const pieces = delta.tool_calls ?? [];
    if (text !== "") {
      listener.onText(text);
    }
    if (reasoning !== "") {
      listener.onReasoning(reasoning);
    }
    if (pieces.length > 0) {
      calls = joinToolCalls(calls, pieces);
      listener.onToolCalls(calls);
    }
    return text !== "" || reasoning !== "" || pieces.length > 0;
  };
}

async function send(apiKey: string, body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch("/v1/chat/completions", {
      method: "POST",
      credentials: "omit",
      signal,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
    });
  } catch (error) {
    if (signal.aborted) {
      throw error;
    }
    throw await refusalOf({ error: { code: "offline", message: "The service can't be reached." } }, null, null);
  }
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

async function toRefusal(answer: Response, requestId: string | null): Promise<ChatRefusal> {
  const body = (await answer.json().catch(() => ({}))) as Chunk;
  return await refusalOf(body, answer, requestId);
}

async function refusalOf({ error }: Chunk, answer: Response | null, requestId: string | null): Promise<ChatRefusal> {
  const original = typeof error?.message === "string" ? error.message : String(answer?.status ?? "");
  const code = typeof error?.code === "string" ? error.code : "unreadable";
  return new ChatRefusal(await sentenceInOwnWords(original), { code, original, requestId });
}

/** The events of the stream, except the end mark. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Chunk> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    if (value.data !== "[DONE]") {
      yield JSON.parse(value.data) as Chunk;
    }
  }
}
