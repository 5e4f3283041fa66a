import type { ErrorCode } from "@sluice/contracts/errors";
import { MessagesError, toMessagesErrorBody } from "@sluice/messages-conversion/errors/messages-error";
import { toMessagesErrorOfCode } from "@sluice/messages-conversion/errors/to-messages-error";
import { toAppError } from "../platform/errors.ts";
import { helpFor, helpHeader } from "../platform/help-link.ts";
import type { ClientAnswer } from "./model.ts";

/** The id in the format that clients of the Messages API expect. */
export function clientRequestId(requestId: string): string {
  return `req_${requestId.replaceAll("-", "")}`;
}

/** Converts any error thrown on this side of the gateway. */
export function toClientError(thrown: unknown): MessagesError {
  if (thrown instanceof MessagesError) {
    return thrown;
  }
  const { code, message } = toAppError(thrown);
  return ownError(code, { message: code === "internal_error" ? undefined : message });
}

type OwnErrorOptions = { readonly message?: string | undefined; readonly headers?: Record<string, string> };

/** One of our own errors, with the page about it. */
export function ownError(code: ErrorCode, { message: own, headers = {} }: OwnErrorOptions = {}): MessagesError {
  const { status, type, message } = toMessagesErrorOfCode(code, own);
  return new MessagesError(status, type, message, { ...headers, [helpHeader]: helpFor(code) });
}

export function errorAnswer(error: MessagesError, requestId: string): ClientAnswer & { readonly body: Uint8Array } {
  return {
    status: error.status,
    headers: { [helpHeader]: helpFor(null), ...error.headers, "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(toMessagesErrorBody(error, requestId))),
  };
}
