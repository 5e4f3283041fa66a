/** Everything that changes a bill, in each dialect: what happens with it when a call is admitted, before any conversion. */
import { describe, expect, test } from "bun:test";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";

const turn = [{ role: "user", content: "Hi" }];
const bodies = {
  chat: ["/v1/chat/completions", { model: "m", messages: turn }],
  responses: ["/v1/responses", { model: "m", input: "Hi" }],
  messages: ["/v1/messages", { model: "m", max_tokens: 10, messages: turn }],
  gemini: ["/v1beta/models/m:generateContent", { contents: [{ parts: [{ text: "Hi" }] }] }],
  images: ["/v1/images/generations", { model: "m", prompt: "a cat" }],
  ranks: ["/v2/rerank", { model: "m", query: "a", documents: ["b"] }],
} as const;
type Dialect = keyof typeof bodies;

/**
 * `sold` is held and charged by what is reported; anything else is the code of the refusal, for a Messages request by
 * every channel that would get it as it is.
 */
const rows: readonly (readonly [option: string, dialect: Dialect, fields: object, outcome: string])[] = [
  ["service tier", "chat", { service_tier: "priority" }, "unpriced_option"],
  ["service tier", "responses", { service_tier: "flex" }, "unpriced_option"],
  ["service tier", "messages", { service_tier: "priority" }, "unpriced_option"],
  ["service tier", "gemini", { serviceTier: "priority" }, "unpriced_option"],
  ["usual service tier", "chat", { service_tier: "auto" }, "sold"],
  ["usual service tier", "messages", { service_tier: "standard_only" }, "sold"],
  ["speed", "messages", { speed: "fast" }, "unpriced_option"],
  ["speed", "chat", { speed: "fast" }, "unpriced_option"],
  ["geography", "messages", { inference_geo: "us" }, "unpriced_option"],
  ["geography", "responses", { inference_geo: "us" }, "unpriced_option"],
  ["web search", "chat", { web_search_options: {} }, "unpriced_option"],
  ["web search", "responses", { tools: [{ type: "web_search" }], tool_choice: "required" }, "unpriced_option"],
  [
    "web search with a limit",
    "messages",
    { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }] },
    "sold",
  ],
  ["code execution", "messages", { tools: [{ type: "code_execution_20250522", name: "x" }] }, "unpriced_option"],
  ["code interpreter", "responses", { tools: [{ type: "code_interpreter", container: {} }] }, "unpriced_option"],
  ["file search", "responses", { tools: [{ type: "file_search", vector_store_ids: ["v"] }] }, "unpriced_option"],
  ["search", "gemini", { tools: [{ googleSearch: {} }] }, "unpriced_option"],
  ["code execution", "gemini", { tools: [{ code_execution: {} }] }, "unpriced_option"],
  [
    "remote tools",
    "messages",
    { mcp_servers: [{ type: "url", url: "https://x.example", name: "x" }] },
    "unpriced_option",
  ],
  ...(["models", "route", "provider", "plugins", "fallbacks"] as const).flatMap((name) =>
    (["chat", "responses", "messages", "ranks"] as const).map(
      (dialect) => [`steering by ${name}`, dialect, { [name]: ["x"] }, "unknown_field"] as const,
    ),
  ),
  ["steering by model", "gemini", { model: "models/other" }, "unknown_field"],
  ["audio out", "chat", { modalities: ["text", "audio"], audio: { voice: "a", format: "wav" } }, "unpriced_option"],
  ["audio out", "responses", { modalities: ["text", "audio"] }, "unpriced_option"],
  ["pictures out", "responses", { modalities: ["image"] }, "unpriced_option"],
  ["audio out", "gemini", { generationConfig: { responseModalities: ["AUDIO"] } }, "unpriced_option"],
  ["images out", "gemini", { generationConfig: { responseModalities: ["IMAGE"] } }, "unpriced_option"],
  [
    "audio in",
    "chat",
    { messages: [{ role: "user", content: [{ type: "input_audio", input_audio: { data: "AA", format: "wav" } }] }] },
    "unpriced_option",
  ],
  [
    "audio in",
    "gemini",
    { contents: [{ parts: [{ inlineData: { mimeType: "audio/wav", data: "AA" } }] }] },
    "unpriced_option",
  ],
  ["background", "responses", { background: true }, "unpriced_option"],
  ["prediction", "chat", { prediction: { type: "content", content: "x" } }, "unpriced_option"],
  ["stored prompt", "responses", { prompt: { id: "x" } }, "provider_object"],
  ["stored cache", "gemini", { cachedContent: "cachedContents/x" }, "provider_object"],
  [
    "cache for an hour",
    "messages",
    { system: [{ type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } }] },
    "sold",
  ],
  ["container", "messages", { container: "x" }, "unpriced_option"],
  ["several pictures", "images", { n: 4 }, "sold"],
  ["pictures by another name", "images", { num_images: 4 }, "unpriced_option"],
  ["priority", "ranks", { priority: 3 }, "unpriced_option"],
];

function outcomeOf(dialect: Dialect, fields: object): string {
  const [path, body] = bodies[dialect];
  try {
    const bytes = Buffer.from(JSON.stringify({ ...body, ...fields }));
    const { refusal } = parseRequest(bytes, "application/json", findOperation(path));
    return refusal?.code ?? "sold";
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

describe("what costs extra is priced or refused:", () => {
  test.each(rows)("%s in %s", (_option, dialect, fields, outcome) => {
    expect(outcomeOf(dialect, fields)).toBe(outcome);
  });

  test.each([
    ["size", "1536x1024"],
    ["quality", "high"],
    ["input_fidelity", "high"],
    ["partial_images", 2],
  ])("%s of pictures is seen, so that a single price never covers it", (name, value) => {
    const [path, body] = bodies.images;
    const sent = Buffer.from(JSON.stringify({ ...body, [name]: value }));
    expect(parseRequest(sent, "application/json", findOperation(path)).pictureOption).toBe(name);
  });
});

test.each(["/v1/messages/batches", "/v1/batches"])("%s is not a call of a model", (path) => {
  expect(findOperation(path).handling).toBe("pass");
});
