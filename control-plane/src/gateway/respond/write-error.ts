import { errorDefinition } from "@sluice/contracts/errors";
import type { AppError } from "../../platform/errors.ts";
import { helpFor, helpHeader } from "../../platform/help-link.ts";
import { droppedHeaders } from "../dropped-headers.ts";
import type { CallState, GatewayResponse } from "../model.ts";
import { isGeminiCall } from "../operations/gemini-path.ts";
import { isMessagesPath } from "../operations/messages-path.ts";
import type { StreamForm } from "../operations/model.ts";
import { toCohereError } from "./write-error/cohere-error.ts";
import { toGeminiError } from "./write-error/gemini-error.ts";
import { messagesErrorOf, messagesIdHeader, messagesRequestId } from "./write-error/messages-error.ts";

/** An error in the format of the OpenAI API. */
type OpenaiError = { message: string; type: string; param: string | null; code: string };

/** The body of an error. */
export function toOpenaiError(error: AppError): { error: OpenaiError } {
  if (error.upstream !== null) {
    return { error: error.upstream };
  }
  const { openaiType } = errorDefinition(error.code);
  return { error: { message: error.message, type: openaiType, param: error.param, code: error.code } };
}

/** A call, as far as the form of its errors depends on it. */
type AnsweredState = {
  readonly call: Pick<CallState["call"], "path" | "headers" | "requestId" | "traits">;
} & Pick<CallState, "request"> &
  Partial<Pick<CallState, "dropped" | "early" | "upstreamModel" | "askedModel">>;

const coherePrefix = "/v2/";

/** An error in the form of the API that the path belongs to. */
export function writeErrorTo(state: AnsweredState, error: AppError): GatewayResponse {
  const answer = writeError(error);
  if (isGeminiCall(state.call)) {
    return { ...answer, body: Buffer.from(JSON.stringify(toGeminiError(error, toOpenaiError(error), state.call))) };
  }
  if (state.call.path.startsWith(coherePrefix)) {
    return { ...answer, body: Buffer.from(JSON.stringify(toCohereError(toOpenaiError(error), state.call))) };
  }
  if (!isMessagesPath(state.call.path)) {
    return answer;
  }
  if (state.early?.hasBegun === true) {
    // The client has received the head of a stream.
    const headers = { "content-type": "text/event-stream" };
    return { status: 200, headers, body: errorEventTo(state, error, "messages") };
  }
  const { status, body } = messagesErrorOf(error, { ...answer, body: toOpenaiError(error) }, calledBy(state));
  const dropped = droppedHeaders(state.dropped ?? null, state.call.path);
  const headers = withCallId({ ...dropped, ...answer.headers, "content-type": "application/json" }, state);
  return { status, headers, body: Buffer.from(JSON.stringify(body)) };
}

/** The event that ends a failed stream, in the form of its other events. */
export function errorEventTo(state: AnsweredState, error: AppError, form: StreamForm): Uint8Array {
  if (form === "candidates") {
    return Buffer.from(`data: ${JSON.stringify(toGeminiError(error, toOpenaiError(error), state.call))}\n\n`);
  }
  if (form !== "messages") {
    return errorEvent(error, form === "responses");
  }
  const { body } = messagesErrorOf(error, { body: toOpenaiError(error) }, calledBy(state));
  return Buffer.from(`event: error\ndata: ${JSON.stringify(body)}\n\n`);
}

/** Adds the id of the call where clients of the Messages API look for it. */
export function withCallId(headers: Record<string, string>, { call }: AnsweredState): Record<string, string> {
  if (isMessagesPath(call.path)) {
    headers[messagesIdHeader] = messagesRequestId(call.requestId);
  }
  return headers;
}

const calledBy = ({ call, request, upstreamModel = null }: AnsweredState) => ({
  requestId: call.requestId,
  model: call.traits?.()?.clientModel ?? request?.model ?? null,
  upstreamModel,
  maxTokens: request?.bounds.outputTokensMax ?? null,
});

/** An error as a response of the OpenAI API: status, `Retry-After` if there is one, the page about it, JSON body. */
export function writeError(error: AppError): GatewayResponse {
  const headers: Record<string, string> = {
    "content-type": "application/json; charset=utf-8",
    [helpHeader]: helpFor(error.code),
  };
  if (error.retryAfterSeconds !== null) {
    headers["retry-after"] = String(error.retryAfterSeconds);
  }
  if (error.retryAfterMs !== null) {
    headers["retry-after-ms"] = String(error.retryAfterMs);
  }
  if (error.code === "method_not_allowed") {
    headers["allow"] = error.allowedMethods ?? "POST";
  }
  if (error.isFinal) {
    headers["x-should-retry"] = "false";
  }
  if (error.endsConnection) {
    headers["connection"] = "close";
  }
  return { status: error.status, headers, body: Buffer.from(JSON.stringify(toOpenaiError(error))) };
}

/**
 * The event that ends a failed stream; no `[DONE]` follows it. The Responses API has its own form for it; the `error`
 * object is in both, because it is what the clients raise.
 */
export function errorEvent(error: AppError, isResponses: boolean): Uint8Array {
  const body = toOpenaiError(error);
  if (!isResponses) {
    return Buffer.from(`data: ${JSON.stringify(body)}\n\n`);
  }
  const { code, message, param } = body.error;
  return Buffer.from(`event: error\ndata: ${JSON.stringify({ type: "error", code, message, param, ...body })}\n\n`);
}
