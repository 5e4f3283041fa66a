import { z } from "zod";
import { strictObject } from "./strict-object.ts";

/**
 * The wire formats that an upstream may speak. `chat` also carries the other operations of the OpenAI API, such as
 * embeddings and images; `cohere` carries nothing but ranks.
 */
export const dialects = ["chat", "responses", "messages", "gemini", "cohere"] as const;
export type Dialect = (typeof dialects)[number];

/**
 * How a call shows its credential to an upstream: as it is, in the header named, or not at all; or as a token or a
 * signature that is made from it.
 */
export const authStyles = [
  ...["bearer", "x_api_key", "api_key", "x_goog_api_key", "none"],
  ...["google_service_account", "entra", "aws_sigv4"],
] as const;
export type AuthStyle = (typeof authStyles)[number];

/** The beginning of a call's path that the base URL of a dialect replaces. */
export const dialectRoots: Readonly<Record<Dialect, string>> = {
  chat: "/v1",
  responses: "/v1",
  messages: "",
  gemini: "",
  cohere: "",
};

const entriesMax = 20;
const headerNamePattern = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Headers that belong to the connection, that carry a credential or sign a request, or by which gateways talk. */
const reservedHeaders: ReadonlySet<string> = new Set([
  ...["host", "connection", "content-length", "transfer-encoding", "upgrade", "te", "trailer", "keep-alive", "expect"],
  ...["proxy-authorization", "proxy-connection", "authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"],
  ...["content-type", "content-encoding", "accept-encoding"],
  ...["x-amz-date", "x-amz-content-sha256", "x-amz-security-token", "x-sluice-hops", "x-svc-exit-account"],
]);
/** Fields of a request that decide what a call costs and how its response is read. */
const reservedFields: ReadonlySet<string> = new Set([
  ...["model", "stream", "stream_options", "messages", "input", "prompt", "contents", "n", "tools"],
  ...["max_tokens", "max_completion_tokens", "max_output_tokens", "best_of", "generationConfig", "generation_config"],
  ...["candidateCount", "candidate_count"],
]);

const headerName = z
  .string()
  .trim()
  .toLowerCase()
  .regex(headerNamePattern, "the name of a header")
  .refine((name) => !reservedHeaders.has(name), "This header can't be changed.");
const headerValue = z.string().regex(/^[\x20-\x7e]{0,1000}$/, "at most 1,000 visible characters");
const fieldName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, "the name of a field")
  .refine((name) => !reservedFields.has(name), "This field can't be changed.");
const queryText = z.string().regex(/^[\x21-\x7e]{1,200}$/, "1 to 200 visible characters");
const fieldTextMax = 2_000;

const baseUrl = z.string().trim().min(1).max(2_000);
const dialectEntry = strictObject(() => ({
  base_url: baseUrl,
  auth: z.enum(authStyles).default("bearer"),
}));

const upTo =
  (most: number) =>
  (value: object): boolean =>
    Object.keys(value).length <= most;
const tooMany = `at most ${entriesMax}`;

/** What an upstream does differently from its dialect; everything is off by default. */
const upstreamFlags = strictObject(() => ({
  /** Streams are asked for their usage. Old servers refuse the option. */
  asks_usage: z.boolean().default(true),
  /** The name of the limit on output in chat requests that were converted from another dialect. */
  token_param: z.enum(["max_tokens", "max_completion_tokens"]).default("max_tokens"),
  /** Converted requests may use the role `developer`; otherwise it becomes `system`. */
  developer_role: z.boolean().default(false),
  /** Converted requests give earlier reasoning back as `reasoning_content`. */
  reasoning_back: z.boolean().default(false),
  /** Texts may begin with reasoning between `<think>` and `</think>`; clients of other dialects get it as reasoning. */
  think_tags: z.boolean().default(false),
  /** The usage of chat completions counts thoughts only in its total, so what is not prompt there is output. */
  thoughts_in_total: z.boolean().default(false),
  /** Converted requests carry the `prompt_cache_key` of the client. Many upstreams refuse the field. */
  cache_key: z.boolean().default(false),
  /** Converted requests carry the verbosity that the client asked for. Many upstreams refuse the field. */
  verbosity: z.boolean().default(false),
  /** Converted conversations ask a Messages upstream to cache their beginning, which costs more once and less after. */
  automatic_caching: z.boolean().default(false),
  /** The values of `anthropic-beta` that are passed on; null passes all of them. */
  betas: z
    .array(z.string().regex(/^[a-z0-9-]{1,64}$/, "the name of a beta feature"))
    .max(50)
    .nullable()
    .default(null),
}));
export type UpstreamFlags = z.output<typeof upstreamFlags>;

/** How a channel is called. Stored with the channel; nothing in it is secret. */
export const upstreamSettings = strictObject(() => ({
  /** The preset that the settings came from, or null. */
  preset: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, "the name of a preset")
    .nullable()
    .default(null),
  /** The dialects that the upstream speaks, each with its address. A call in another one is converted. */
  dialects: z
    .partialRecord(z.enum(dialects), dialectEntry)
    .refine((value) => Object.keys(value).length > 0, "Enter at least one address."),
  /** Parameters that are added to every query. */
  query: z.record(queryText, queryText).refine(upTo(entriesMax), tooMany).default({}),
  headers: z
    .strictObject({
      set: z.record(headerName, headerValue).refine(upTo(entriesMax), tooMany).default({}),
      remove: z.array(headerName).max(entriesMax).default([]),
    })
    .default({ set: {}, remove: [] }),
  /** Top-level fields of JSON bodies. */
  body: z
    .strictObject({
      set: z
        // Settings come as JSON, so a value is any of JSON.
        .record(fieldName, z.unknown())
        .refine(upTo(entriesMax), tooMany)
        .refine((value) => JSON.stringify(value).length <= fieldTextMax, `at most ${fieldTextMax} characters of JSON`)
        .default({}),
      remove: z.array(fieldName).max(entriesMax).default([]),
    })
    .default({ set: {}, remove: [] }),
  flags: upstreamFlags.prefault({}),
}));
export type UpstreamSettings = z.output<typeof upstreamSettings>;
/** Settings as they are sent: what is missing has its default. */
export type UpstreamSettingsInput = z.input<typeof upstreamSettings>;

/** The settings of an upstream that speaks the OpenAI API at one address. */
export function openaiUpstream(address: string): UpstreamSettings {
  const entry = { base_url: address, auth: "bearer" } as const;
  return {
    preset: null,
    dialects: { chat: entry, responses: entry },
    query: {},
    headers: { set: {}, remove: [] },
    body: { set: {}, remove: [] },
    flags: upstreamFlags.parse({}),
  };
}
