import type { Bytes } from "@sluice/http-client/packet-part";
import { noUnits, type Units } from "../models/units.ts";
import { AnswerCapture, type CaptureAllowance } from "../platform/answer-capture.ts";
import type { Attempt } from "../usage/log/model.ts";
import type { CallReport, CallState, GatewayCall } from "./model.ts";

/** Stays empty: the first attempt brings a list of its own. */
const noAttempts: readonly Attempt[] = [];

export function newCallState(call: GatewayCall, captures: CaptureAllowance | null): CallState {
  return {
    call,
    latestTick: call.startedTick,
    attempts: noAttempts,
    principal: null,
    request: null,
    model: null,
    askedModel: null,
    labels: null,
    hold: null,
    bound: null,
    channelId: null,
    exitNodes: null,
    exitNode: null,
    isStream: false,
    upstreamModel: null,
    dropped: null,
    early: null,
    bodyShare: null,
    readOn: null,
    recording: null,
    isLimited: false,
    isSettled: false,
    firstByteMs: null,
    capture: new AnswerCapture(captures),
  };
}

/** Counts bytes sent to the client, and keeps the first of them. */
export function keepPiece(state: CallState, piece: Bytes): void {
  state.capture.keep(piece);
}

/** Bytes of the response go to the client. */
export function noteFirstByte(state: CallState, tick: number): void {
  state.firstByteMs ??= Math.round(tick - state.call.startedTick);
}

type ReportedEnd = Pick<CallReport, "outcome" | "httpStatus" | "errorCode">;
type ReportedTokens = Pick<Units, "inputTokens" | "outputTokens">;

/** What the business relay may know about a finished call; its capture belongs to the report from then on. */
export function toReport(state: CallState, end: ReportedEnd, tokens: ReportedTokens, durationMs: number): CallReport {
  state.capture.release();
  return describe(state, end, tokens, durationMs);
}

/** What is known about a running call from a response that began with this status. */
export function toBegunReport(state: CallState, httpStatus: number): CallReport {
  return describe(state, { outcome: "completed", httpStatus, errorCode: null }, noUnits, 0);
}

function describe(state: CallState, end: ReportedEnd, tokens: ReportedTokens, durationMs: number): CallReport {
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
    inputTokens: state.model === null ? null : tokens.inputTokens,
    outputTokens: state.model === null ? null : tokens.outputTokens,
    firstByteMs: state.firstByteMs,
    durationMs,
    responsePieces: state.capture.pieces,
    responseBytes: state.capture.sentBytes,
  };
}
