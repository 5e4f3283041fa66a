import type { CallReport, CallState, GatewayCall } from "./model.ts";

/** What is kept of an answer for the trace and for counting what was delivered. */
const captureBytesMax = 262_144;

export function newCallState(call: GatewayCall): CallState {
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
    responsePieces: [],
    responseBytes: 0,
    capturedBytes: 0,
  };
}

/** Counts bytes that go to the client, and keeps the first of them. */
export function keepPiece(state: CallState, piece: Uint8Array): void {
  state.responseBytes += piece.byteLength;
  const room = captureBytesMax - state.capturedBytes;
  if (room > 0) {
    const kept = piece.byteLength <= room ? piece : piece.subarray(0, room);
    state.responsePieces.push(kept);
    state.capturedBytes += kept.byteLength;
  }
}

/** What the business relay may know of a call that is over. */
export function toReport(
  state: CallState,
  end: Pick<CallReport, "outcome" | "httpStatus" | "errorCode"> & { inputTokens: bigint; outputTokens: bigint },
  durationMs: number,
): CallReport {
  const { principal } = state;
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
    responsePieces: state.responsePieces,
    responseBytes: state.responseBytes,
  };
}
