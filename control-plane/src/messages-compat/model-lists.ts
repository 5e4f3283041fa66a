import { badUpstreamResponse, MessagesError } from "@sluice/messages-conversion/errors/messages-error";
import { toMessagesError } from "@sluice/messages-conversion/errors/to-messages-error";
import { isJsonObject } from "@sluice/messages-conversion/json";
import {
  findMessagesModel,
  type ListedModel,
  toMessagesModelPage,
} from "@sluice/messages-conversion/models/to-messages-models";
import type { GatewayResponse } from "../gateway/model.ts";
import { helpHeader } from "../platform/help-link.ts";
import type { OwnAnswer } from "../relay/model.ts";
import type { ServedCall } from "../relay/served-call.ts";
import { gatewayHeaders } from "./credentials.ts";
import { clientRequestId, errorAnswer, toClientError } from "./errors.ts";
import type { ModelMap } from "./model-map.ts";
import type { IdentifiedResponse, RouteDeps } from "./route-deps.ts";

/** The value of the response, and the model that it is about. */
type Made = { readonly value: unknown; readonly model?: string };
type Make = (upstreamModels: ReadonlySet<string>) => Made;

const noFacts = { requestedModel: "", upstreamModel: "", maxTokens: null };

/** `GET /msgcompat/v1/models`. */
export function answerModelList(deps: RouteDeps, incoming: ServedCall): Promise<IdentifiedResponse> {
  return answerFree(deps, incoming, (upstreamModels) => {
    const query = new URLSearchParams(incoming.target.split("?")[1] ?? "");
    const page = { limit: query.get("limit"), afterId: query.get("after_id"), beforeId: query.get("before_id") };
    return { value: toMessagesModelPage(listed(deps.models, upstreamModels), page) };
  });
}

/** `GET /msgcompat/v1/models/{id}`. @param encodedName the name as written in the path */
export function answerModel(deps: RouteDeps, incoming: ServedCall, encodedName: string): Promise<IdentifiedResponse> {
  return answerFree(deps, incoming, (upstreamModels) => {
    const name = decodeName(encodedName);
    return { value: findMessagesModel(listed(deps.models, upstreamModels), name), model: name };
  });
}

/**
 * Answers a call that needs no provider. The gateway is asked which models the key may use: that validates the key, and
 * records the call.
 */
async function answerFree(deps: RouteDeps, incoming: ServedCall, make: Make): Promise<IdentifiedResponse> {
  incoming.onBegin();
  return await deps.relay.relayFrom(incoming, {
    method: "GET",
    path: "/v1/models",
    headers: gatewayHeaders(incoming.headers),
    toAnswer: (answer, requestId) => toOwnAnswer(deps, answer, { make, requestId }),
  });
}

type Question = { readonly make: Make; readonly requestId: string };

function toOwnAnswer(
  { log }: Pick<RouteDeps, "log">,
  answer: GatewayResponse,
  { make, requestId }: Question,
): OwnAnswer {
  try {
    const { value, model = null } = make(upstreamModelsOf(answer));
    const headers = { "content-type": "application/json" };
    return { status: 200, headers, body: Buffer.from(JSON.stringify(value)), model };
  } catch (thrown) {
    const error = toClientError(thrown);
    if (error.status === 500) {
      log.error("messages.failed", { requestId, error: thrown });
    }
    return { ...errorAnswer(error, clientRequestId(requestId)), model: null };
  }
}

/** @throws MessagesError when the gateway refused */
function upstreamModelsOf({ status, headers, body }: GatewayResponse): ReadonlySet<string> {
  const text = body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString() : "";
  if (status >= 400) {
    const error = toMessagesError({ status, headers, body: text, origin: "gateway" }, noFacts);
    const help = headers[helpHeader];
    throw help === undefined
      ? error
      : new MessagesError(error.status, error.type, error.message, { ...error.headers, [helpHeader]: help });
  }
  const list: unknown = JSON.parse(text);
  if (!isJsonObject(list) || !Array.isArray(list["data"])) {
    throw badUpstreamResponse("The list of models could not be read.");
  }
  return new Set(list["data"].map((entry: unknown) => (isJsonObject(entry) ? String(entry["id"]) : "")));
}

function listed(models: ModelMap, upstreamModels: ReadonlySet<string>): ListedModel[] {
  const { mapped, own } = models.list(upstreamModels);
  return [
    ...mapped.map(({ name, displayName, releasedAt, modelFlags }) => ({
      ...{ name, displayName },
      createdAt: releasedAt,
      outputTokensMax: modelFlags.max_output ?? null,
    })),
    ...own.map(({ name, displayName, createdAt, contextTokensMax, outputTokensMax }) => ({
      ...{ name, displayName, createdAt, outputTokensMax },
      inputTokensMax: contextTokensMax,
    })),
  ];
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new MessagesError(404, "not_found_error", `model: ${text}`);
  }
}
