import type { AbortNotice, HttpResponse } from "@sluice/http-client/model";
import type { Channel } from "./channels/model.ts";
import type { AttemptFailure, FailedAttempt, StreamEnding } from "./model.ts";
import type { Operation } from "./operations/model.ts";
import { classifyStatus, malformedResponse } from "./respond/classify-status.ts";
import { readInnerError, statusOfError } from "./respond/read-upstream-error.ts";
import { openingFailure } from "./respond/translate-ending.ts";

/* What the outcome of an attempt says. */

/** A count is limited on its own at a provider, or not offered at all, which says nothing about other calls. */
export function classify({ status, headers }: HttpResponse, { handling }: Operation): AttemptFailure | null {
  const failure = classifyStatus(status, headers);
  return failure === null || handling !== "count" ? failure : { ...failure, blame: "none", needsCooldown: false };
}

/** A successful status with a body that can't be the response to this call. */
export function refuseAnswer(response: HttpResponse, result: string, note: string | null = null): FailedAttempt {
  response.body.cancel();
  return { failure: { ...malformedResponse, status: response.status, result }, upstreamError: null, note };
}

/** A successful status with an error in the body. */
export function refuseError(
  { headers }: HttpResponse,
  payload: unknown,
  channel: Channel,
  sent: Uint8Array,
): FailedAttempt {
  const unnamed = openingFailure({ kind: "error_event" });
  const ofStatus = (status: number) => classifyStatus(status, headers);
  return readInnerError(payload, { ofStatus, unnamed }, channel, sent);
}

/** What an error event says by the status that it would have had; null if it does not say. */
export function meaningOf(ending: StreamEnding): AttemptFailure | null {
  const status = ending.kind === "error_event" ? statusOfError(ending.payload) : null;
  return status === null ? null : classifyStatus(status, []);
}

/** The result of the work, or null once the client has left. */
export async function unless<Result>(signal: AbortNotice, work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted) {
      return null;
    }
    throw error;
  }
}
