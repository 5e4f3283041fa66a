import type { ErrorCode } from "@sluice/contracts/errors";
import { HttpClientError, type HttpResponse, type HttpResponseBody } from "@sluice/http-client/model";
import { type Bytes, viewOf } from "@sluice/http-client/packet-part";
import { cleanWords } from "@sluice/messages-conversion/errors/clean-words";
import { type ErrorWords, readErrorWords } from "@sluice/messages-conversion/errors/read-error-words";
import type { UpstreamError } from "../../platform/errors.ts";
import { redact } from "../../platform/log.ts";
import type { AttemptFailure, FailedAttempt, StreamEnding } from "../model.ts";
import { errorPlace } from "../usage-count/reported-errors.ts";
import { hideRequest } from "./read-upstream-error/hide-request.ts";
import { hide, type Secrets } from "./read-upstream-error/hide-secrets.ts";
import { isAccountEmpty } from "./read-upstream-error/is-account-empty.ts";
import { isTooLong } from "./read-upstream-error/is-too-long.ts";
import { statusOfWords } from "./read-upstream-error/status-of-words.ts";

const messageLengthMax = 2_000;
const noteLengthMax = 500;
const errorBodyBytesMax = 65_536;
/** Text that only support will read is not worth a long wait: another channel may respond meanwhile. */
const noteMsMax = 500;

/** The part of a response that is needed to read its error. */
type RefusalResponse = Pick<HttpResponse, "headers"> & {
  readonly body: Pick<HttpResponseBody, "bytes" | "consume" | "cancel">;
};

/**
 * The message of an error response, and whether it is about the request or comes from a page in place of a response.
 */
type FoundError = { readonly words: ErrorWords; readonly isPage: boolean };

/**
 * Reads an error response. A message about the request goes to the client, any other message to support. An HTML page
 * and an empty body come from a server in front of the provider, and say nothing about the request.
 * @param secrets which neither the client nor support may see
 * @param request the body that was sent, which support may not see
 */
export async function readRefusal(
  response: RefusalResponse,
  failure: AttemptFailure,
  secrets: Secrets,
  request: Uint8Array,
): Promise<FailedAttempt> {
  const body = failure.isRequestFault ? await readAll(response.body) : await readSoon(response.body);
  const found = body === null ? null : readWords(body, secrets, isHtml(response));
  const judged = judge(failure, found);
  return {
    failure: judged,
    upstreamError:
      found !== null && isForClient(judged, found) ? toUpstreamError(wordsOf(judged, found), secrets) : null,
    note: found === null ? null : toNote(found.words, secrets, request),
  };
}

/** The message of a response that is an error in spite of its status, for support; null if there is none. */
export function readNote(body: Uint8Array, secrets: Secrets, request: Uint8Array): string | null {
  const found = body.byteLength > errorBodyBytesMax ? null : readWords(body, secrets, false);
  return found === null ? null : toNote(found.words, secrets, request);
}

/** The message of the event that ended a stream, for support. */
export function readEventNote(ending: StreamEnding, secrets: Secrets, request: Bytes): string | null {
  return ending.kind === "error_event" && ending.payload !== null
    ? readNote(errorBytes(ending.payload), secrets, viewOf(request))
    : null;
}

/** The status that an error inside a response would have had; null if it does not say. */
export function statusOfError(payload: unknown): number | null {
  return statusOfWords(readErrorWords(errorPlace(payload)));
}

/** What an error inside a response means: by its status, or if it names none. */
type InnerRules = { readonly ofStatus: (status: number) => AttemptFailure | null; readonly unnamed: AttemptFailure };

/**
 * Reads an error inside a response with status 200 before anything has reached the client. A code inside decides as
 * the same status would.
 * @param payload the response, or its first event
 */
export function readInnerError(
  payload: unknown,
  { ofStatus, unnamed }: InnerRules,
  secrets: Secrets,
  request: Uint8Array,
): FailedAttempt {
  const body = errorBytes(payload);
  const found = body.byteLength > errorBodyBytesMax ? null : readWords(body, secrets, false);
  if (found === null) {
    return { failure: unnamed, upstreamError: null, note: null };
  }
  const status = statusOfWords(found.words);
  const meant = status === null ? null : ofStatus(status);
  const judged = meant === null ? unnamed : judge(meant, found);
  const result = judged.result === `status_${status}` ? unnamed.result : judged.result;
  return {
    failure: { ...judged, result },
    upstreamError: isForClient(judged, found) ? toUpstreamError(wordsOf(judged, found), secrets) : null,
    note: toNote(found.words, secrets, request),
  };
}

function errorBytes(payload: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(errorPlace(payload)));
}

function isForClient({ isRequestFault, result }: AttemptFailure, found: FoundError): boolean {
  return !found.isPage && (isRequestFault || result === tooLarge);
}

/** Clients shorten a conversation by the names that OpenAI has for this error; few providers use them. */
function wordsOf({ result }: AttemptFailure, { words }: FoundError): ErrorWords {
  return result === contextExceeded
    ? { ...words, type: "invalid_request_error", code: "context_length_exceeded" }
    : words;
}

const tooLarge = "request_over_limit";
/** The result of an attempt whose prompt was longer than the model reads. */
export const contextExceeded = "context_exceeded";

/** Another credential may be that of another account. */
const emptyAccount: Partial<AttemptFailure> = {
  ...{ code: "upstream_rate_limited", result: "account_empty", retry: "free", blame: "certain" },
  ...{ needsCooldown: true, isRequestFault: false, isLasting: true },
};

/** Refines the status by the message. */
function judge(failure: AttemptFailure, found: FoundError | null): AttemptFailure {
  const { status } = failure;
  if (found !== null && !found.isPage && isAccountEmpty(status, found.words)) {
    return { ...failure, ...emptyAccount };
  }
  if (failure.isRequestFault) {
    // For a request that is too long, the status alone is conclusive.
    const isSpecific = (found !== null && !found.isPage) || (status !== null && lengthStatuses.has(status));
    if (found !== null && !found.isPage && isTooLong(found.words)) {
      return { ...failure, result: contextExceeded };
    }
    return isSpecific ? failure : { ...failure, code: "upstream_error", isRequestFault: false, retry: "free" };
  }
  return found === null || found.isPage ? failure : judgeDoubtful(failure, found.words);
}

function judgeDoubtful(failure: AttemptFailure, words: ErrorWords): AttemptFailure {
  switch (failure.status) {
    case 401:
      return namesCredential(words) ? { ...failure, blame: "certain" } : failure;
    case 402:
      return isOverRest(words.message ?? "") ? { ...failure, blame: "suspected", result: "account_empty" } : failure;
    case 403:
      return judgeForbidden(failure, words);
    case 429:
      return judgeLimit(failure, words);
    case 503:
      return isOverload(words) ? { ...failure, blame: "none" } : failure;
    default:
      return failure;
  }
}

const credentialErrors =
  /^(?:(?:invalid|incorrect|expired|revoked)apikey|apikey(?:invalid|expired|revoked)|(?:invalid)?authentication(?:error)?|unauthenticated|(?:invalid|expired)token|token(?:invalid|expired)|invalidcredentials?|accountdeactivated)$/;

/**
 * Whether our credential itself is refused, whatever the request. Some providers also respond with 401 when an account
 * may not use a model or a feature, which a request can choose: the code tells the two apart, not the message, which
 * may quote the customer.
 */
function namesCredential({ code, type, message }: ErrorWords): boolean {
  const isNamed = [code, type].some((name) =>
    credentialErrors.test((name ?? "").replaceAll(/[_\W]/g, "").toLowerCase()),
  );
  return isNamed && !/\bmodel/i.test(message ?? "");
}

/** A provider that is overloaded is so for everyone, and has done nothing wrong. */
function isOverload({ code, type }: ErrorWords): boolean {
  return [code, type].some((name) => name === "overloaded_error" || name === "overloaded");
}

const lengthStatuses: ReadonlySet<number> = new Set([413, 414, 431]);

/**
 * A 429 can mean too many calls, or that this one request is larger than the limit, which would still be true tomorrow
 * and says nothing about other calls.
 */
function judgeLimit(failure: AttemptFailure, words: ErrorWords): AttemptFailure {
  return isOverLimit(words.message ?? "")
    ? {
        ...failure,
        needsCooldown: false,
        retryAfterSeconds: null,
        retryAfterMs: null,
        isLasting: true,
        result: tooLarge,
      }
    : failure;
}

/**
 * Whether our balance at the provider suffices for other requests than this one, which could have asked for anything.
 */
function isOverRest(message: string): boolean {
  const requested = numberAfter(/\brequested(?: up to)?\s+([\d,]+)/i, message);
  const rest = numberAfter(/\bonly afford\s+([\d,]+)/i, message);
  return requested !== null && rest !== null && requested > rest;
}

function isOverLimit(message: string): boolean {
  const requested = numberAfter(/\brequested:?\s+([\d,]+)/i, message);
  const limit = numberAfter(/\blimit(?: of)?:?\s+([\d,]+)/i, message);
  return requested !== null && limit !== null && requested > limit;
}

function numberAfter(pattern: RegExp, text: string): number | null {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? null : Number(found.replaceAll(",", ""));
}

const accountMarks =
  /\bapi[ _-]?key|\bcredential|\bpermission|\bauthenticat|\bnot authori[sz]ed|\bunauthori[sz]ed|\baccount\b|\bbilling\b/i;
const contentMarks = /moderat|\bflagged\b|content[ _-]?(?:policy|filter)|\bsafety\b|\bharmful\b/i;

/**
 * A 403 can forbid our account, or the content of this request, or be unclear: the message may quote the customer, so a
 * second customer has to meet it before the channel is paused for all. An error that names a model may concern that
 * model only.
 */
function judgeForbidden(failure: AttemptFailure, words: ErrorWords): AttemptFailure {
  const text = [words.message, words.code, words.type].filter((part) => part !== null).join(" ");
  if (contentMarks.test(text)) {
    const more = { retry: "none", needsCooldown: false, isRequestFault: true } as const;
    return { ...failure, ...more, code: "upstream_rejected" };
  }
  return accountMarks.test(text) && !/\bmodel/i.test(text)
    ? { ...failure, blame: "suspected", result: "credential_refused" }
    : failure;
}

/** The body, if it is short enough for an error, else null. */
async function readAll(body: Pick<HttpResponseBody, "bytes">): Promise<Uint8Array | null> {
  try {
    return await body.bytes(errorBodyBytesMax);
  } catch (error) {
    if (error instanceof HttpClientError) {
      return null;
    }
    throw error;
  }
}

/** A short body that arrives in one piece, else null. */
function readSoon(body: Pick<HttpResponseBody, "consume">): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const finish = (whole: Uint8Array | null): void => {
      clearTimeout(timer);
      resolve(whole);
    };
    const giveUp = (): void => {
      flow.cancel();
      finish(null);
    };
    const flow = body.consume({
      onChunk: (piece) => {
        pieces.push(piece);
        bytes += piece.byteLength;
        if (bytes > errorBodyBytesMax) {
          giveUp();
        }
      },
      onEnd: () => finish(Buffer.concat(pieces)),
      onError: () => finish(null),
    });
    const timer = setTimeout(giveUp, noteMsMax);
  });
}

function isHtml({ headers }: RefusalResponse): boolean {
  return headers.some(([name, value]) => name === "content-type" && value.includes("html"));
}

const pageTitle = /<title[^>]*>([^<]{1,200})/i;

/**
 * The message of a body, in whichever form servers send it: an object, text, or a page, whose title is kept.
 * Null when it is empty.
 */
function readWords(body: Uint8Array, secrets: Secrets, isCalledHtml: boolean): FoundError | null {
  // Secrets are hidden before anything is truncated, so that no part of one remains.
  const text = hide(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"), secrets).trim();
  if (text === "") {
    return null;
  }
  if (isCalledHtml || text.startsWith("<")) {
    const title = pageTitle.exec(text)?.[1]?.replace(/\s+/g, " ").trim() ?? null;
    return { words: { ...readErrorWords(null), message: title }, isPage: true };
  }
  const words = readErrorWords(text);
  // A body that is not JSON is itself the message.
  const isText = !/^[[{"]|^(?:null|true|false|-?\d)/.test(text);
  return { words: isText ? { ...words, message: text } : words, isPage: false };
}

/**
 * A provider's message about a request that it refused, so that the client can fix it: message, type, param and code,
 * each truncated. Null if there is none.
 */
function toUpstreamError({ message, type, param, code }: ErrorWords, secrets: Secrets): UpstreamError | null {
  if (message === null) {
    return null;
  }
  const clip = (text: string | null, lengthMax: number) => (text === null ? null : clean(text, secrets, lengthMax));
  return {
    message: clean(message, secrets, messageLengthMax),
    type: clip(type, 100) ?? "invalid_request_error",
    param: clip(param, 200),
    code: clip(code, 100) ?? ("upstream_rejected" satisfies ErrorCode),
  };
}

function toNote({ message }: ErrorWords, secrets: Secrets, request: Uint8Array): string | null {
  return message === null ? null : hideRequest(clean(message, secrets, noteLengthMax), request);
}

function clean(text: string, secrets: Secrets, lengthMax: number): string {
  return cleanWords(redact(hide(text, secrets).slice(0, messageLengthMax)), "", "").slice(0, lengthMax);
}
