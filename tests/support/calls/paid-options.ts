/** Options that change a bill, by the API of the client, and what becomes of each on its way to a provider. */

import type { Dialect } from "@sluice/contracts/upstreams";

/** What a provider receives of an option: nothing, or the request with or without it. */
export type PaidOption =
  | { readonly refused: string }
  | {
      /** The names in the header of the response. */
      readonly dropped?: string;
      /** What occurs nowhere in the request that the provider receives. */
      readonly gone?: readonly string[];
      /** What the request has in place of the option; by default, the option as it is. */
      readonly sent?: object;
      /** The prompt is kept for an hour, and the provider does not say so. */
      readonly isHour?: boolean;
    };

export type SurfaceOption = {
  readonly option: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** On a channel of the same dialect. */
  readonly native: PaidOption;
  /** On channels of others, where that differs. */
  readonly converted: Partial<Record<Dialect, PaidOption>>;
};

const row = (
  option: string,
  fields: SurfaceOption["fields"],
  native: PaidOption,
  converted: SurfaceOption["converted"] = {},
): SurfaceOption => ({ option, fields, native, converted });

const unpriced: PaidOption = { refused: "unpriced_option" };
const unknown: PaidOption = { refused: "unknown_field" };
const notStored: PaidOption = { refused: "provider_object" };
/** The Messages API has no codes. */
const notOffered: PaidOption = { refused: "is not offered" };
const without = (name: string): PaidOption => ({ dropped: name, gone: [`"${name}"`] });
const sold: PaidOption = {};
const soldWithout = (...gone: string[]): PaidOption => ({ gone });

const steering = ["models", "route", "provider", "plugins", "fallbacks"];
const weather = { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } };
const flatWeather = { type: "function", name: "f", parameters: { type: "object", properties: {} } };
const sound = { type: "input_audio", input_audio: { data: "AA", format: "wav" } };
const hour = { type: "ephemeral", ttl: "1h" };
const png = "iVBORw0KGgo=";

const chat: readonly SurfaceOption[] = [
  row("service tier", { service_tier: "priority" }, unpriced),
  row("usual service tier", { service_tier: "auto" }, sold, { messages: soldWithout("service_tier") }),
  row("speed", { speed: "fast" }, unpriced),
  row("geography", { inference_geo: "us" }, unpriced),
  row("web search", { web_search_options: {} }, unpriced),
  row("web search of xAI", { search_parameters: { mode: "on" } }, unpriced),
  row("web search of Qwen", { enable_search: true }, unpriced),
  row("web search as a tool", { tools: [{ type: "web_search" }] }, unpriced),
  row("web search beside a function", { tools: [weather, { type: "web_search" }] }, unpriced),
  row("search of Google", { tools: [{ google_search: {} }] }, unpriced),
  row("remote tools", { mcp_servers: [{ url: "https://x.example" }] }, unpriced),
  ...steering.map((name) => row(`steering by ${name}`, { [name]: ["x"] }, unknown)),
  row("audio out", { modalities: ["text", "audio"], audio: { voice: "a", format: "wav" } }, unpriced),
  row("audio in", { messages: [{ role: "user", content: [sound] }] }, unpriced),
  row("prediction", { prediction: { type: "content", content: "x" } }, unpriced),
  row("container", { container: "x" }, unpriced),
  row("deferred response", { deferred: true }, unpriced),
  row("several choices", { n: 2 }, sold, { messages: { refused: "invalid_value" } }),
  row("thinking", { reasoning_effort: "high" }, sold, { messages: soldWithout("reasoning_effort") }),
  row("stored completion", { store: true }, notStored),
  row("longer cache", { prompt_cache_retention: "24h" }, sold, { messages: soldWithout("prompt_cache_retention") }),
  row(
    "cache for five minutes",
    { messages: [{ role: "user", content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }] }] },
    sold,
  ),
  row(
    "cache for an hour",
    { messages: [{ role: "user", content: [{ type: "text", text: "Hi", cache_control: hour }] }] },
    { isHour: true },
  ),
  row(
    "detailed picture",
    {
      messages: [
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${png}`, detail: "high" } }],
        },
      ],
    },
    sold,
    { messages: { gone: ["detail"], sent: { messages: [{ content: [{ type: "image" }] }] } } },
  ),
  row("a field that nobody knows", { turbo_mode: 7 }, sold, { messages: without("turbo_mode") }),
];

const responses: readonly SurfaceOption[] = [
  row("service tier", { service_tier: "flex" }, unpriced),
  row("speed", { speed: "fast" }, unpriced),
  row("geography", { inference_geo: "us" }, unpriced),
  row("required web search", { tools: [{ type: "web_search" }], tool_choice: "required" }, unpriced),
  row("web search alone", { tools: [{ type: "web_search" }] }, unpriced),
  row(
    "web search beside a function",
    { tools: [{ type: "web_search" }, flatWeather] },
    { dropped: "web_search", gone: ["web_search"], sent: { tools: [flatWeather] } },
    {
      chat: { dropped: "web_search", gone: ["web_search"], sent: { tools: [{ type: "function" }] } },
      messages: { dropped: "web_search", gone: ["web_search"], sent: { tools: [{ name: "f" }] } },
    },
  ),
  ...["code_interpreter", "file_search", "image_generation", "mcp", "computer_use_preview"].map((type) =>
    row(`tool ${type}`, { tools: [{ type }] }, unpriced),
  ),
  ...steering.map((name) => row(`steering by ${name}`, { [name]: ["x"] }, unknown)),
  row("background", { background: true }, unpriced),
  row("earlier response", { previous_response_id: "resp_1" }, notStored),
  row("stored prompt", { prompt: { id: "x" } }, notStored),
  row("stored conversation", { conversation: "c" }, notStored),
  row("audio in", { input: [{ role: "user", content: [sound] }] }, unpriced),
  row("audio out", { modalities: ["text", "audio"], audio: { voice: "a", format: "wav" } }, unpriced),
  row("pictures out", { modalities: ["image"] }, unpriced),
  row(
    "cache for an hour",
    { input: [{ role: "user", content: [{ type: "input_text", text: "Hi", cache_control: hour }] }] },
    { isHour: true },
    {
      chat: soldWithout("cache_control"),
      messages: soldWithout('"1h"'),
    },
  ),
  row("a field that nobody knows", { turbo_mode: 7 }, sold, {
    chat: without("turbo_mode"),
    messages: without("turbo_mode"),
  }),
];

const offered = { name: "f", input_schema: { type: "object", properties: {} } };
const searchTool = { type: "web_search_20250305", name: "web_search", max_uses: 3 };
const notSupported = { chat: { refused: "is not supported by this model" } } as const;
const remoteTools = { mcp_servers: [{ type: "url", url: "https://x.example", name: "x" }] };

const messages: readonly SurfaceOption[] = [
  row("service tier", { service_tier: "priority" }, notOffered, { chat: without("service_tier") }),
  row("usual service tier", { service_tier: "auto" }, sold, { chat: soldWithout("service_tier") }),
  row("standard service tier", { service_tier: "standard_only" }, sold, { chat: without("service_tier") }),
  row("speed", { speed: "fast" }, notOffered, { chat: without("speed") }),
  row("geography", { inference_geo: "us" }, notOffered, { chat: without("inference_geo") }),
  row("web search", { tools: [searchTool] }, sold, notSupported),
  row(
    "web search without a limit",
    { tools: [{ ...searchTool, max_uses: undefined }] },
    { refused: "each search is charged" },
    notSupported,
  ),
  row("web search beside a function", { tools: [offered, searchTool] }, sold, {
    chat: { dropped: searchTool.type, gone: ["web_search"], sent: { tools: [{ type: "function" }] } },
  }),
  ...["web_fetch_20250910", "code_execution_20250522", "advisor_20260301"].map((type) =>
    row(`tool ${type}`, { tools: [{ type, name: "x" }] }, notOffered, notSupported),
  ),
  row("remote tools", remoteTools, notOffered, { chat: without("mcp_servers") }),
  row("container", { container: "x" }, notOffered, { chat: without("container") }),
  ...steering.map((name) => row(`steering by ${name}`, { [name]: ["x"] }, notOffered, { chat: without(name) })),
  row("betas", { betas: ["x"] }, notOffered, { chat: without("betas") }),
  row("cache for five minutes", { system: [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }] }, sold, {
    chat: without("cache_control"),
  }),
  row("cache for an hour", { system: [{ type: "text", text: "a", cache_control: hour }] }, sold, {
    chat: without("cache_control"),
  }),
  row("automatic cache for an hour", { cache_control: hour }, sold, { chat: without("cache_control") }),
  row("thinking", { thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 2_000 }, sold, {
    chat: { dropped: "thinking", gone: ["thinking"] },
  }),
];

const ofPart = (mimeType: string) => ({ contents: [{ parts: [{ inlineData: { mimeType, data: "AA" } }] }] });
const output = (kind: string) => ({ generationConfig: { responseModalities: [kind] } });

const gemini: readonly SurfaceOption[] = [
  row("service tier", { serviceTier: "priority" }, unpriced),
  row("service tier in the other case", { service_tier: "flex" }, unpriced),
  ...["googleSearch", "code_execution", "urlContext", "googleMaps"].map((name) =>
    row(`tool ${name}`, { tools: [{ [name]: {} }] }, unpriced),
  ),
  row("steering by model", { model: "models/other" }, unknown),
  row("audio out", output("AUDIO"), unpriced),
  row("pictures out", output("IMAGE"), unpriced),
  row("speech", { generationConfig: { speechConfig: {} } }, unpriced),
  row("audio in", ofPart("audio/wav"), unpriced),
  row("video in", ofPart("video/mp4"), unpriced),
  row("stored cache", { cachedContent: "cachedContents/x" }, notStored),
  row("several choices", { generationConfig: { candidateCount: 2 } }, sold),
  row("thinking", { generationConfig: { thinkingConfig: { thinkingBudget: 1_000 } } }, sold),
  row("detailed pictures", { generationConfig: { mediaResolution: "MEDIA_RESOLUTION_HIGH" } }, sold),
  row("a field that nobody knows", { turboMode: 7 }, unknown),
];

export const optionRows = { chat, responses, messages, gemini } as const;
