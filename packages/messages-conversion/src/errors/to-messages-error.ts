import { type ErrorCode, errorDefinition, errorTable } from "@sluice/contracts/errors";
import type { AnswerFacts } from "../answer-facts.ts";
import type { MessagesErrorType } from "../messages.ts";
import { cleanWords } from "./clean-words.ts";
import { toOverflowMessage } from "./context-overflow.ts";
import { MessagesError } from "./messages-error.ts";
import { type ErrorWords, readErrorWords } from "./read-error-words.ts";

/** An error response as the sender wrote it. */
export type ErrorResponse = {
  readonly status: number;
  /** The parsed body or its text. */
  readonly body: unknown;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Who responded. The gateway's errors are about the client's own key and quota; an upstream's are about ours, which
   * are none of the client's business.
   */
  readonly origin: "gateway" | "upstream";
};

/** The facts about the request that are needed to word an error. */
export type ErrorFacts = Pick<AnswerFacts, "requestedModel" | "upstreamModel" | "maxTokens">;

type Row = {
  readonly status: number;
  readonly type: MessagesErrorType;
  /** The text that replaces the upstream's message, or a missing one. */
  readonly message: string;
  /** Whether the upstream's message is about the request, and so for the client. */
  readonly isAboutRequest: boolean;
};

const row = (status: number, type: MessagesErrorType, message: string, isAboutRequest = false): Row => ({
  status,
  type,
  message,
  isAboutRequest,
});

const rejected = row(400, "invalid_request_error", "The provider rejected the request.", true);
const failed = row(502, "api_error", "The provider failed.");
const refusedUs = row(502, "api_error", "The provider refused our credential.");
const timedOut = row(504, "timeout_error", "The provider did not respond in time.");
const overloaded = row(529, "overloaded_error", "The provider is overloaded.");

/** What an upstream's status means to the client. */
const upstreamRows: ReadonlyMap<number, Row> = new Map([
  [401, refusedUs],
  [402, refusedUs],
  [403, refusedUs],
  [404, row(404, "not_found_error", "", false)],
  [408, timedOut],
  [413, row(413, "request_too_large", "The request is larger than the provider accepts.", true)],
  [429, row(429, "rate_limit_error", "The provider is rate-limiting calls right now.", true)],
  [503, overloaded],
  [504, timedOut],
  [529, overloaded],
]);

/** The rows for responses of the gateway, whose messages are all for the client. */
const gatewayRows: ReadonlyMap<number, Row> = new Map([
  [401, row(401, "authentication_error", "The API key is not valid.", true)],
  [402, row(402, "billing_error", "The remaining balance does not cover this call.", true)],
  [403, row(403, "permission_error", "This API key can't do that.", true)],
  [405, row(405, "invalid_request_error", "This method is not allowed here.", true)],
]);

const passedHeaders = ["retry-after", "retry-after-ms", "x-should-retry"];

/** An error response in the form of the Messages API. */
export function toMessagesError(answer: ErrorResponse, facts: ErrorFacts): MessagesError {
  const words = readErrorWords(answer.body);
  const headers = keepHeaders(answer.headers ?? {});
  // An upstream whose error the gateway passes on may use one of our codes, but hardly with our status.
  const isOwn = answer.origin === "gateway" && isOwnCode(words.code);
  if (isOwn && errorDefinition(words.code).status === answer.status) {
    return ownError(words.code, words, facts, headers);
  }
  return describe(answer.status, words, facts, { headers, origin: answer.origin });
}

/** One of our own errors. @param message replaces the table's sentence */
export function toMessagesErrorOfCode(code: ErrorCode, message?: string): MessagesError {
  const definition = errorDefinition(code);
  const status = definition.anthropicStatus ?? definition.status;
  return new MessagesError(status, definition.anthropicType as MessagesErrorType, message ?? definition.message);
}

/** An error in place of a response: as an event of a stream, or with a successful status. */
export function toMessagesErrorOfEvent(body: unknown, facts: ErrorFacts): MessagesError {
  const words = readErrorWords(body);
  // At this point, the client's key and quota were valid: an error of ours is then a failure on our side.
  if (isOwnCode(words.code) && errorDefinition(words.code).status >= 500) {
    return ownError(words.code, words, facts, {});
  }
  const status = words.status ?? statusByWord.get(words.code ?? "") ?? statusByWord.get(words.type ?? "") ?? 502;
  return describe(status, words, facts, { headers: {}, origin: "upstream" });
}

/** Statuses for errors without one, by the code or type that upstreams give them. */
const statusByWord: ReadonlyMap<string, number> = new Map([
  ["invalid_request_error", 400],
  ["BadRequestError", 400],
  ["context_length_exceeded", 400],
  ["invalid_api_key", 401],
  ["authentication_error", 401],
  ["permission_error", 403],
  ["model_not_found", 404],
  ["not_found_error", 404],
  ["timeout", 504],
  ["timeout_error", 504],
  ["rate_limit_error", 429],
  ["rate_limit_exceeded", 429],
  ["insufficient_quota", 429],
  ["tokens", 429],
  ["requests", 429],
  ["overloaded", 529],
  ["overloaded_error", 529],
  ["server_overloaded", 529],
  ["engine_overloaded", 529],
]);

function isOwnCode(code: string | null): code is ErrorCode {
  return code !== null && Object.hasOwn(errorTable, code);
}

function ownError(
  code: ErrorCode,
  words: ErrorWords,
  facts: ErrorFacts,
  headers: Record<string, string>,
): MessagesError {
  const isUnknownModel = code === "model_not_found";
  const overflow = errorDefinition(code).status === 400 ? toOverflowMessage(words, facts.maxTokens) : null;
  const cleaned = words.message === null ? undefined : clean(words.message, facts);
  const message = isUnknownModel ? `model: ${facts.requestedModel}` : (overflow ?? cleaned);
  const error = toMessagesErrorOfCode(code, message);
  return new MessagesError(error.status, error.type, error.message, headers);
}

function describe(
  status: number,
  words: ErrorWords,
  facts: ErrorFacts,
  more: { headers: Record<string, string>; origin: ErrorResponse["origin"] },
): MessagesError {
  const { headers, origin } = more;
  const overflow = toOverflowMessage(words, facts.maxTokens);
  if (overflow !== null) {
    return new MessagesError(400, "invalid_request_error", overflow, headers);
  }
  const found = (origin === "gateway" ? gatewayRows.get(status) : undefined) ?? upstreamRows.get(status);
  const meaning = found ?? (status >= 400 && status < 500 ? rejected : failed);
  if (meaning.status === 404) {
    return new MessagesError(404, "not_found_error", `model: ${facts.requestedModel}`, headers);
  }
  const message = meaning.isAboutRequest && words.message !== null ? clean(words.message, facts) : meaning.message;
  // Retrying does not refill an empty account.
  const isEmpty = status === 429 && (words.code === "insufficient_quota" || words.type === "insufficient_quota");
  const sent = isEmpty ? { ...headers, "x-should-retry": "false" } : headers;
  return new MessagesError(meaning.status, meaning.type, message, sent);
}

function clean(message: string, facts: ErrorFacts): string {
  return cleanWords(message, facts.requestedModel, facts.upstreamModel);
}

function keepHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of passedHeaders) {
    const value = headers[name];
    if (value !== undefined) {
      kept[name] = value;
    }
  }
  return kept;
}
