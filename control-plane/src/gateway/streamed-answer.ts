import type { HttpResponse } from "@sluice/http-client/model";
import type { AnswerCapture } from "../platform/answer-capture.ts";
import { type AppError, toAppError } from "../platform/errors.ts";
import { firstEditOf, idleOf, streamHeadersOf } from "./attempt-answer.ts";
import { noteStreamEnd } from "./attempt-channels.ts";
import { meaningOf } from "./attempt-outcomes.ts";
import { measureStreamOf } from "./attempt-usage.ts";
import type { CallEnder } from "./call-ender.ts";
import { keepPiece, noteFirstByte } from "./call-state.ts";
import type { ChannelUse } from "./channels/channel-load.ts";
import type { AdmittedCall, CallEnd, StreamEnding } from "./model.ts";
import type { Operation, StreamForm } from "./operations/model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { readEventNote } from "./respond/read-upstream-error.ts";
import type { StreamKind } from "./respond/stream-events/shared-shapes.ts";
import type { SentKeeper, StreamClosing, StreamOwner } from "./respond/stream-events/stream-owner.ts";
import { streamProblem } from "./respond/translate-ending.ts";
import { errorEventTo } from "./respond/write-error.ts";
import type { Recording } from "./response-cache/recording.ts";
import { StreamMeter } from "./settle/measure-usage.ts";
import { openConverter } from "./upstreams/conversion-order.ts";
import type { EventConverter } from "./upstreams/convert-answer.ts";
import type { RequestPlan } from "./upstreams/plan-request.ts";
import type { EventText, EventTexts, Measured, UnreportedTexts } from "./usage-count/model.ts";

/** A stream that a channel has begun, and the time by which its first event must arrive. */
export type BegunStream = {
  readonly state: AdmittedCall;
  readonly operation: Operation;
  readonly use: ChannelUse;
  readonly plan: RequestPlan;
  readonly response: HttpResponse;
  readonly firstEventTick: number;
};

/**
 * What a call makes of the events of its stream: they are kept, counted and, at the end, paid for. One object, because much
 * of it is needed for every event, when the memory of hundreds of other streams has been touched since the last one.
 */
export class StreamedAnswer implements StreamOwner {
  readonly form: StreamForm;
  readonly converter: EventConverter | null;
  readonly editFirst: ((event: Buffer) => Buffer) | null;
  readonly idle: (() => Buffer | null) | null;
  readonly hidesUsage: boolean;
  readonly isWholeAtEof: boolean;
  readonly stallTimeoutMs: number;
  readonly afterAbort: StreamOwner["afterAbort"];
  readonly #state: AdmittedCall;
  readonly #meter: StreamMeter;
  /** Those of the state, which is in cold memory when an event comes. */
  readonly #capture: AnswerCapture;
  readonly #recording: Recording | null;
  #hasBegun = false;
  #isLastKept = false;
  readonly #begun: BegunStream;
  readonly #deps: PipelineDeps;
  readonly #ender: CallEnder;

  /** @param form of its events; `raw` for a response that is not inspected */
  constructor(deps: PipelineDeps, ender: CallEnder, begun: BegunStream, form: StreamForm) {
    const { state, operation, plan } = begun;
    const { answers } = plan;
    this.form = form;
    this.converter = answers === null ? null : openConverter(answers);
    this.editFirst = firstEditOf(state, plan);
    this.idle = idleOf(operation, this.converter);
    this.hidesUsage = !state.request.wantsUsage;
    this.isWholeAtEof = this.converter !== null && state.call.traits?.()?.modelFlags.lenient_eof === true;
    this.stallTimeoutMs = deps.streamStallTimeoutMs;
    this.afterAbort = state.readOn ?? deps.upstreamLimits.afterAbort;
    this.#state = state;
    this.#capture = state.capture;
    this.#recording = state.recording;
    this.#meter = new StreamMeter(deps.clock, plan.operation.dialect, plan.usageDialect);
    state.readOn?.listen(this.#meter);
    this.#begun = begun;
    this.#deps = deps;
    this.#ender = ender;
  }

  get kind(): StreamKind {
    const { use, plan, state } = this.#begun;
    return { channel: use.channel, usageDialect: plan.usageDialect, model: state.upstreamModel ?? "" };
  }

  /** What it has used, with this end. */
  measure(outcome: "completed" | "failed" | "aborted"): Measured {
    return measureStreamOf(this.#state, this.#begun.plan, outcome, this.#meter);
  }

  get keeper(): SentKeeper | null {
    return this.#recording === null ? this.#capture : null;
  }

  firstEventMs(): number {
    return this.#begun.firstEventTick - this.#deps.clock.tick();
  }

  onSent(packet: Buffer, start: number, end: number): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      noteFirstByte(this.#state, this.#deps.clock.tick());
    }
    this.#recording?.add(packet.subarray(start, end));
    if (!this.#isLastKept) {
      this.#capture.keepPart(packet, start, end);
    }
  }

  onFailure(error: unknown): void {
    this.#deps.log.error("stream.failed", { requestId: this.#state.call.requestId, error });
  }

  /** The report of the call has all that its client gets. */
  onLast(piece: Buffer): void {
    this.#isLastKept = true;
    try {
      keepPiece(this.#state, piece);
    } catch (error) {
      // The report is less than the end of the call, which comes next.
      this.onFailure(error);
    }
  }

  onWhole(): void {
    this.#recording?.finish();
  }

  onPayload(payload: Record<string, unknown>, isDelivered: boolean): void {
    this.#meter.add(payload, isDelivered);
  }

  textOf(payload: Record<string, unknown>): EventText | null {
    return this.#meter.textOf(payload);
  }

  onShape(payload: Record<string, unknown>): void {
    this.#meter.addShape(payload);
  }

  onTexts(texts: EventTexts): void {
    this.#meter.addTexts(texts);
  }

  follow(unreported: UnreportedTexts): void {
    this.#meter.follow(unreported);
  }

  onEnding(ending: StreamEnding, onSettled: (closing: StreamClosing) => void): void {
    const { use, plan, response, operation } = this.#begun;
    const state = this.#state;
    // Clients of the Messages API raise its error event, whatever comes after it.
    const isOrderly = this.converter !== null && operation.stream === "messages";
    const close = (errorEvent: Uint8Array | null): void =>
      onSettled({ errorEvent, postscript: state.call.postscript?.() ?? null, isOrderly });
    try {
      const note = readEventNote(ending, use.channel, plan.request.body);
      noteStreamEnd(this.#deps, state, use, { status: response.status, ending, note });
      this.#settle(ending, close);
    } catch (thrown) {
      const error = toAppError(thrown);
      this.#deps.log.warn("call.failed", { requestId: state.call.requestId, code: error.code, error: thrown });
      // Nobody else would give back what the call holds.
      this.#deps.loads.release(use);
      this.#ender.refuse(state, error, statusOf(ending));
      this.#fail(error, close);
    }
  }

  /** @param onSettled is called once, with the error event for the client, or null */
  #settle(ending: StreamEnding, onSettled: (errorEvent: Uint8Array | null) => void): void {
    const { end, event, measured } = this.#endOf(ending);
    this.#ender.settleThen(this.#state, end, end.httpStatus, {
      onSettled: () => {
        this.#keepRecording(end.outcome, measured);
        onSettled(event);
      },
      onFailed: (thrown) => this.#fail(thrown, onSettled),
    });
  }

  #fail(thrown: unknown, onSettled: (errorEvent: Uint8Array) => void): void {
    this.#recording?.drop();
    onSettled(this.#toEvent(toAppError(thrown)));
  }

  #endOf(ending: StreamEnding): { end: CallEnd; event: Uint8Array | null; measured: Measured } {
    const problem = streamProblem(ending, meaningOf(ending));
    const outcome = ending.kind === "completed" || ending.kind === "aborted" ? ending.kind : "failed";
    const measured = this.measure(outcome);
    const event = problem === null ? null : this.#toEvent(problem);
    if (event !== null && outcome === "failed") {
      keepPiece(this.#state, event);
    }
    const httpStatus = statusOf(ending);
    return { end: { outcome, httpStatus, errorCode: problem?.code ?? null, ...measured }, event, measured };
  }

  #toEvent(error: AppError): Uint8Array {
    return errorEventTo(this.#state, error, this.#begun.operation.stream);
  }

  /** Keeps a complete stream for the next call that asks for the same, if its key uses the cache. */
  #keepRecording(outcome: CallEnd["outcome"], measured: Measured): void {
    const { early, model } = this.#state;
    const recording = this.#recording;
    // The client of a stream that began by itself already has its beginning.
    if (recording !== null && outcome === "completed" && early?.hasBegun !== true) {
      const headers = streamHeadersOf(this.#begun.response, this.#state, this.#begun.plan);
      recording.settle({ headers, isStream: true, model: model.name, measured });
    } else {
      recording?.drop();
    }
  }
}

/** The status of a stream that has begun; a client that leaves has a status of its own. */
const statusOf = ({ kind }: StreamEnding): number => (kind === "aborted" ? 499 : 200);
