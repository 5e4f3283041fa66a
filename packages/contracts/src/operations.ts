/** The largest body whose tokens are counted: a larger one is not plain text, and nobody pays for the work. */
export const countedBytesMax = 4 * 1024 * 1024;

/** How a field of a body is checked, in the words of the API description. */
export type FieldForm = "text" | "flag" | "count" | "file" | "list" | "text_or_list" | "messages";

type OperationRow = {
  readonly path: `/v1/${string}` | `/v2/${string}`;
  readonly body: "json" | "multipart";
  /** The kind of models that the operation calls. */
  readonly models: string;
  /** The model that the API assumes when a request names none; without it, a request has to name a model. */
  readonly defaultModel?: string;
  readonly summary: string;
  /** The fields that are checked in addition to the model; all others pass through. */
  readonly fields: Readonly<Record<string, FieldForm>>;
  /** The dialect of errors; that of the OpenAI API unless it is named. */
  readonly errors?: "messages" | "cohere";
  /** The type of the responses that are not JSON. */
  readonly otherResponse?: "text/event-stream" | "text/plain" | "audio/*";
};

/**
 * The operations that call a model, as clients see them. The API description, the kinds of models and the
 * paths that an exit node forwards follow from this table; what the gateway does with each is in its own table,
 * `control-plane/src/gateway/operations/table.ts`. How to add one: docs/development.md.
 */
export const operations = {
  chat: {
    path: "/v1/chat/completions",
    body: "json",
    models: "chat",
    summary: "Create a chat completion, whole or streamed",
    fields: { messages: "messages", stream: "flag", max_tokens: "count", max_completion_tokens: "count", n: "count" },
    otherResponse: "text/event-stream",
  },
  completions: {
    path: "/v1/completions",
    body: "json",
    models: "chat",
    summary: "Create a text completion, whole or streamed",
    fields: { prompt: "text_or_list", stream: "flag", max_tokens: "count", n: "count" },
    otherResponse: "text/event-stream",
  },
  responses: {
    path: "/v1/responses",
    body: "json",
    models: "chat",
    summary:
      "Create a response (Responses API), whole or streamed. Send earlier turns in `input`: objects stored at the provider can't be referenced.",
    fields: { input: "text_or_list", stream: "flag", max_output_tokens: "count" },
    otherResponse: "text/event-stream",
  },
  messages: {
    path: "/v1/messages",
    body: "json",
    models: "chat",
    summary: "Create a message (Messages API), whole or streamed, on a channel that speaks this API",
    fields: { messages: "messages", stream: "flag", max_tokens: "count" },
    errors: "messages",
    otherResponse: "text/event-stream",
  },
  message_counts: {
    path: "/v1/messages/count_tokens",
    body: "json",
    models: "chat",
    summary: "Count the tokens of a message before it is sent, for free; an estimate where no channel counts them",
    fields: { messages: "messages" },
    errors: "messages",
  },
  embeddings: {
    path: "/v1/embeddings",
    body: "json",
    models: "embedding",
    summary: "Create embeddings",
    fields: { input: "text_or_list" },
  },
  image_generations: {
    path: "/v1/images/generations",
    body: "json",
    models: "image",
    summary: "Generate images from a prompt",
    fields: { prompt: "text", n: "count", stream: "flag" },
    otherResponse: "text/event-stream",
  },
  image_edits: {
    path: "/v1/images/edits",
    body: "multipart",
    models: "image",
    summary: "Edit an image",
    fields: { image: "file" },
  },
  image_variations: {
    path: "/v1/images/variations",
    body: "multipart",
    models: "image",
    summary: "Create variations of an image",
    fields: { image: "file" },
  },
  speech: {
    path: "/v1/audio/speech",
    body: "json",
    models: "audio",
    summary: "Convert text to speech",
    fields: { input: "text", voice: "text" },
    otherResponse: "audio/*",
  },
  transcriptions: {
    path: "/v1/audio/transcriptions",
    body: "multipart",
    models: "audio",
    summary: "Transcribe a recording",
    fields: { file: "file" },
    otherResponse: "text/plain",
  },
  translations: {
    path: "/v1/audio/translations",
    body: "multipart",
    models: "audio",
    summary: "Translate a recording into English",
    fields: { file: "file" },
    otherResponse: "text/plain",
  },
  rerank: {
    path: "/v1/rerank",
    body: "json",
    models: "rerank",
    summary: "Rank documents by relevance to a query",
    fields: { query: "text", documents: "list" },
  },
  cohere_rerank: {
    path: "/v2/rerank",
    body: "json",
    models: "rerank",
    summary: "Rank documents by relevance to a query (Cohere API), on a channel that speaks this API",
    fields: { query: "text", documents: "list" },
    errors: "cohere",
  },
  moderations: {
    path: "/v1/moderations",
    body: "json",
    models: "moderation",
    defaultModel: "omni-moderation-latest",
    summary: "Moderate texts",
    fields: { input: "text_or_list" },
  },
} as const satisfies Readonly<Record<string, OperationRow>>;

export type OperationName = keyof typeof operations;
/** The kinds of models that operations call. */
export type OperationModels = (typeof operations)[OperationName]["models"];
export type Operation = OperationRow & { readonly models: OperationModels };

export const operationEntries = Object.entries(operations) as readonly [OperationName, Operation][];
