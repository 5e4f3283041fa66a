import type { ErrorCode } from "@sluice/contracts/errors";
import type { HttpClientError, HttpClientErrorKind, HttpHeader } from "../../platform/http-client/model.ts";
import type { AttemptFailure } from "../model.ts";

const failure = (code: ErrorCode, result: string, more: Partial<AttemptFailure> = {}): AttemptFailure => ({
  code,
  status: null,
  isRetryable: false,
  isChannelFault: true,
  needsCooldown: false,
  retryAfterSeconds: null,
  result,
  isRequestFault: false,
  isLasting: false,
  ...more,
});

/** A provider says these of the request itself; no other channel would answer better. */
const requestFaults = new Set([400, 404, 409, 413, 415, 422]);

/**
 * What an upstream status means; null for a status that is an answer. A redirect is an error. A bad provider key or an
 * empty provider account is our fault, never the client's.
 */
export function classifyStatus(status: number, headers: readonly HttpHeader[]): AttemptFailure | null {
  if (status >= 200 && status < 300) {
    return null;
  }
  const retryAfterSeconds = readRetryAfter(headers);
  if (status === 508) {
    return failure("loop_detected", "loop", { status, isChannelFault: false });
  }
  if (requestFaults.has(status)) {
    return failure("upstream_rejected", `status_${status}`, { status, isChannelFault: false, isRequestFault: true });
  }
  if (status === 429 || status === 503) {
    const more = { status, isRetryable: true, isChannelFault: status === 503, needsCooldown: true, retryAfterSeconds };
    return failure("upstream_rate_limited", `status_${status}`, more);
  }
  if (status === 401 || status === 402 || status === 403) {
    return failure("upstream_error", "credential_refused", { status, isRetryable: true, needsCooldown: true });
  }
  if (status === 408 || status === 504) {
    return failure("upstream_timeout", `status_${status}`, { status });
  }
  return failure("upstream_error", `status_${status}`, { status, isRetryable: status >= 500 });
}

const clientErrors: Record<HttpClientErrorKind, AttemptFailure> = {
  unreachable: failure("upstream_unreachable", "unreachable", { isRetryable: true }),
  tls: failure("upstream_unreachable", "tls_failed", { isRetryable: true }),
  connect_timeout: failure("upstream_unreachable", "connect_timeout", { isRetryable: true }),
  first_byte_timeout: failure("upstream_timeout", "first_byte_timeout"),
  idle_timeout: failure("upstream_timeout", "idle_timeout"),
  total_timeout: failure("upstream_timeout", "total_timeout"),
  // The provider may have worked on the request, so that a second attempt could be paid for twice.
  reset_before_head: failure("upstream_error", "reset_before_head"),
  reset_in_body: failure("stream_interrupted", "reset_in_body"),
  malformed: failure("upstream_error", "malformed"),
  too_large: failure("upstream_error", "too_large"),
  aborted: failure("client_closed_request", "client_left", { isChannelFault: false }),
};

/** The status is good and the answer is not: of the wrong type, compressed unasked, no JSON. It may have been worked on. */
export const malformedAnswer: AttemptFailure = clientErrors.malformed;

/** What a failure of the connection means. */
export function classifyClientError(error: HttpClientError): AttemptFailure {
  const known = clientErrors[error.kind];
  return error.kind === "reset_before_head" && !error.isRequestSent ? { ...known, isRetryable: true } : known;
}

/** A longer pause is no answer to a request any more. */
const retryAfterSecondsMax = 86_400;

/** Seconds of a `Retry-After` header, at least 1, in its number or its date form; null when there is none that can be read. */
export function readRetryAfter(headers: readonly HttpHeader[], nowMs = Date.now()): number | null {
  const value = headers.find(([name]) => name === "retry-after")?.[1].trim();
  if (value === undefined) {
    return null;
  }
  const seconds = /^\d{1,12}(\.\d+)?$/.test(value) ? Number(value) : (Date.parse(value) - nowMs) / 1000;
  return Number.isNaN(seconds) ? null : Math.min(retryAfterSecondsMax, Math.max(1, Math.ceil(seconds)));
}
