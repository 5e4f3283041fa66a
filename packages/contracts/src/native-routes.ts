import { accountRoutes } from "./account-routes.ts";
import type { ErrorCode } from "./errors.ts";
import type { JsonSchema, NativeRoute } from "./native-route.ts";
import { countedBytesMax, type FieldForm, type Operation, operationEntries } from "./operations.ts";

/*
 * The routes outside the endpoint kit, in one table, from which the API description and the reference of the docs follow. Requests and responses under /v1 and /msgcompat are those of the
 * APIs that they implement: described here is what this program itself reads, and the rest passes through.
 */

const json = "application/json";
const eventStream = "text/event-stream";
const object: JsonSchema = { type: "object" };
const bytes: JsonSchema = { type: "string", contentMediaType: "application/octet-stream" };

/** What every route that takes an API key can respond with. */
export const callErrors: readonly ErrorCode[] = [
  ...([
    "missing_api_key",
    "invalid_api_key",
    "ambiguous_credentials",
    "account_disabled",
    "key_locked",
    "group_unavailable",
    "ip_not_allowed",
  ] as const),
  ...([
    "insufficient_quota",
    "spend_limit_reached",
    "rate_limit_exceeded",
    "method_not_allowed",
    "malformed_request",
    "not_found",
  ] as const),
  ...(["loop_detected", "client_closed_request", "temporarily_unavailable", "storage_unavailable"] as const),
  ...(["shutting_down", "internal_error"] as const),
];
const upstreamErrors: readonly ErrorCode[] = [
  ...([
    "model_not_found",
    "model_ended",
    "no_upstream",
    "upstream_rate_limited",
    "upstream_error",
    "upstream_unreachable",
  ] as const),
  ...(["upstream_timeout", "upstream_rejected", "stream_interrupted"] as const),
];
const bodyErrors: readonly ErrorCode[] = [
  ...(["invalid_json", "unsupported_media_type", "unsupported_encoding", "request_too_large"] as const),
  ...(["request_timeout", "missing_field", "invalid_value", "invalid_type", "unknown_field"] as const),
  ...(["unpriced_option", "provider_object"] as const),
];

const limits = [
  "Body: BODY_BYTES_MAX, 32 MiB unless the operator changes it; JSON at most 64 levels deep.",
  "Calls per minute, tokens per minute, concurrent calls and spending limit: as set on the API key.",
];
const ofKey = ["Calls per minute and concurrent calls: as set on the API key."];

/** The provider refused the request: the response has its words and its status. */
const refusedByProvider = {
  status: "default",
  type: json,
  summary: "The provider's response.",
  schema: { $ref: "#/components/schemas/OpenaiError" },
} as const;
const refusedInMessages = { ...refusedByProvider, schema: { $ref: "#/components/schemas/MessagesError" } } as const;
const refusedByCohere = { ...refusedByProvider, schema: { $ref: "#/components/schemas/CohereError" } } as const;

const text: JsonSchema = { type: "string" };
const count: JsonSchema = { type: "integer", minimum: 1 };
const flag: JsonSchema = { type: "boolean" };
const model: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 256,
  description: "A name listed by `/v1/models`.",
};

/** A body with some fields checked; all others pass through. */
function bodyWith(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return { type: "object", properties: { model, ...properties }, required };
}

const messages: JsonSchema = { type: "array", minItems: 1, items: object };

const fieldForms: Readonly<Record<FieldForm, JsonSchema>> = {
  text,
  flag,
  count,
  file: bytes,
  list: { type: "array" },
  text_or_list: { anyOf: [text, { type: "array" }] },
  messages,
};

const bodyTypes: Readonly<Record<Operation["body"], string>> = { json, multipart: "multipart/form-data" };

function fromOperation({ path, body, fields, defaultModel, summary, errors, otherResponse }: Operation): NativeRoute {
  const properties = Object.entries(fields).map(([name, form]) => [name, fieldForms[form]]);
  const required = defaultModel === undefined ? ["model"] : [];
  return {
    method: "POST",
    path,
    group: errors ?? "openai",
    summary,
    access: "api_key",
    body: { type: bodyTypes[body], schema: bodyWith(Object.fromEntries(properties), required) },
    answers: [
      { status: 200, type: json, summary, schema: object },
      ...(otherResponse === undefined
        ? []
        : [{ status: 200, type: otherResponse, summary: "In the format that the request asks for.", schema: text }]),
      errors === "messages" ? refusedInMessages : errors === "cohere" ? refusedByCohere : refusedByProvider,
    ],
    dialect: errors ?? "openai",
    errors: [...callErrors, ...bodyErrors, ...upstreamErrors],
    limits,
  };
}

const modelObject: JsonSchema = {
  type: "object",
  properties: {
    id: text,
    object: { const: "model" },
    created: { type: "integer" },
    owned_by: text,
    shutdown_date: { type: ["string", "null"] },
  },
  required: ["id", "object", "created", "owned_by"],
};

const openaiLists: readonly NativeRoute[] = [
  {
    method: "GET",
    path: "/v1/models",
    group: "openai",
    summary: "List the models your API key can use",
    access: "api_key",
    answers: [
      {
        status: 200,
        type: json,
        summary: "The models.",
        schema: {
          type: "object",
          properties: { object: { const: "list" }, data: { type: "array", items: modelObject } },
          required: ["object", "data"],
        },
      },
    ],
    dialect: "openai",
    errors: callErrors,
    limits: ofKey,
  },
  {
    method: "GET",
    path: "/v1/models/{model}",
    group: "openai",
    summary: "Get one of these models",
    access: "api_key",
    answers: [{ status: 200, type: json, summary: "The model.", schema: modelObject }],
    dialect: "openai",
    errors: [...callErrors, "model_not_found"],
    limits: ofKey,
  },
  {
    method: "GET",
    path: "/v1/realtime",
    group: "openai",
    summary: "Open a WebSocket of the Realtime API; you are charged per response",
    access: "api_key",
    answers: [{ status: 101, type: null, summary: "The connection is now a WebSocket." }, refusedByProvider],
    dialect: "openai",
    errors: [...callErrors, ...upstreamErrors, "upgrade_required", "missing_field", "invalid_value"],
    limits: [
      ...ofKey,
      "Each response counts as a request of the key.",
      "A session ends after REALTIME_TOTAL_TIMEOUT_MS, an hour unless the operator changes it.",
    ],
  },
  ...(["GET", "POST", "DELETE"] as const).map(
    (method): NativeRoute => ({
      method,
      path: "/v1/{path}",
      group: "openai",
      summary:
        "Files, uploads, vector stores and stored responses, if a channel of the key's group passes the path through",
      access: "api_key",
      answers: [{ status: 200, type: "*/*", summary: "The provider's response, unchanged." }, refusedByProvider],
      dialect: "openai",
      errors: [...callErrors, ...bodyErrors, ...upstreamErrors],
      limits,
    }),
  ),
];

const messagesModel: JsonSchema = {
  type: "object",
  properties: { type: { const: "model" }, id: text, display_name: text, created_at: text },
  required: ["type", "id", "display_name", "created_at"],
};

const messagesBody = bodyWith({ messages, max_tokens: { type: "integer", minimum: 0 }, stream: flag }, [
  "model",
  "messages",
]);

const ofCounts = [
  `Body: ${countedBytesMax / 1024 / 1024} MiB. One at a time per API key, with up to eight more queued.`,
];

type MessagesRoute = Pick<NativeRoute, "method" | "path" | "summary" | "answers" | "body"> &
  Partial<Pick<NativeRoute, "limits">>;

function messagesRoute(route: MessagesRoute): NativeRoute {
  const errors = route.body === undefined ? [] : [...bodyErrors, ...upstreamErrors];
  return {
    ...route,
    group: "messages",
    access: "api_key",
    dialect: "messages",
    errors: [...callErrors, "model_not_found", "model_ended", "invalid_value", ...errors],
    limits: route.limits ?? (route.body === undefined ? ofKey : limits),
  };
}

const messagesRoutes: readonly NativeRoute[] = [
  {
    method: "HEAD",
    path: "/msgcompat",
    group: "messages",
    summary: "Check that the service is reachable",
    access: "public",
    answers: [{ status: 200, type: null, summary: "The service is reachable." }],
    dialect: "messages",
    errors: ["method_not_allowed"],
    limits: [],
  },
  messagesRoute({
    method: "POST",
    path: "/msgcompat/v1/messages",
    summary: "Create a message (Messages API), whole or streamed",
    body: { type: json, schema: messagesBody },
    answers: [
      { status: 200, type: json, summary: "A message.", schema: object },
      { status: 200, type: eventStream, summary: "The message as events.", schema: text },
    ],
  }),
  messagesRoute({
    method: "POST",
    path: "/msgcompat/v1/messages/count_tokens",
    summary: "Estimate how many tokens a request has, without calling a provider",
    limits: ofCounts,
    body: { type: json, schema: bodyWith({ messages }, ["model", "messages"]) },
    answers: [
      {
        status: 200,
        type: json,
        summary: "The estimate.",
        schema: { type: "object", properties: { input_tokens: { type: "integer" } }, required: ["input_tokens"] },
      },
    ],
  }),
  messagesRoute({
    method: "GET",
    path: "/msgcompat/v1/models",
    summary: "List the model names that the API key can use here",
    answers: [
      {
        status: 200,
        type: json,
        summary: "A page of models.",
        schema: {
          type: "object",
          properties: { data: { type: "array", items: messagesModel }, has_more: flag },
          required: ["data", "has_more"],
        },
      },
    ],
  }),
  messagesRoute({
    method: "GET",
    path: "/msgcompat/v1/models/{model}",
    summary: "Get one of these models",
    answers: [{ status: 200, type: json, summary: "The model.", schema: messagesModel }],
  }),
];

function plain(path: string, route: Pick<NativeRoute, "summary" | "answers"> & Partial<NativeRoute>): NativeRoute {
  const rest = { dialect: "backend", errors: ["malformed_request", "internal_error"], limits: [] } as const;
  return { method: "GET", path, group: "operations", access: "public", ...rest, ...route };
}

const health = { type: "object", properties: { ok: flag, reasons: { type: "array", items: text } }, required: ["ok"] };

const life = {
  type: "object",
  properties: { ok: flag, version: text, commit: { type: ["string", "null"] } },
  required: ["ok", "version", "commit"],
};

const peerStatus: JsonSchema = {
  type: "object",
  properties: { success: flag, message: text, data: object },
  required: ["success", "message", "data"],
};

const operationsRoutes: readonly NativeRoute[] = [
  plain("/healthz", {
    summary: "Check that the process is alive",
    answers: [{ status: 200, type: json, summary: "The process is alive, and what it was built from.", schema: life }],
  }),
  plain("/readyz", {
    summary: "Check that this instance can take new calls",
    answers: [
      { status: 200, type: json, summary: "The instance can take new calls.", schema: health },
      { status: 503, type: json, summary: "The instance cannot take new calls, with the reason.", schema: health },
    ],
  }),
  plain("/api/status", {
    summary: "Get the name, the version and the worth of a unit of quota, in the form of one-api and new-api",
    answers: [{ status: 200, type: json, summary: "What this service is.", schema: peerStatus }],
  }),
  plain("/metrics", {
    summary: "Metrics for Prometheus; 404 unless the caller may read them",
    access: "metrics_token",
    answers: [{ status: 200, type: "text/plain", summary: "The metrics.", schema: text }],
    errors: ["not_found", "malformed_request", "internal_error"],
  }),
];

/** Every route of the program outside the endpoint kit. The web pages are not part of the API. */
export const nativeRoutes: readonly NativeRoute[] = [
  ...operationEntries.map(([, operation]) => fromOperation(operation)),
  ...openaiLists,
  ...accountRoutes(callErrors),
  ...messagesRoutes,
  ...operationsRoutes,
];
