import { hasPassed } from "./deadline-ticker.ts";
import type { HttpRequest } from "./model.ts";

/**
 * `sending`: until the first byte of the response; `held`: the head was delivered and nobody has asked for the body;
 * `complete`: the body has ended and nobody has asked for it; `over`: nothing more happens.
 */
export type Phase = "connecting" | "sending" | "head" | "held" | "body" | "complete" | "over";

/** How a peer that is silent for too long makes a request fail. */
type Silence = "connect_timeout" | "upload_timeout" | "first_byte_timeout" | "idle_timeout";

export function isBeforeHead(phase: Phase): boolean {
  return phase === "connecting" || phase === "sending" || phase === "head";
}

/** How the request fails when its connection is lost. */
export function lossIn(phase: Phase): "reset_before_head" | "reset_in_body" {
  return isBeforeHead(phase) ? "reset_before_head" : "reset_in_body";
}

export function partIn(phase: Phase): string {
  return isBeforeHead(phase) ? "the head of its response" : "the body of its response";
}

/** Which silence counts until the head has arrived; null once it has. */
export function silenceBeforeHead(phase: Phase, isUploading: boolean): Silence | null {
  switch (phase) {
    case "connecting":
      return "connect_timeout";
    case "sending":
      return isUploading ? "upload_timeout" : "first_byte_timeout";
    case "head":
      return "idle_timeout";
    default:
      return null;
  }
}

/** How long a peer may be silent. */
export function silenceMsMax(limits: HttpRequest["limits"], silence: Silence): number {
  switch (silence) {
    case "connect_timeout":
      return limits.connectTimeoutMs;
    case "first_byte_timeout":
      return limits.firstByteTimeoutMs;
    default:
      return limits.idleTimeoutMs;
  }
}

/** When the signal fired on a body that may continue for a while, and how much of the body had arrived by then. */
export type Aborted = { readonly atMs: number; readonly bytes: number };

/** Whether a body that continued after its signal fired has used up its time or its bytes. */
export function isAbortOver(
  aborted: Aborted | null,
  { afterAbort }: HttpRequest["limits"],
  receivedBytes: number,
  nowMs: number,
): boolean {
  if (aborted === null || afterAbort === undefined) {
    return false;
  }
  return hasPassed(afterAbort.timeoutMs, aborted.atMs, nowMs) || receivedBytes - aborted.bytes > afterAbort.bytesMax;
}
