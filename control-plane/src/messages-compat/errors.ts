import type { ErrorCode } from "@sluice/contracts/errors";
import { MessagesError, toMessagesErrorBody } from "@sluice/messages-conversion/errors/messages-error";
import {
  type ErrorFacts,
  toMessagesError,
  toMessagesErrorOfCode,
} from "@sluice/messages-conversion/errors/to-messages-error";
import type { GatewayResponse } from "../gateway/model.ts";
import { AppError, toAppError } from "../platform/errors.ts";
import type { ClientAnswer } from "./model.ts";

/** The statuses with which providers report an overload. */
const overloads: ReadonlySet<number> = new Set([503, 529]);

/** A gateway's error response in the format of the Messages API. */
export function fromGatewayError(answer: GatewayResponse, facts: ErrorFacts): MessagesError {
  const { status, headers, body } = answer;
  const text = body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString() : "";
  const error = toMessagesError({ status, body: text, headers, origin: "gateway" }, facts);
  const more: Record<string, string> = { ...error.headers };
  // The other dialect has a single code for a provider that limits our rate and for a provider that is overloaded.
  if (answer.upstreamStatus !== undefined && overloads.has(answer.upstreamStatus)) {
    return new MessagesError(529, "overloaded_error", "The upstream is overloaded.", more);
  }
  // The client's connection can't be reused if its body was not read to the end.
  if (headers["connection"] !== undefined) {
    more["connection"] = headers["connection"];
  }
  return new MessagesError(error.status, error.type, error.message, more);
}

/** Converts any error thrown on this side of the gateway. */
export function toClientError(thrown: unknown): MessagesError {
  if (thrown instanceof MessagesError) {
    return thrown;
  }
  const { code, message, endsConnection, retryAfterSeconds } = toAppError(thrown);
  const error = toMessagesErrorOfCode(code, code === "internal_error" ? undefined : message);
  return new MessagesError(error.status, error.type, error.message, {
    ...(endsConnection ? { connection: "close" } : {}),
    ...(retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) }),
  });
}

/** The error for the gateway, which records the call as refused. */
export function toRefusal(error: MessagesError): AppError {
  const code: ErrorCode = error.status === 404 ? "model_not_found" : "invalid_value";
  return new AppError(code, { message: error.message, status: error.status, cause: error });
}

/** @param headers the headers of the response besides those of the error itself */
export function errorAnswer(
  error: MessagesError,
  requestId: string,
  headers: Record<string, string> = {},
): ClientAnswer & { readonly body: Uint8Array } {
  return {
    status: error.status,
    headers: { ...headers, ...error.headers, "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(toMessagesErrorBody(error, requestId))),
  };
}
