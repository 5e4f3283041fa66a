import type { ErrorCode } from "@sluice/contracts/errors";
import type { HttpClientError, HttpClientErrorKind, HttpHeader } from "@sluice/http-client/model";
import type { AttemptFailure, FailedAttempt } from "../model.ts";
import type { TokenError } from "../upstreams/token-error.ts";

const failure = (code: ErrorCode, result: string, more: Partial<AttemptFailure> = {}): AttemptFailure => ({
  code,
  status: null,
  retry: "paid_twice",
  blame: "suspected",
  needsCooldown: false,
  retryAfterSeconds: null,
  retryAfterMs: null,
  result,
  isRequestFault: false,
  isLasting: false,
  ...more,
});

/** Our credential or our account at the provider is at fault. */
const accountFault = { retry: "free", needsCooldown: true } as const;

/**
 * What an upstream status means; null for a success. A 402 is a channel's fault, a 5xx most likely: every other status
 * can be caused by a request, and nobody may close a channel for others by asking for something odd. 401, 403 and 429
 * alone prove nothing: the body decides (`read-upstream-error`), and whether a second customer meets them too
 * (`channels/channel-load`). A 529 says that the provider is overloaded for everyone. A redirect is an error.
 */
export function classifyStatus(status: number, headers: readonly HttpHeader[]): AttemptFailure | null {
  if (status >= 200 && status < 300) {
    return null;
  }
  const result = `status_${status}`;
  const asked = readRetryAfter(headers);
  const pause = status >= 500 ? atMostAMinute(asked) : asked;
  switch (status) {
    case 401:
      return failure("upstream_error", "credential_refused", { status, ...accountFault });
    case 402:
      return failure("upstream_error", "credential_refused", { status, ...accountFault, blame: "certain" });
    case 403:
      return failure("upstream_error", result, { status, retry: "free", blame: "none", needsCooldown: true });
    case 408:
      return failure("upstream_timeout", result, { status, blame: "none" });
    case 429: {
      const more = { retry: "free", blame: "none", needsCooldown: true, ...pause } as const;
      return failure("upstream_rate_limited", result, { status, ...more });
    }
    case 503:
      return failure("no_upstream", result, { status, retry: "free", needsCooldown: true, ...pause });
    case 529:
      return failure("no_upstream", result, { status, retry: "free", blame: "none", needsCooldown: true, ...pause });
    case 504:
      return failure("upstream_timeout", result, { status, ...pause });
    case 508:
      return failure("loop_detected", "loop", { status, retry: "none", blame: "none" });
  }
  if (status >= 500) {
    return failure("upstream_error", result, { status, retry: "free", ...pause });
  }
  return status >= 400
    ? failure("upstream_rejected", result, { status, retry: "none", blame: "none", isRequestFault: true })
    : failure("upstream_error", result, { status, retry: "free", blame: "none" });
}

/** The channel is not at fault, and another one may still have an idle connection. */
const ownLimit = { retry: "free", blame: "none" } as const;
const unreachableRule = { retry: "free", blame: "certain" } as const;

const clientErrors: Record<HttpClientErrorKind, AttemptFailure> = {
  no_connection: failure("temporarily_unavailable", "no_connection", { ...ownLimit, retryAfterSeconds: 1 }),
  unreachable: failure("upstream_unreachable", "unreachable", unreachableRule),
  tls: failure("upstream_unreachable", "tls_failed", unreachableRule),
  connect_timeout: failure("upstream_unreachable", "connect_timeout", unreachableRule),
  first_byte_timeout: failure("upstream_timeout", "first_byte_timeout"),
  upload_timeout: failure("upstream_timeout", "upload_timeout"),
  idle_timeout: failure("upstream_timeout", "idle_timeout"),
  total_timeout: failure("upstream_timeout", "total_timeout", { retry: "none" }),
  reset_before_head: failure("upstream_error", "reset_before_head"),
  reset_in_body: failure("stream_interrupted", "reset_in_body"),
  malformed: failure("upstream_error", "malformed"),
  too_large: failure("upstream_error", "too_large", { retry: "none" }),
  request_too_large: failure("request_too_large", "request_too_large", { retry: "none", blame: "none" }),
  aborted: failure("client_closed_request", "client_left", { retry: "none", blame: "none" }),
};

/**
 * A successful status with an invalid response: it has the wrong type, is compressed although we did not ask for that,
 * or is not JSON. The provider may have worked on it.
 */
export const malformedResponse: AttemptFailure = clientErrors.malformed;

/** What a connection failure means. */
export function classifyClientError(error: HttpClientError): AttemptFailure {
  const known = clientErrors[error.kind];
  return error.kind === "reset_before_head" && !error.isRequestSent ? { ...known, retry: "free" } : known;
}

/** An attempt whose connection failed, so that there is no response. */
export function failedBy(error: HttpClientError): FailedAttempt {
  return { failure: classifyClientError(error), upstreamError: null, note: null };
}

/** An attempt without a token for its request, which was never sent. */
export function failedByToken({ isRefused }: Pick<TokenError, "isRefused">): FailedAttempt {
  const result = isRefused ? "credential_refused" : "no_token";
  return { failure: failure("upstream_error", result, { ...accountFault }), upstreamError: null, note: null };
}

type Wait = Pick<AttemptFailure, "retryAfterSeconds" | "retryAfterMs">;

/** The longest wait that is passed on to a client: a limit may be one of the day. */
const retryAfterSecondsMax = 86_400;
/**
 * That of a fault. Nobody knows when it is over, the channel is asked again after as long at the latest, and some clients sleep
 * as long as they are told.
 */
const faultSecondsMax = 60;
const numberForm = /^\d{1,12}(\.\d+)?$/;
/** A date without a time of day could be any text with a number: `Date.parse` accepts a list of numbers, too. */
const timeOfDay = /\d\d:\d\d/;

function atMostAMinute({ retryAfterSeconds, retryAfterMs }: Wait): Wait {
  return {
    retryAfterSeconds: retryAfterSeconds === null ? null : Math.min(faultSecondsMax, retryAfterSeconds),
    retryAfterMs: retryAfterMs === null ? null : Math.min(faultSecondsMax * 1000, retryAfterMs),
  };
}

/**
 * How long a provider asks to wait: the seconds of `Retry-After`, at least 1, in its number or its date form, and the
 * milliseconds of `Retry-After-Ms`, which replace missing seconds. Null for a missing or unreadable value. A date is
 * read by the clock that wrote it, if the response has a date of its own.
 */
export function readRetryAfter(headers: readonly HttpHeader[], nowMs = Date.now()): Wait {
  const find = (wanted: string) => headers.find(([name]) => name === wanted)?.[1].trim() ?? "";
  const value = find("retry-after");
  const sentMs = Date.parse(find("date"));
  const fromMs = Number.isNaN(sentMs) ? nowMs : sentMs;
  const untilMs = timeOfDay.test(value) ? Date.parse(value) : Number.NaN;
  const seconds = numberForm.test(value) ? Number(value) : (untilMs - fromMs) / 1000;
  const exact = find("retry-after-ms");
  const retryAfterMs = numberForm.test(exact) ? Math.min(retryAfterSecondsMax * 1000, Math.ceil(Number(exact))) : null;
  const waitSeconds = Number.isNaN(seconds) ? (retryAfterMs === null ? null : retryAfterMs / 1000) : seconds;
  return {
    retryAfterSeconds:
      waitSeconds === null ? null : Math.min(retryAfterSecondsMax, Math.max(1, Math.ceil(waitSeconds))),
    retryAfterMs,
  };
}
