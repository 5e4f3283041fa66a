import {
  badUpstreamResponse,
  MessagesError,
  type MessagesErrorBody,
  ThreadUnsupportedError,
  toMessagesErrorBody,
} from "@sluice/messages-conversion/errors/messages-error";
import { type ErrorResponse, toMessagesError } from "@sluice/messages-conversion/errors/to-messages-error";
import type { AppError } from "../../../platform/errors.ts";

/** The statuses with which providers report an overload. */
const overloads: ReadonlySet<unknown> = new Set([503, 529]);

/** The header with the id of a call, under the only name that clients of the Messages API read. */
export const messagesIdHeader = "request-id";

const idPrefix = "req_";
const dash = 0x2d;
/** The prefix, and room for a UUID. */
const idBytes = Buffer.from(idPrefix.padEnd(idPrefix.length + 36));

/**
 * The id of a call in the format that these clients expect. Built in bytes: `replaceAll` takes three times as long.
 * @param requestId a UUID
 */
export function messagesRequestId(requestId: string): string {
  const end = idPrefix.length + idBytes.write(requestId, idPrefix.length, "latin1");
  let length = idPrefix.length;
  for (let at = idPrefix.length; at < end; at += 1) {
    const byte = idBytes[at] as number;
    if (byte !== dash) {
      idBytes[length] = byte;
      length += 1;
    }
  }
  return idBytes.toString("latin1", 0, length);
}

/** A call in the Messages API, as far as its errors repeat it. */
type MessagesCall = {
  readonly requestId: string;
  /** The model as the client named it. */
  readonly model: string | null;
  readonly upstreamModel: string | null;
  readonly maxTokens: number | null;
};

/**
 * An error in the form of the Messages API, and its status there.
 * @param answer the same error in the form of the OpenAI API
 */
export function messagesErrorOf(
  error: AppError,
  answer: Pick<ErrorResponse, "body" | "headers">,
  call: MessagesCall,
): { readonly status: number; readonly body: MessagesErrorBody } {
  const worded = toWords(error, answer, call);
  return { status: worded.status, body: toMessagesErrorBody(worded, messagesRequestId(call.requestId)) };
}

function toWords(
  error: AppError,
  answer: Pick<ErrorResponse, "body" | "headers">,
  { model, upstreamModel, maxTokens }: MessagesCall,
): MessagesError {
  if (error.param === "thread") {
    return new ThreadUnsupportedError();
  }
  // The table of codes has a single one for a provider that limits our rate and for one that is overloaded.
  if (overloads.has(error.internal["upstreamStatus"])) {
    return new MessagesError(529, "overloaded_error", "The provider is overloaded.");
  }
  if (error.code === "stream_interrupted") {
    return badUpstreamResponse("The provider closed the stream early.");
  }
  const facts = { requestedModel: model ?? "", upstreamModel: upstreamModel ?? "", maxTokens };
  return toMessagesError({ ...answer, status: error.status, origin: "gateway" }, facts);
}
