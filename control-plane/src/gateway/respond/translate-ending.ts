import type { ErrorCode } from "@sluice/contracts/errors";
import { AppError, type UpstreamError } from "../../platform/errors.ts";
import type { AttemptFailure, StreamEnding, StreamOpening } from "../model.ts";

/**
 * What went wrong with a stream after it had begun; null if nothing did.
 * @param named what an error event means by the status that it would have had
 */
export function streamProblem(ending: StreamEnding, named: AttemptFailure | null = null): AppError | null {
  switch (ending.kind) {
    case "completed":
      return null;
    case "aborted":
      return new AppError("client_closed_request");
    case "error_event":
      return new AppError(codeOfEvent(named));
    case "broken_event":
      return new AppError("stream_interrupted");
    case "cut":
      return new AppError(ending.error?.kind.endsWith("_timeout") === true ? "upstream_timeout" : "stream_interrupted");
  }
}

/** Statuses that are about the request; any other below 429 is about our account, or about the channel. */
const requestStatuses: ReadonlySet<number> = new Set([400, 413]);

/** What an error event means to the client. */
function codeOfEvent(named: AttemptFailure | null): ErrorCode {
  const isOurs = named === null || (named.isRequestFault && !requestStatuses.has(named.status ?? 0));
  return isOurs ? "upstream_error" : named.code;
}

/** The cause of such a failure, for the attempt record. */
export function streamResult(ending: StreamEnding): string {
  switch (ending.kind) {
    case "completed":
      return "answered";
    case "aborted":
      return "client_left";
    case "error_event":
    case "broken_event":
      return ending.kind;
    case "cut":
      return ending.error?.kind ?? "no_last_event";
  }
}

const errorBeforeContent: AttemptFailure = {
  code: "upstream_error",
  status: 200,
  retry: "free",
  blame: "suspected",
  needsCooldown: false,
  retryAfterSeconds: null,
  retryAfterMs: null,
  result: "error_event",
  isRequestFault: false,
  isLasting: false,
};

/** Why a response never began for the client: nothing was sent, so another channel may still be tried. */
export function openingFailure(opening: Pick<Exclude<StreamOpening, { kind: "open" }>, "kind">): AttemptFailure {
  if (opening.kind === "error_event" || opening.kind === "broken_event") {
    return { ...errorBeforeContent, result: opening.kind };
  }
  if (opening.kind === "aborted") {
    return {
      ...errorBeforeContent,
      code: "client_closed_request",
      retry: "none",
      blame: "none",
      result: "client_left",
    };
  }
  return { ...errorBeforeContent, retry: "paid_twice", result: "empty_stream" };
}

/** The error a client gets for a failed attempt; the upstream's own words only if the request was at fault. */
export function toAttemptError(failure: AttemptFailure, upstreamError: UpstreamError | null): AppError {
  return new AppError(failure.code, {
    ...(upstreamError === null ? {} : { message: upstreamError.message, upstream: upstreamError }),
    ...(failure.retryAfterSeconds === null ? {} : { retryAfterSeconds: failure.retryAfterSeconds }),
    ...(failure.retryAfterMs === null ? {} : { retryAfterMs: failure.retryAfterMs }),
    isFinal: failure.isLasting,
    ...(failure.isRequestFault && failure.status !== null ? { status: failure.status } : {}),
    internal: { upstreamStatus: failure.status, result: failure.result },
  });
}
