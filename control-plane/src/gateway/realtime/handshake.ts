import { AppError } from "../../platform/errors.ts";
import type { CallHeaders, GatewayCall } from "../model.ts";

/** The content of a session's opening request, apart from who sends it. */
export type Handshake = {
  readonly model: string;
  /** The subprotocol for the response, or null when the client offered none. */
  readonly subprotocol: "realtime" | null;
  /** The client asked for the older form of the events, which a browser can only do by a subprotocol. */
  readonly isBeta: boolean;
};

const path = "/v1/realtime";
const modelNameLengthMax = 256;
const subprotocol = "realtime";
const keyPrefix = "openai-insecure-api-key.";
const betaMark = "openai-beta.realtime-v1";

/**
 * Checks the request that opens a session: it must be a websocket handshake and name a model.
 * @throws AppError `not_found`, `method_not_allowed`, `upgrade_required`, `missing_field`, `invalid_value`,
 * `model_not_found`
 */
export function readHandshake(call: Pick<GatewayCall, "method" | "path" | "headers" | "query">): Handshake {
  // The server matches routes case-insensitively; to a provider another spelling may mean something else.
  if (call.path !== path) {
    throw new AppError("not_found");
  }
  if (call.method !== "GET") {
    throw new AppError("method_not_allowed", { allowedMethods: "GET" });
  }
  if (!isHandshake(call.headers)) {
    throw new AppError("upgrade_required");
  }
  const offered = readOffered(call.headers);
  if (offered.length > 0 && !offered.includes(subprotocol)) {
    throw new AppError("invalid_value", { message: "Offer the subprotocol 'realtime', or none." });
  }
  return {
    model: readModel(new URLSearchParams(call.query)),
    subprotocol: offered.length > 0 ? subprotocol : null,
    isBeta: offered.includes(betaMark),
  };
}

/**
 * The headers with the API key, as in any other call. A browser can't set headers on a websocket, so it offers the key
 * as a subprotocol.
 * @throws AppError `ambiguous_credentials` when several different keys were sent
 */
export function readCredentials(headers: CallHeaders): CallHeaders {
  const keys = new Set(
    readOffered(headers).flatMap((one) => (one.startsWith(keyPrefix) ? [one.slice(keyPrefix.length)] : [])),
  );
  if (keys.size === 0) {
    return headers;
  }
  const [key = ""] = keys;
  const credentials = new Headers({ authorization: `Bearer ${key}` });
  const isRepeated = [headers.get("authorization"), headers.get("x-api-key")].every(
    (sent) => sent === null || sent.replace(/^Bearer +/i, "").trim() === key,
  );
  if (keys.size > 1 || !isRepeated) {
    throw new AppError("ambiguous_credentials");
  }
  return credentials;
}

function isHandshake(headers: CallHeaders): boolean {
  return (
    headers.get("upgrade")?.toLowerCase() === "websocket" &&
    headers.get("sec-websocket-version") === "13" &&
    headers.get("sec-websocket-key") !== null
  );
}

function readOffered(headers: CallHeaders): string[] {
  const text = headers.get("sec-websocket-protocol") ?? "";
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/**
 * The model must be in the query, because it decides where the session goes and what it costs. Requests without a model
 * (joining a call by its id, sessions that only transcribe) are refused.
 */
function readModel(query: URLSearchParams): string {
  if (query.has("call_id")) {
    throw new AppError("invalid_value", { message: "Joining a call by its ID is not supported.", param: "call_id" });
  }
  if (query.has("intent")) {
    throw new AppError("invalid_value", { message: "Only sessions with a model are supported.", param: "intent" });
  }
  const [model = "", ...others] = query.getAll("model");
  if (model === "" || others.length > 0) {
    throw new AppError("missing_field", { message: "Name one model in the query: '?model=...'.", param: "model" });
  }
  if (model.length > modelNameLengthMax) {
    throw new AppError("model_not_found", { param: "model" });
  }
  return model;
}
