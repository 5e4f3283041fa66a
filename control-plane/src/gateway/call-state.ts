import { AnswerCapture, type CaptureAllowance } from "./answer-capture.ts";
import type { CallReport, CallState, GatewayCall } from "./model.ts";

export function newCallState(call: GatewayCall, captures: CaptureAllowance | null): CallState {
  return {
    call,
    attempts: [],
    principal: null,
    request: null,
    model: null,
    hold: null,
    channelId: null,
    isStream: false,
    isLimited: false,
    isSettled: false,
    firstByteMs: null,
    capture: new AnswerCapture(captures),
    responseBytes: 0,
  };
}

/** Counts bytes that go to the client, and keeps the first of them. */
export function keepPiece(state: CallState, piece: Uint8Array): void {
  state.responseBytes += piece.byteLength;
  state.capture.keep(piece);
}

/** What the business relay may know of a call that is over; its capture belongs to the report from then on. */
export function toReport(
  state: CallState,
  end: Pick<CallReport, "outcome" | "httpStatus" | "errorCode"> & { inputTokens: bigint; outputTokens: bigint },
  durationMs: number,
): CallReport {
  const { principal } = state;
  state.capture.release();
  return {
    userId: principal?.userId ?? null,
    gatewayUserId: principal?.gatewayUserId ?? null,
    apiKeyId: principal?.apiKeyId ?? null,
    isPayloadTraced: principal?.isPayloadTraced ?? false,
    model: state.model?.name ?? state.request?.model?.slice(0, 256) ?? null,
    outcome: end.outcome,
    errorCode: end.errorCode,
    httpStatus: end.httpStatus,
    isStream: state.isStream,
    inputTokens: state.model === null ? null : end.inputTokens,
    outputTokens: state.model === null ? null : end.outputTokens,
    firstByteMs: state.firstByteMs,
    durationMs,
    responsePieces: state.capture.pieces,
    responseBytes: state.responseBytes,
  };
}
