import {
  MessagesError,
  type MessagesErrorBody,
  ThreadUnsupportedError,
  toMessagesErrorBody,
} from "@sluice/messages-conversion/errors/messages-error";
import { type ErrorResponse, toMessagesError } from "@sluice/messages-conversion/errors/to-messages-error";
import type { AppError } from "../../../platform/errors.ts";

/** The header with the id of a call, under the only name that clients of the Messages API read. */
export const messagesIdHeader = "request-id";

/** The id of a call in the format that these clients expect. */
export function messagesRequestId(requestId: string): string {
  return `req_${requestId.replaceAll("-", "")}`;
}

/** A call in the Messages API, as far as its errors repeat it. */
type MessagesCall = { readonly requestId: string; readonly model: string | null };

/**
 * An error in the form of the Messages API, and its status there.
 * @param answer the same error in the form of the OpenAI API
 */
export function messagesErrorOf(
  error: AppError,
  answer: Pick<ErrorResponse, "body" | "headers">,
  { requestId, model }: MessagesCall,
): { readonly status: number; readonly body: MessagesErrorBody } {
  const worded = toWords(error, answer, model);
  return { status: worded.status, body: toMessagesErrorBody(worded, messagesRequestId(requestId)) };
}

function toWords(
  error: AppError,
  answer: Pick<ErrorResponse, "body" | "headers">,
  model: string | null,
): MessagesError {
  if (error.cause instanceof MessagesError) {
    return error.cause;
  }
  if (error.param === "thread") {
    return new ThreadUnsupportedError();
  }
  const facts = { requestedModel: model ?? "", upstreamModel: "", maxTokens: null };
  return toMessagesError({ ...answer, status: error.status, origin: "gateway" }, facts);
}
