import { badUpstreamResponse, MessagesError } from "@sluice/messages-conversion/errors/messages-error";
import { isJsonObject } from "@sluice/messages-conversion/json";
import {
  findMessagesModel,
  type ListedModel,
  toMessagesModelPage,
} from "@sluice/messages-conversion/models/to-messages-models";
import { unknownModel } from "@sluice/messages-conversion/request/from-messages-request";
import type { GatewayResponse } from "../gateway/model.ts";
import { OneAtATime } from "../platform/one-at-a-time.ts";
import type { TranslatedCall } from "../relay/model.ts";
import { Conversion, checkBodyHeaders } from "./conversion.ts";
import { gatewayHeaders } from "./credentials.ts";
import { errorAnswer, fromGatewayError, toClientError } from "./errors.ts";
import type { ModelMap } from "./model-map.ts";
import { readNativeRequest } from "./native-request.ts";
import { clientRequestId, type IdentifiedResponse, type Incoming, type RouteDeps } from "./route-deps.ts";

/** The value of the response, and what else is known about the call. */
type Made = { readonly value: unknown; readonly model?: string | null; readonly headers?: Record<string, string> };
type Make = (call: TranslatedCall, upstreamModels: ReadonlySet<string>) => Made | Promise<Made>;

/** The size limit for bodies whose tokens are counted; a larger body is not plain text. */
const freeBodyBytesMax = 4 * 1024 * 1024;
const counts = new OneAtATime<unknown>();
const nativePath = "/v1/messages/count_tokens";
const noFacts = { requestedModel: "", upstreamModel: "", maxTokens: null };

/** `GET /msgcompat/v1/models`. */
export function answerModelList(deps: RouteDeps, incoming: Incoming): Promise<IdentifiedResponse> {
  return answerFree(deps, incoming, (_call, upstreamModels) => {
    const query = new URLSearchParams(incoming.target.split("?")[1] ?? "");
    const page = { limit: query.get("limit"), afterId: query.get("after_id"), beforeId: query.get("before_id") };
    return { value: toMessagesModelPage(listed(deps.models, upstreamModels), page) };
  });
}

/** `GET /msgcompat/v1/models/{id}`. @param encodedName the name as written in the path */
export function answerModel(deps: RouteDeps, incoming: Incoming, encodedName: string): Promise<IdentifiedResponse> {
  return answerFree(deps, incoming, (_call, upstreamModels) => {
    const name = decodeName(encodedName);
    return { value: findMessagesModel(listed(deps.models, upstreamModels), name), model: name };
  });
}

/**
 * `POST /msgcompat/v1/messages/count_tokens`: the provider's count if a channel serves the model in this API, or an
 * estimate of what would be sent upstream. It is free, so it is limited in size, and to one at a time for each key.
 */
export function answerTokenCount(deps: RouteDeps, incoming: Incoming): Promise<IdentifiedResponse> {
  const conversion = new Conversion(deps, incoming.request.headers);
  const count: Make = async (call, upstreamModels) => {
    const bytes = await call.readBody();
    const native = readNativeRequest(bytes, deps.models);
    if (native !== null) {
      checkBodyHeaders(incoming.request.headers);
      return { value: countOf(await call.ask(nativePath, native.body)), model: native.model };
    }
    const { facts, inputTokens } = await conversion.convert(bytes, true);
    if (!upstreamModels.has(facts.upstreamModel)) {
      throw unknownModel(conversion.model ?? "");
    }
    return { value: { input_tokens: inputTokens }, model: conversion.model, headers: conversion.headers };
  };
  return answerFree(deps, incoming, (call, upstreamModels) =>
    counts.run(call.caller(), () => Promise.resolve(count(call, upstreamModels))),
  );
}

/**
 * Answers a call that needs no provider. The gateway is asked which models the key may use: that validates the key, and
 * records the call.
 */
async function answerFree(deps: RouteDeps, incoming: Incoming, make: Make): Promise<IdentifiedResponse> {
  const { request, target, clientIp } = incoming;
  incoming.onBegin();
  const call = deps.relay.translate(request, target, clientIp, {
    method: "GET",
    path: "/v1/models",
    headers: gatewayHeaders(request.headers),
    toBody: (bytes) => bytes,
    bodyBytesMax: freeBodyBytesMax,
  });
  const { requestId } = call;
  let model: string | null = null;
  let answer: { readonly status: number; readonly headers: Record<string, string>; readonly body: Uint8Array };
  try {
    const made = await make(call, upstreamModelsOf(await call.answer));
    model = made.model ?? null;
    const headers = { ...made.headers, "content-type": "application/json" };
    answer = { status: 200, headers, body: Buffer.from(JSON.stringify(made.value)) };
  } catch (thrown) {
    const error = toClientError(thrown);
    if (error.status === 500) {
      deps.log.error("messages.failed", { requestId, error: thrown });
    }
    answer = errorAnswer(error, clientRequestId(requestId));
  }
  const { status, body } = answer;
  call.respond({ httpStatus: status, pieces: [body], bytes: body.byteLength, model });
  incoming.onOver(body.byteLength);
  return { ...answer, requestId };
}

/** @throws MessagesError in the words of the gateway, which answers in this API */
function countOf({ status, body }: GatewayResponse): unknown {
  const value: unknown = body instanceof Uint8Array ? JSON.parse(Buffer.from(body).toString()) : null;
  if (status < 400) {
    return value;
  }
  const error = isJsonObject(value) && isJsonObject(value["error"]) ? value["error"] : {};
  throw new MessagesError(status, error["type"] as MessagesError["type"], String(error["message"]));
}

/** @throws MessagesError when the gateway refused */
function upstreamModelsOf(answer: GatewayResponse): ReadonlySet<string> {
  if (answer.status >= 400) {
    throw fromGatewayError(answer, noFacts);
  }
  const { body } = answer;
  const list: unknown = body instanceof Uint8Array ? JSON.parse(Buffer.from(body).toString()) : null;
  if (!isJsonObject(list) || !Array.isArray(list["data"])) {
    throw badUpstreamResponse("The gateway did not list its models.");
  }
  return new Set(list["data"].map((entry: unknown) => (isJsonObject(entry) ? String(entry["id"]) : "")));
}

function listed(models: ModelMap, upstreamModels: ReadonlySet<string>): ListedModel[] {
  return models.list(upstreamModels).map(({ name, displayName, releasedAt, flags }) => ({
    name,
    displayName,
    createdAt: releasedAt,
    outputTokensMax: flags.max_output,
  }));
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new MessagesError(404, "not_found_error", `model: ${text}`);
  }
}
