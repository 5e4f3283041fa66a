import type { ChatCompletionRequest } from "../chat-completions.ts";
import { invalidRequest } from "../errors/messages-error.ts";
import { isGiven, isJsonObject, type JsonObject } from "../json.ts";
import { listOf } from "./check-fields.ts";
import type { RequestContext } from "./context.ts";

const userIdLengthMax = 64;

/**
 * `temperature`, `top_p`, `top_k`. Zero is a value. @throws MessagesError for a value that is not a number or out of
 * range
 */
export function convertSampling(
  body: JsonObject,
  context: RequestContext,
): Pick<ChatCompletionRequest, "temperature" | "top_p" | "top_k"> {
  const { flags, dropped } = context;
  const temperature = optionalNumber(body, "temperature");
  if (temperature !== null && (temperature < 0 || temperature > 1)) {
    const problem = temperature < 0 ? "greater than or equal to 0" : "less than or equal to 1";
    throw invalidRequest("temperature", `Input should be ${problem}`);
  }
  const wanted = { temperature, top_p: optionalNumber(body, "top_p"), top_k: optionalNumber(body, "top_k") };
  const sent: { temperature?: number; top_p?: number; top_k?: number } = {};
  for (const field of ["temperature", "top_p", "top_k"] as const) {
    const value = wanted[field];
    if (value === null) {
      continue;
    }
    if (flags.sampling && (field !== "top_k" || flags.top_k === "send")) {
      sent[field] = value;
    } else {
      dropped.add(field);
    }
  }
  return sent;
}

/** The stop sequences as a list, even a single one. @throws MessagesError for more than the model supports */
export function convertStopSequences(body: JsonObject, context: RequestContext): readonly string[] {
  const sequences = listOf(body, "stop_sequences");
  const texts = sequences.map((sequence, index) => {
    if (typeof sequence !== "string") {
      throw invalidRequest(`stop_sequences.${index}`, "Input should be a valid string");
    }
    return sequence;
  });
  const limit = context.flags.stop_limit;
  if (limit === 0 && texts.length > 0) {
    context.dropped.add("stop_sequences");
    return [];
  }
  if (limit !== null && texts.length > limit) {
    throw invalidRequest("stop_sequences", `this model takes at most ${limit}`);
  }
  return texts;
}

/** The user id, if the model has a field for it. An id that is too long for the field is replaced by a digest. */
export function convertUserId(
  body: JsonObject,
  sha256Hex: (text: string) => string,
  context: RequestContext,
): Pick<ChatCompletionRequest, "user" | "safety_identifier"> {
  const { metadata } = body;
  const userId = isJsonObject(metadata) ? metadata["user_id"] : null;
  if (!isGiven(userId)) {
    return {};
  }
  if (typeof userId !== "string") {
    throw invalidRequest("metadata.user_id", "Input should be a valid string");
  }
  const field = context.flags.user_field;
  if (field === "drop") {
    context.dropped.add("metadata.user_id");
    return {};
  }
  return { [field]: userId.length <= userIdLengthMax ? userId : sha256Hex(userId) };
}

const serviceTiers: ReadonlyMap<unknown, "auto" | "default"> = new Map([
  ["auto", "auto"],
  ["standard_only", "default"],
]);

/** The service tier, if the model supports it. "auto" is the Messages API's default anyway. */
export function convertServiceTier(
  body: JsonObject,
  context: RequestContext,
): Pick<ChatCompletionRequest, "service_tier"> {
  const { service_tier: wanted } = body;
  const tier = serviceTiers.get(wanted);
  if (context.flags.service_tier && tier !== undefined) {
    return { service_tier: tier };
  }
  if (isGiven(wanted) && wanted !== "auto") {
    context.dropped.add("service_tier");
  }
  return {};
}

function optionalNumber(body: JsonObject, field: string): number | null {
  const value = body[field];
  if (value === undefined || value === null) {
    return null;
  }
  if (typeof value !== "number") {
    throw invalidRequest(field, "Input should be a valid number");
  }
  return value;
}
