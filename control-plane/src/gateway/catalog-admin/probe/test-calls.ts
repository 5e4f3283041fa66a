import type { ModelKind } from "@sluice/contracts/model-kinds";
import { type Dialect, dialectRoots, type UpstreamSettings } from "@sluice/contracts/upstreams";
import type { HttpHeader } from "@sluice/http-client/model";

type Flags = UpstreamSettings["flags"];
type Counts = { readonly input: unknown; readonly output: unknown };

/** What a response says, as far as it has the form that was asked for. */
export type TestReading = {
  readonly text: string | null;
  readonly model: unknown;
  readonly counts: Counts;
};

type TestCall = {
  readonly path: (model: string) => string;
  readonly headers: readonly HttpHeader[];
  readonly body: (model: string, flags: Flags) => object;
  /** Null for a response of another form. */
  readonly read: (answer: Fields) => TestReading | null;
};
type Fields = Readonly<Record<string, unknown>>;
/** The dialects in which chat models are called. */
type ChatDialect = Exclude<Dialect, "cohere">;

const prompt = "Answer with the word OK.";
/** This is enough for models that think before they answer, and so little that the cost is negligible. */
const answerTokensMax = 64;

const chatCalls: Readonly<Record<ChatDialect, TestCall>> = {
  chat: {
    path: () => "/v1/chat/completions",
    headers: [],
    body: (model, { token_param: limit }) => ({
      model,
      messages: [{ role: "user", content: prompt }],
      [limit]: answerTokensMax,
    }),
    read: ({ choices, model, usage }) => {
      const message = at(at(choices, 0), "message");
      const { prompt_tokens: input, completion_tokens: output } = fieldsOf(usage);
      return message === undefined ? null : { text: textOf(at(message, "content")), model, counts: { input, output } };
    },
  },
  responses: {
    path: () => "/v1/responses",
    headers: [],
    body: (model) => ({ model, input: prompt, max_output_tokens: answerTokensMax, store: false }),
    read: ({ output: items, model, usage }) => {
      const { input_tokens: input, output_tokens: output } = fieldsOf(usage);
      return Array.isArray(items)
        ? { text: textOfParts(items.flatMap((item) => listOf(at(item, "content")))), model, counts: { input, output } }
        : null;
    },
  },
  messages: {
    path: () => "/v1/messages",
    headers: [["anthropic-version", "2023-06-01"]],
    body: (model) => ({ model, max_tokens: answerTokensMax, messages: [{ role: "user", content: prompt }] }),
    read: ({ content, model, usage }) => {
      const { input_tokens: input, output_tokens: output } = fieldsOf(usage);
      return Array.isArray(content) ? { text: textOfParts(content), model, counts: { input, output } } : null;
    },
  },
  gemini: {
    path: (model) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    headers: [],
    body: () => ({
      contents: [{ role: "user", parts: [{ text: prompt }] }],
      generationConfig: { maxOutputTokens: answerTokensMax },
    }),
    read: ({ candidates, modelVersion: model, usageMetadata }) => {
      const { promptTokenCount: input, candidatesTokenCount: output } = fieldsOf(usageMetadata);
      const parts = listOf(at(at(at(candidates, 0), "content"), "parts"));
      return Array.isArray(candidates) ? { text: textOfParts(parts), model, counts: { input, output } } : null;
    },
  },
};

const noCounts: Counts = { input: null, output: null };
/** Voyage has its ranks in `data`. */
const rank: TestCall = {
  path: () => "/v1/rerank",
  headers: [],
  body: (model) => ({ model, query: "OK", documents: ["OK"] }),
  read: ({ results, data, model }) => (Array.isArray(results ?? data) ? { text: null, model, counts: noCounts } : null),
};

/** Other kinds of models that cost next to nothing to call; all of them are reached as the OpenAI API has them. */
const otherCalls: Readonly<Partial<Record<ModelKind, TestCall>>> = {
  embedding: {
    path: () => "/v1/embeddings",
    headers: [],
    body: (model) => ({ model, input: "OK" }),
    read: ({ data, model, usage }) =>
      Array.isArray(data) ? { text: null, model, counts: { input: at(usage, "prompt_tokens"), output: 0 } } : null,
  },
  moderation: {
    path: () => "/v1/moderations",
    headers: [],
    body: (model) => ({ model, input: "OK" }),
    read: ({ results, model }) => (Array.isArray(results) ? { text: null, model, counts: noCounts } : null),
  },
  rerank: rank,
};

/** The dialects in which a chat model is tested, the first one first. */
const order: readonly ChatDialect[] = ["chat", "messages", "responses", "gemini"];

/** The call that tests a model of a kind at an upstream with these dialects; null if none can. */
export function testCallOf(
  kind: ModelKind,
  spoken: (dialect: Dialect) => boolean,
): { readonly dialect: Dialect; readonly call: TestCall } | null {
  if (kind === "chat") {
    const dialect = order.find(spoken);
    return dialect === undefined ? null : { dialect, call: chatCalls[dialect] };
  }
  if (kind === "rerank" && spoken("cohere")) {
    return { dialect: "cohere", call: { ...rank, path: () => "/v2/rerank" } };
  }
  const call = otherCalls[kind];
  return call === undefined || !spoken("chat") ? null : { dialect: "chat", call };
}

/** The path of a call on the server of an upstream whose dialect begins at `basePath`. */
export function targetOf(basePath: string, dialect: Dialect, path: string): string {
  return `${basePath}${path.slice(dialectRoots[dialect].length)}`;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function at(value: unknown, name: string | number): unknown {
  return fieldsOf(value)[name];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function textOfParts(parts: readonly unknown[]): string | null {
  const texts = parts.flatMap((part) => textOf(at(part, "text")) ?? []);
  return texts.length === 0 ? null : texts.join("");
}
