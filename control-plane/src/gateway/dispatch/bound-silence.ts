import type { HttpLimits } from "@sluice/http-client/model";
import type { Channel } from "../channels/model.ts";
import type { AdmittedCall, ModelEntry, ParsedRequest } from "../model.ts";
import type { Operation } from "../operations/model.ts";
import type { UpstreamLimits } from "../pipeline-deps.ts";

/** How long a call waits for the beginning of a response. */
export type Patience = {
  /** The limit at one channel, as long as there is another one left to try. */
  readonly attemptMs: number;
  /** The limit at all channels together. */
  readonly callMs: number;
};

/** The properties of a call that make its response take longer. */
export type Work = Pick<ParsedRequest, "isStream" | "inputBytes" | "bounds">;

/** The share of its whole time that a call may spend at one channel when there is another. */
const attemptShare = 0.45;
/** The base time, before any input is read or output generated. */
const wholeMsMin = 20_000;
/** A slow provider reads 10,000 bytes of a prompt, and generates 25 tokens or a sixtieth of an image, in a second. */
const inputMsPerByte = 0.1;
const outputMsPerToken = 40;
const outputMsPerImage = 60_000;

/**
 * How long to wait for a call, so that a silent provider is given up soon and a working one is not. A stream begins
 * with its first event, anything else when it is complete.
 * @param limits how long a stream with a short prompt may take to begin, and how long any response may
 */
export function patienceFor(
  { isStream, inputBytes, bounds }: Work,
  model: Pick<ModelEntry, "outputTokensMax">,
  limits: Pick<UpstreamLimits, "firstTokenTimeoutMs" | "firstByteTimeoutMs">,
): Patience {
  const readMs = inputBytes * inputMsPerByte;
  const outputTokens = Math.min(bounds.outputTokensMax ?? model.outputTokensMax, model.outputTokensMax);
  const attemptMs = isStream
    ? limits.firstTokenTimeoutMs * attemptShare + readMs
    : wholeMsMin + readMs + outputTokens * outputMsPerToken + bounds.outputImages * outputMsPerImage;
  const { firstByteTimeoutMs } = limits;
  return {
    // If the total is capped, one attempt gets only part of it, so that another channel can still be tried.
    attemptMs: Math.min(attemptMs, firstByteTimeoutMs * attemptShare),
    callMs: Math.min(attemptMs / attemptShare, firstByteTimeoutMs),
  };
}

/**
 * The patience for a call of an operation; what a path without rules of its own does, and how long it takes, is unknown.
 */
export function boundPatience(
  { request, model }: AdmittedCall,
  { handling }: Pick<Operation, "handling">,
  limits: UpstreamLimits,
): Patience {
  const { firstByteTimeoutMs } = limits;
  return handling === "pass"
    ? { attemptMs: firstByteTimeoutMs, callMs: firstByteTimeoutMs }
    : patienceFor(request, model, limits);
}

/** The properties of a call that determine how long its response may be silent. */
type SilentCall = {
  readonly isStream: boolean;
  readonly request: Work;
  readonly model: Pick<ModelEntry, "outputTokensMax">;
  readonly readOn: HttpLimits["afterAbort"] | null;
};

/**
 * The limits of one attempt. A channel's own take precedence over all others. Between two packets of a streamed
 * response a model may think for as long as a whole response would take. A response that comes whole may be silent in
 * the middle only as long as before its beginning: none of it has reached the client, so another channel may still be
 * tried.
 * @param silenceMsMax until the response begins
 */
export function boundSilence(
  { isStream, request, model, readOn }: SilentCall,
  { isSilentWhileThinking }: Pick<Operation, "isSilentWhileThinking">,
  channel: Pick<Channel, "firstByteTimeoutMs" | "idleTimeoutMs">,
  { silenceMsMax, upstreamLimits }: { readonly silenceMsMax: number; readonly upstreamLimits: UpstreamLimits },
): HttpLimits {
  const thinks = isStream && isSilentWhileThinking;
  const patience = thinks ? patienceFor({ ...request, isStream: false }, model, upstreamLimits) : null;
  const usual = Math.max(upstreamLimits.idleTimeoutMs, patience?.callMs ?? 0);
  const idleTimeoutMs = channel.idleTimeoutMs ?? (isStream ? usual : Math.min(usual, silenceMsMax));
  const firstByteTimeoutMs = channel.firstByteTimeoutMs ?? silenceMsMax;
  return {
    connectTimeoutMs: upstreamLimits.connectTimeoutMs,
    firstByteTimeoutMs,
    firstBodyByteTimeoutMs: firstByteTimeoutMs,
    idleTimeoutMs,
    totalTimeoutMs: upstreamLimits.totalTimeoutMs,
    responseBytesMax: upstreamLimits.responseBytesMax,
    afterAbort: readOn ?? upstreamLimits.afterAbort,
  };
}
