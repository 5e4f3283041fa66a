import type { ExampleCall } from "./example-call.ts";
import type { ApiTexts } from "./messages/en.ts";

/** A route of the reference: what the contracts describe, with an example. */
export type ReferenceEntry = {
  /** Its text; also its anchor. */
  readonly name: keyof ApiTexts["section"];
  readonly route: `${"GET" | "POST"} /${string}`;
  /** Null for what no library of the examples calls in one step. */
  readonly example: Omit<ExampleCall, "method" | "path"> | null;
  /** An example of the response as JSON, or null if it is not JSON. */
  readonly answer: object | null;
};

const messages = [{ role: "user", content: "Say hello." }];
const createdAt = 1_764_324_000;

const message = {
  id: "msg_01HV2Q",
  type: "message",
  role: "assistant",
  model: "{{messages_model}}",
  content: [{ type: "text", text: "Hello!" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 3 },
};

const images = { created: createdAt, data: [{ b64_json: "iVBORw0KGgo..." }] };
const firstImage = { python: "response.data[0].b64_json[:20]", typescript: "response.data[0].b64_json.slice(0, 20)" };

const chat: readonly ReferenceEntry[] = [
  {
    name: "chat",
    route: "POST /v1/chat/completions",
    example: {
      client: "openai",
      call: "chat.completions.create",
      body: { model: "{{model}}", max_tokens: 200, messages },
      result: { field: "choices[0].message.content" },
    },
    answer: {
      id: "chatcmpl-9f2c",
      object: "chat.completion",
      created: createdAt,
      model: "{{model}}",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello!" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
    },
  },
  {
    name: "responses",
    route: "POST /v1/responses",
    example: {
      client: "openai",
      call: "responses.create",
      body: { model: "{{model}}", max_output_tokens: 200, input: "Say hello." },
      result: { field: "output_text" },
    },
    answer: {
      id: "resp_9f2c",
      object: "response",
      created_at: createdAt,
      status: "completed",
      model: "{{model}}",
      output: [
        {
          id: "msg_9f2c",
          type: "message",
          status: "completed",
          role: "assistant",
          content: [{ type: "output_text", text: "Hello!", annotations: [] }],
        },
      ],
      usage: { input_tokens: 10, output_tokens: 3, total_tokens: 13 },
    },
  },
  {
    name: "completions",
    route: "POST /v1/completions",
    example: {
      client: "openai",
      call: "completions.create",
      body: { model: "{{model}}", max_tokens: 200, prompt: "Say hello." },
      result: { field: "choices[0].text" },
    },
    answer: {
      id: "cmpl-9f2c",
      object: "text_completion",
      created: createdAt,
      model: "{{model}}",
      choices: [{ index: 0, text: "Hello!", finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 },
    },
  },
  {
    name: "messages",
    route: "POST /v1/messages",
    example: {
      client: "anthropic",
      call: "messages.create",
      body: { model: "{{claude_model}}", max_tokens: 200, messages },
      result: { field: "content[0].text" },
    },
    answer: { ...message, model: "{{claude_model}}" },
  },
  {
    name: "message_counts",
    route: "POST /v1/messages/count_tokens",
    example: {
      client: "anthropic",
      call: { python: "messages.count_tokens", typescript: "messages.countTokens" },
      body: { model: "{{claude_model}}", messages },
      result: { field: "input_tokens" },
    },
    answer: { input_tokens: 10 },
  },
  { name: "realtime", route: "GET /v1/realtime", example: null, answer: null },
];

const vectorsAndRanks: readonly ReferenceEntry[] = [
  {
    name: "embeddings",
    route: "POST /v1/embeddings",
    example: {
      client: "openai",
      call: "embeddings.create",
      body: { model: "{{embedding_model}}", input: ["How do I get a refund?", "Where is my invoice?"] },
      result: { python: "len(response.data[0].embedding)", typescript: "response.data[0].embedding.length" },
    },
    answer: {
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: [0.0123, -0.0456, 0.0789] }],
      model: "{{embedding_model}}",
      usage: { prompt_tokens: 12, total_tokens: 12 },
    },
  },
  {
    name: "rerank",
    route: "POST /v1/rerank",
    example: {
      client: "openai",
      call: null,
      body: {
        model: "{{rerank_model}}",
        query: "refund",
        documents: ["How to get a refund", "How to change the address"],
      },
      result: "whole",
    },
    answer: {
      id: "rerank-9f2c",
      model: "{{rerank_model}}",
      results: [{ index: 0, relevance_score: 0.97 }],
      usage: { total_tokens: 14 },
    },
  },
  {
    name: "cohere_rerank",
    route: "POST /v2/rerank",
    example: {
      client: "openai",
      call: null,
      body: {
        model: "{{cohere_rerank_model}}",
        query: "refund",
        documents: ["How to get a refund", "How to change the address"],
      },
      result: "whole",
    },
    answer: {
      id: "rerank-9f2c",
      results: [{ index: 0, relevance_score: 0.97 }],
      meta: { api_version: { version: "2" }, billed_units: { search_units: 1 } },
    },
  },
  {
    name: "moderations",
    route: "POST /v1/moderations",
    example: {
      client: "openai",
      call: "moderations.create",
      body: { model: "{{moderation_model}}", input: "Have a nice day." },
      result: { field: "results[0].flagged" },
    },
    answer: {
      id: "modr-9f2c",
      model: "{{moderation_model}}",
      results: [{ flagged: false, categories: { violence: false }, category_scores: { violence: 0 } }],
    },
  },
];

const media: readonly ReferenceEntry[] = [
  {
    name: "image_generations",
    route: "POST /v1/images/generations",
    example: {
      client: "openai",
      call: "images.generate",
      body: { model: "{{image_model}}", prompt: "A lighthouse at dusk" },
      result: firstImage,
    },
    answer: images,
  },
  {
    name: "image_edits",
    route: "POST /v1/images/edits",
    example: {
      client: "openai",
      call: "images.edit",
      body: { model: "{{image_model}}", image: { upload: "lighthouse.png" }, prompt: "Make it night" },
      result: firstImage,
    },
    answer: images,
  },
  {
    name: "image_variations",
    route: "POST /v1/images/variations",
    example: {
      client: "openai",
      call: { python: "images.create_variation", typescript: "images.createVariation" },
      body: { model: "{{image_model}}", image: { upload: "lighthouse.png" } },
      result: firstImage,
    },
    answer: images,
  },
  {
    name: "speech",
    route: "POST /v1/audio/speech",
    example: {
      client: "openai",
      call: "audio.speech.create",
      body: { model: "{{speech_model}}", input: "Hello!", voice: "alloy" },
      result: { save: "hello.mp3" },
    },
    answer: null,
  },
  {
    name: "transcriptions",
    route: "POST /v1/audio/transcriptions",
    example: {
      client: "openai",
      call: "audio.transcriptions.create",
      body: { model: "{{transcription_model}}", file: { upload: "meeting.mp3" } },
      result: { field: "text" },
    },
    answer: { text: "Good morning, everyone." },
  },
  {
    name: "translations",
    route: "POST /v1/audio/translations",
    example: {
      client: "openai",
      call: "audio.translations.create",
      body: { model: "{{transcription_model}}", file: { upload: "meeting.mp3" } },
      result: { field: "text" },
    },
    answer: { text: "Good morning, everyone." },
  },
];

const lists: readonly ReferenceEntry[] = [
  {
    name: "models",
    route: "GET /v1/models",
    example: { client: "openai", call: "models.list", result: { each: "id" } },
    answer: {
      object: "list",
      data: [{ id: "{{model}}", object: "model", created: createdAt, owned_by: "openai" }],
    },
  },
  {
    name: "model",
    route: "GET /v1/models/{model}",
    example: { client: "openai", call: "models.retrieve", argument: "{{model}}", result: { field: "id" } },
    answer: { id: "{{model}}", object: "model", created: createdAt, owned_by: "openai" },
  },
  {
    name: "usage",
    route: "GET /v1/usage",
    example: { client: "openai", call: null, result: "whole" },
    answer: {
      object: "usage",
      currency: "USD",
      scope: "account",
      limit_usd: "10.000000",
      used_usd: "2.500000",
      remaining_usd: "7.500000",
      resets_at: null,
    },
  },
];

const converted: readonly ReferenceEntry[] = [
  {
    name: "compat_messages",
    route: "POST /msgcompat/v1/messages",
    example: {
      client: "messages",
      call: "messages.create",
      body: { model: "{{messages_model}}", max_tokens: 200, messages },
      result: { field: "content[0].text" },
    },
    answer: message,
  },
  {
    name: "compat_counts",
    route: "POST /msgcompat/v1/messages/count_tokens",
    example: {
      client: "messages",
      call: { python: "messages.count_tokens", typescript: "messages.countTokens" },
      body: { model: "{{messages_model}}", messages },
      result: { field: "input_tokens" },
    },
    answer: { input_tokens: 10 },
  },
  {
    name: "compat_models",
    route: "GET /msgcompat/v1/models",
    example: { client: "messages", call: "models.list", result: { each: "id" } },
    answer: {
      data: [
        {
          type: "model",
          id: "{{messages_model}}",
          display_name: "{{messages_model}}",
          created_at: "2026-11-01T00:00:00Z",
        },
      ],
      has_more: false,
    },
  },
  {
    name: "compat_model",
    route: "GET /msgcompat/v1/models/{model}",
    example: { client: "messages", call: "models.retrieve", argument: "{{messages_model}}", result: { field: "id" } },
    answer: {
      type: "model",
      id: "{{messages_model}}",
      display_name: "{{messages_model}}",
      created_at: "2026-11-01T00:00:00Z",
    },
  },
];

/** What is shown with an example of its own, in the order of the page. */
export const referenceEntries: readonly ReferenceEntry[] = [
  ...chat,
  ...vectorsAndRanks,
  ...media,
  ...lists,
  ...converted,
];

/** The call of an entry, with the path for its example. */
export function callOf({ route, example }: ReferenceEntry): ExampleCall | null {
  if (example === null) {
    return null;
  }
  const [method = "", path = ""] = route.split(" ");
  return {
    ...example,
    method: method as ExampleCall["method"],
    path: path.replace("{model}", example.argument ?? ""),
  };
}
