import { type Dialect, dialectRoots, type UpstreamFlags } from "@sluice/contracts/upstreams";
import { messagesModelFlags } from "@sluice/dialect-conversion/chat-to-messages/claude-models";
import {
  type AnswerConverter,
  ConversionError,
  type ConversionFlags,
  type ConvertRequest,
} from "@sluice/dialect-conversion/model";
import type { Ability, Channel, Endpoint } from "../channels/model.ts";
import type { AdmittedCall, FailedAttempt, ParsedRequest } from "../model.ts";
import { geminiPathOf, readGeminiPath } from "../operations/gemini-path.ts";
import type { Operation } from "../operations/model.ts";
import { findOperation } from "../operations/table.ts";
import type { UsageDialect } from "../usage-count/usage-readers.ts";
import { type BoundedRequest, convertWithinBounds } from "./bounded-conversion.ts";
import { routeTo } from "./conversions.ts";
import { jsonContentType } from "./edit-body.ts";
import { withGeminiModel } from "./gemini-models.ts";
import { withModelName } from "./model-name.ts";
import type { ModelNames } from "./response-model.ts";

/** What a channel is sent, and how its response is read. */
export type RequestPlan = {
  readonly endpoint: Endpoint;
  /** What follows the base path of the address. */
  readonly path: string;
  /** The query of the API itself; null for the allowed part of the client's. */
  readonly query: string | null;
  /** The operation of the channel, in whose form it responds. */
  readonly operation: Operation;
  readonly usageDialect: UsageDialect;
  readonly request: ParsedRequest;
  /** Converts the response for the client; null if both speak the same dialect. */
  readonly answers: AnswerConverter | null;
  /** The model is named differently in the response; null if it stays as it is. */
  readonly names: ModelNames | null;
  /** What was removed from the request, as reported to the client, or null. */
  readonly dropped: string | null;
};

/** The paths of the operations that can be converted into each other. */
const convertedPaths: Readonly<Record<Exclude<Dialect, "gemini" | "cohere">, string>> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
};

/**
 * The request for one channel. A request that can't be converted for it fails there without an attempt: another
 * channel may speak the client's dialect.
 */
export function planRequest(state: AdmittedCall, operation: Operation, ability: Ability): RequestPlan | FailedAttempt {
  const { channel, upstreamModel } = ability;
  const { request } = state;
  const own = channel.endpoints.get(operation.dialect);
  if (own !== undefined) {
    const target = targetOf(state, operation.dialect, upstreamModel);
    return {
      endpoint: own,
      path: target.path,
      query: target.query,
      operation,
      usageDialect: usageDialectOf(channel, operation.dialect),
      request: target.request,
      answers: null,
      names: namesOf(state, operation, ability),
      dropped: request.dropped,
    };
  }
  const route = routeTo(channel, operation);
  const endpoint = route === null ? undefined : channel.endpoints.get(route.dialect);
  if (route === null || route.convert === null || endpoint === undefined) {
    throw new Error(`channel ${channel.name} can't serve ${operation.dialect}`);
  }
  const { dialect, convert } = route;
  const bounded = tryConvert(convert, state, ability);
  if (bounded instanceof ConversionError) {
    return refusalOf(bounded);
  }
  const { converted } = bounded;
  const upstreamPath = convertedPaths[dialect as keyof typeof convertedPaths];
  const upstreamOperation = findOperation(upstreamPath);
  return {
    endpoint,
    path: upstreamPath.slice(dialectRoots[dialect].length),
    query: null,
    operation: upstreamOperation,
    usageDialect: usageDialectOf(channel, dialect),
    request: toRequest(request, bounded, upstreamOperation),
    answers: converted.answers,
    names: null,
    dropped: [request.dropped, ...converted.dropped].filter((name) => name !== null).join(", ") || null,
  };
}

function usageDialectOf({ flags }: Channel, dialect: Dialect): UsageDialect {
  return dialect === "chat" && flags.thoughts_in_total ? "chat_by_total" : dialect;
}

/** The Gemini API has the model in the path too, and its streams as events only if asked. */
function targetOf(
  { call, request, model }: AdmittedCall,
  dialect: Dialect,
  upstreamModel: string | null,
): Pick<RequestPlan, "path" | "query" | "request"> {
  const gemini = dialect === "gemini" ? readGeminiPath(call.path) : null;
  if (gemini === null) {
    const path = call.path.slice(dialectRoots[dialect].length);
    return { path, query: null, request: withModelName(request, upstreamModel) };
  }
  const name = upstreamModel ?? model.name;
  return {
    path: geminiPathOf(gemini, name),
    query: request.isStream ? "?alt=sse" : "",
    request: withGeminiModel(request, gemini, name === gemini.model ? null : name),
  };
}

function tryConvert(
  convert: ConvertRequest,
  state: AdmittedCall,
  { channel, upstreamModel }: Ability,
): BoundedRequest | ConversionError {
  const { request, model } = state;
  const { body, plainBody } = request;
  const upstreamName = upstreamModel ?? model.name;
  try {
    return convertWithinBounds(convert, plainBody ?? body, {
      upstreamModel: upstreamName,
      clientModel: clientModelOf(state),
      outputTokensMax: model.outputTokensMax,
      flags: toConversionFlags(channel.flags, upstreamName),
      makeId: () => crypto.randomUUID().replaceAll("-", "").slice(0, 24),
      nowSeconds: Math.floor(Date.now() / 1000),
    });
  } catch (error) {
    if (error instanceof ConversionError) {
      return error;
    }
    throw error;
  }
}

/** What the channel says, and what follows from the name of the model. */
function toConversionFlags(flags: UpstreamFlags, upstreamModel: string): ConversionFlags {
  return {
    ...messagesModelFlags(upstreamModel),
    tokenParam: flags.token_param,
    developerRole: flags.developer_role,
    reasoningBack: flags.reasoning_back,
    thinkTags: flags.think_tags,
    cacheKey: flags.cache_key,
    verbosity: flags.verbosity,
    automaticCaching: flags.automatic_caching,
  };
}

/** The converted request; its usage is always requested, because only the provider's own count is exact. */
function toRequest(
  request: ParsedRequest,
  { converted: { body: fields }, body: plain }: BoundedRequest,
  { takesUsageOption }: Pick<Operation, "takesUsageOption">,
): ParsedRequest {
  const asks = request.isStream && takesUsageOption;
  return {
    ...request,
    body: asks ? Buffer.from(JSON.stringify({ ...fields, stream_options: { include_usage: true } })) : plain,
    plainBody: asks ? plain : null,
    modelPlace: null,
    contentType: jsonContentType,
  };
}

function refusalOf({ message, param }: ConversionError): FailedAttempt {
  return {
    failure: {
      ...{ code: "invalid_value", status: null, retry: "free", blame: "unasked", needsCooldown: false },
      ...{ retryAfterSeconds: null, retryAfterMs: null, result: "not_convertible" },
      ...{ isRequestFault: true, isLasting: true },
    },
    upstreamError: { message, type: "invalid_request_error", param, code: "invalid_value" },
    note: null,
  };
}

/** The name that a response repeats: the client's own, unless another model answers. */
function clientModelOf({ call, request, model, askedModel }: AdmittedCall): string {
  const named = askedModel === null ? call.traits?.().clientModel : undefined;
  return named ?? request.model ?? model.name;
}

/**
 * Agents of the Messages API drop the thinking of what another model than theirs seems to have written, so they have to
 * find the name that they use.
 */
function namesOf(state: AdmittedCall, { dialect }: Operation, { upstreamModel }: Ability): ModelNames | null {
  if (dialect !== "messages") {
    return null;
  }
  const names = { sent: upstreamModel ?? state.model.name, asked: clientModelOf(state) };
  return names.sent === names.asked ? null : names;
}
