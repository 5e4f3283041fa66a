import { EventSourceParserStream } from "eventsource-parser/stream";
import { sentenceInOwnWords } from "../../error-words.ts";

export type Message = { readonly role: "system" | "user" | "assistant"; readonly content: string };

export type ChatRequest = {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly maxTokens: number | null;
  readonly temperature: number | null;
};

/** What a response cost; null if not reported. */
export type Measures = {
  readonly requestId: string | null;
  readonly firstTokenMs: number | null;
  readonly durationMs: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
};

/** A refusal of the service, with its message. */
export class ChatRefusal extends Error {
  readonly requestId: string | null;

  constructor(message: string, requestId: string | null) {
    super(message);
    this.name = "ChatRefusal";
    this.requestId = requestId;
  }
}

type Chunk = {
  readonly choices?: readonly { readonly delta?: { readonly content?: unknown } }[];
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number } | null;
  readonly error?: { readonly message?: unknown };
};

/** The body that is sent. */
export function toBody({ model, messages, maxTokens, temperature }: ChatRequest): Readonly<Record<string, unknown>> {
  return {
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    ...(temperature === null ? {} : { temperature }),
  };
}

/**
 * Requests a model and reports each piece as it arrives.
 * @throws ChatRefusal, and DOMException `AbortError` when it was stopped
 */
export async function streamChat(
  apiKey: string,
  request: ChatRequest,
  options: { readonly signal: AbortSignal; readonly onText: (text: string) => void },
): Promise<Measures> {
  const startedAt = performance.now();
  const answer = await fetch("/v1/chat/completions", {
    method: "POST",
    credentials: "omit",
    signal: options.signal,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(toBody(request)),
  });
  const requestId = answer.headers.get("x-request-id");
  if (!answer.ok || answer.body === null) {
    throw await toRefusal(answer, requestId);
  }
  let firstTokenMs: number | null = null;
  let usage: Chunk["usage"] = null;
  for await (const chunk of readChunks(answer.body)) {
    if (chunk.error !== undefined) {
      throw await refusalOf(chunk, answer, requestId);
    }
    const text = chunk.choices?.[0]?.delta?.content;
    if (typeof text === "string" && text !== "") {
      firstTokenMs ??= performance.now() - startedAt;
      options.onText(text);
    }
    usage = chunk.usage ?? usage;
  }
  return {
    requestId,
    firstTokenMs,
    durationMs: performance.now() - startedAt,
    inputTokens: usage?.prompt_tokens ?? null,
    outputTokens: usage?.completion_tokens ?? null,
  };
}

async function toRefusal(answer: Response, requestId: string | null): Promise<ChatRefusal> {
  const body = (await answer.json().catch(() => ({}))) as Chunk;
  return await refusalOf(body, answer, requestId);
}

async function refusalOf({ error }: Chunk, { status }: Response, requestId: string | null): Promise<ChatRefusal> {
  return new ChatRefusal(await sentenceInOwnWords(String(error?.message ?? status)), requestId);
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
