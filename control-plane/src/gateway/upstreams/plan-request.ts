import { type Dialect, dialectRoots, type UpstreamFlags } from "@sluice/contracts/upstreams";
import { messagesModelFlags } from "@sluice/dialect-conversion/chat-to-messages/claude-models";
import type { ConversionFlags, JsonObject } from "@sluice/dialect-conversion/model";
import { viewOf } from "@sluice/http-client/packet-part";
import type { Ability, Channel, Endpoint } from "../channels/model.ts";
import { strictHeader } from "../dropped-headers.ts";
import type { AdmittedCall, FailedAttempt, ParsedRequest } from "../model.ts";
import { geminiPathOf, readGeminiPath } from "../operations/gemini-path.ts";
import type { Operation } from "../operations/model.ts";
import { findOperation } from "../operations/table.ts";
import type { UsageDialect } from "../usage-count/usage-readers.ts";
import { clientModelOf, traitsOf } from "./answer-names.ts";
import type { AsideConversions } from "./aside-conversions.ts";
import {
  type AnswerWay,
  type ConversionOrder,
  type ConversionRefusal,
  type ConvertedOrder,
  convertOrder,
} from "./conversion-order.ts";
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
  /** How the response is converted for the client; null if both speak the same dialect. */
  readonly answers: AnswerWay | null;
  /** The model is named differently in the response; null if it stays as it is. */
  readonly names: ModelNames | null;
  /** What was removed from the request, as reported to the client, or null. */
  readonly dropped: string | null;
  /** The whole response of a request that asks the channel for nothing; null for all others. */
  readonly ready: JsonObject | null;
};

/** The paths of the operations that can be converted into each other. */
const convertedPaths: Readonly<Record<Exclude<Dialect, "gemini" | "cohere">, string>> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
};

/** A body from this size on is converted on another thread, so that no other call has to wait. */
export const convertedAsideBytesMin = 256 * 1024;

type PlanDeps = { readonly aside: Pick<AsideConversions, "convert"> };

/**
 * The request for one channel. A request that can't be converted for it fails there without an attempt: another
 * channel may speak the client's dialect.
 * @throws AppError `temporarily_unavailable` when too many wait for a conversion, `client_closed_request`
 */
export function planRequest(
  deps: PlanDeps,
  state: AdmittedCall,
  operation: Operation,
  ability: Ability,
): RequestPlan | FailedAttempt | Promise<RequestPlan | FailedAttempt> {
  const { channel, upstreamModel } = ability;
  const { request } = state;
  const own = channel.endpoints.get(operation.dialect);
  if (own !== undefined) {
    const target = operation.dialect === "gemini" ? geminiTargetOf(state, upstreamModel) : null;
    return {
      endpoint: own,
      path: target?.path ?? pathBelow(state.call.path, operation),
      query: target?.query ?? null,
      operation,
      usageDialect: usageDialectOf(channel, operation.dialect),
      request: target?.request ?? withModelName(request, upstreamModel),
      answers: null,
      names: namesOf(state, operation, ability),
      dropped: request.dropped,
      ready: null,
    };
  }
  const route = routeTo(channel, operation);
  const endpoint = route === null ? undefined : channel.endpoints.get(route.dialect);
  if (route === null || !route.isConverted || endpoint === undefined) {
    throw new Error(`channel ${channel.name} can't serve ${operation.dialect}`);
  }
  const { dialect } = route;
  const way = { from: operation.dialect, to: dialect };
  const upstreamPath = convertedPaths[dialect as keyof typeof convertedPaths];
  const upstreamOperation = findOperation(upstreamPath);
  const plan = (converted: ConvertedOrder | ConversionRefusal): RequestPlan | FailedAttempt =>
    "refusal" in converted
      ? notConvertible(converted)
      : {
          endpoint,
          path: upstreamPath.slice(dialectRoots[dialect].length),
          query: null,
          operation: upstreamOperation,
          usageDialect: usageDialectOf(channel, dialect),
          request: toRequest(request, converted),
          answers: {
            ...way,
            facts: converted.facts,
            isThoughtInTotal: channel.flags.thoughts_in_total && dialect === "chat",
          },
          names: null,
          ready: converted.ready,
          dropped: [request.dropped, ...converted.dropped].filter((name) => name !== null).join(", ") || null,
        };
  const order = { ...way, ...orderOf(state, ability, upstreamOperation) };
  return order.bytes.byteLength < convertedAsideBytesMin
    ? plan(convertOrder(order))
    : deps.aside.convert(order, state.call.signal).then(plan);
}

function usageDialectOf({ flags }: Channel, dialect: Dialect): UsageDialect {
  return dialect === "chat" && flags.thoughts_in_total ? "chat_by_total" : dialect;
}

/** The last path of each operation: most have a single one. */
const knownPaths = new WeakMap<Operation, { readonly path: string; readonly below: string }>();

/** What follows the root of an API in a path. */
function pathBelow(path: string, operation: Operation): string {
  const known = knownPaths.get(operation);
  if (known?.path === path) {
    return known.below;
  }
  const below = path.slice(dialectRoots[operation.dialect].length);
  knownPaths.set(operation, { path, below });
  return below;
}

/** The Gemini API has the model in the path too, and its streams as events only if asked. */
function geminiTargetOf(
  { call, request, model }: AdmittedCall,
  upstreamModel: string | null,
): Pick<RequestPlan, "path" | "query" | "request"> | null {
  const gemini = readGeminiPath(call.path);
  if (gemini === null) {
    return null;
  }
  const name = upstreamModel ?? model.name;
  return {
    path: geminiPathOf(gemini, name),
    query: request.isStream ? "?alt=sse" : "",
    request: withGeminiModel(request, gemini, name === gemini.model ? null : name),
  };
}

/** Usage is always requested, because only the provider's own count is exact. */
function orderOf(
  state: AdmittedCall,
  { channel, upstreamModel }: Ability,
  { takesUsageOption }: Pick<Operation, "takesUsageOption">,
): Pick<ConversionOrder, "bytes" | "settings" | "asksUsage"> {
  const { call, request, model } = state;
  const upstreamName = upstreamModel ?? model.name;
  const modelFlags = traitsOf(state)?.modelFlags;
  return {
    bytes: viewOf(request.plainBody ?? request.body),
    settings: {
      upstreamModel: upstreamName,
      clientModel: clientModelOf(state),
      outputTokensMax: model.outputTokensMax,
      flags: toConversionFlags(channel.flags, upstreamName),
      ...(modelFlags === undefined ? {} : { modelFlags }),
      isStrict: call.headers.get(strictHeader) === "true",
      nowSeconds: Math.floor(Date.now() / 1000),
    },
    asksUsage: request.isStream && takesUsageOption && modelFlags?.include_usage !== false,
  };
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

function toRequest(request: ParsedRequest, { body, plainBody }: ConvertedOrder): ParsedRequest {
  return { ...request, body, plainBody, modelPlace: null, contentType: jsonContentType };
}

function notConvertible({ refusal: { message, param } }: ConversionRefusal): FailedAttempt {
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
