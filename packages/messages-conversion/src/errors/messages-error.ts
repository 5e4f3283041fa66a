import type { MessagesErrorType } from "../messages.ts";

/** What the Messages API says instead of an answer. The message is safe to show to the caller. */
export class MessagesError extends Error {
  readonly status: number;
  readonly type: MessagesErrorType;
  /** Headers that belong to the answer, such as `retry-after`; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, type: MessagesErrorType, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = "MessagesError";
    this.status = status;
    this.type = type;
    this.headers = headers;
  }
}

export type MessagesErrorBody = {
  type: "error";
  error: { type: MessagesErrorType; message: string };
  request_id: string;
};

/** The body of an error answer. */
export function toMessagesErrorBody(error: MessagesError, requestId: string): MessagesErrorBody {
  return { type: "error", error: { type: error.type, message: error.message }, request_id: requestId };
}

/** A request that can't be served as it stands. @param at path of the field, for example `messages.0.content.1` */
export function invalidRequest(at: string, problem: string): MessagesError {
  return new MessagesError(400, "invalid_request_error", `${at}: ${problem}`);
}

/** An answer of the upstream that makes no sense, or none at all. */
export function badUpstreamAnswer(message: string): MessagesError {
  return new MessagesError(502, "api_error", message);
}
