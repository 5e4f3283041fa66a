import type { MessagesErrorType } from "../messages.ts";

/** An error of the Messages API. The message is safe to show to the caller. */
export class MessagesError extends Error {
  readonly status: number;
  readonly type: MessagesErrorType;
  /** Headers of the response, such as `retry-after`; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The machine-readable part of an error. */
  readonly details: MessagesErrorDetails | null = null;

  constructor(status: number, type: MessagesErrorType, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = "MessagesError";
    this.status = status;
    this.type = type;
    this.headers = headers;
  }
}

/**
 * A request that relies on the server to store the conversation; after this error, clients send the whole conversation.
 */
export class ThreadUnsupportedError extends MessagesError {
  override readonly details = { error_code: "thread_unsupported_request", unsupported: [] };

  constructor() {
    super(400, "invalid_request_error", "thread: conversations are not stored here, send all messages without it");
  }
}

type MessagesErrorDetails = { readonly error_code: string; readonly [field: string]: unknown };

export type MessagesErrorBody = {
  type: "error";
  error: { type: MessagesErrorType; message: string; details?: MessagesErrorDetails };
  request_id: string;
};

/** The body of an error response. */
export function toMessagesErrorBody(error: MessagesError, requestId: string): MessagesErrorBody {
  const { type, message, details } = error;
  return {
    type: "error",
    error: { type, message, ...(details === null ? {} : { details }) },
    request_id: requestId,
  };
}

/** A request that can't be served as it is. @param at path of the field, for example `messages.0.content.1` */
export function invalidRequest(at: string, problem: string): MessagesError {
  return new MessagesError(400, "invalid_request_error", `${at}: ${problem}`);
}

/** A response of the upstream that makes no sense, or no response at all. */
export function badUpstreamResponse(message: string): MessagesError {
  return new MessagesError(502, "api_error", message);
}
