import { errorDefinition } from "@sluice/contracts/errors";
import { HttpClientError, type HttpResponse } from "@sluice/http-client/model";
import { noUnits } from "../models/units.ts";
import { asBuffer } from "../platform/as-buffer.ts";
import { AppError, toAppError } from "../platform/errors.ts";
import {
  continuing,
  eventStreamType,
  firstEditOf,
  headersOf,
  idleOf,
  type ReadyPlan,
  readyAnswer,
  streamHeadersOf,
  wholeFor,
} from "./attempt-answer.ts";
import { noteAttempt, noteStreamEnd, seenOf } from "./attempt-channels.ts";
import { classify, meaningOf, refuseAnswer, refuseError, unless } from "./attempt-outcomes.ts";
import { answeredOf, measureStreamOf } from "./attempt-usage.ts";
import type { CallEnder } from "./call-ender.ts";
import { keepPiece, toBegunReport } from "./call-state.ts";
import type { ChannelUse } from "./channels/channel-load.ts";
import type { Ability } from "./channels/model.ts";
import { boundSilence } from "./dispatch/bound-silence.ts";
import { acceptOf, composeRequest, hopHeader, withHop } from "./dispatch/compose-request.ts";
import { forward } from "./dispatch/forward.ts";
import { asksForUsage, refusesUsageOption, UsageOptions, withoutUsageOption } from "./dispatch/usage-option.ts";
import type { AdmittedCall, CallState, FailedAttempt, GatewayResponse, StreamEnding } from "./model.ts";
import type { Operation } from "./operations/model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { failedBy, failedByToken } from "./respond/classify-status.ts";
import { answeringNode, formOf, isEventStream } from "./respond/compose-answer.ts";
import { readEventNote, readNote, readRefusal } from "./respond/read-upstream-error.ts";
import { EventStream } from "./respond/stream-events.ts";
import { openingFailure, streamProblem, streamResult } from "./respond/translate-ending.ts";
import { errorEventTo, withCallId, writeErrorTo } from "./respond/write-error.ts";
import { measureAnswer, measureUnread, StreamMeter } from "./settle/measure-usage.ts";
import { openConverter } from "./upstreams/conversion-order.ts";
import { withChangedFields } from "./upstreams/edit-body.ts";
import { planRequest, type RequestPlan } from "./upstreams/plan-request.ts";
import { TokenError } from "./upstreams/token-error.ts";
import type { Measured } from "./usage-count/model.ts";

const answerBytesMax = 64 * 1024 * 1024;

type Outcome = GatewayResponse | FailedAttempt;
type PlannedTry = { readonly use: ChannelUse; readonly plan: RequestPlan; readonly silenceMsMax: number };

/** A stream, and the time by which its first event must arrive. */
type BegunStream = { readonly plan: RequestPlan; readonly response: HttpResponse; readonly firstEventTick: number };

/**
 * One attempt of a call at one channel: request, response and settlement, in the dialect of the channel. A response is
 * measured as the channel sent it and converted afterwards, if the client speaks another dialect.
 */
export class CallAttempts {
  readonly #deps: PipelineDeps;
  readonly #ender: CallEnder;
  readonly #usageOptions: UsageOptions;

  constructor(deps: PipelineDeps, ender: CallEnder) {
    this.#deps = deps;
    this.#ender = ender;
    this.#usageOptions = new UsageOptions(deps.clock);
  }

  /** One channel, tried once more if it refused only the usage option that we added. */
  try(
    state: AdmittedCall,
    operation: Operation,
    use: ChannelUse,
    { silenceMsMax, ability }: { readonly silenceMsMax: number; readonly ability: Ability },
  ): Promise<Outcome> {
    const planning = planRequest(this.#deps, state, operation, ability);
    const planned = { use, ability, silenceMsMax };
    return planning instanceof Promise
      ? planning.then((plan) => this.#tryPlan(state, operation, plan, planned))
      : this.#tryPlan(state, operation, planning, planned);
  }

  #tryPlan(
    state: AdmittedCall,
    operation: Operation,
    plan: RequestPlan | FailedAttempt,
    { use, ability, silenceMsMax }: Planned,
  ): Promise<Outcome> {
    if ("failure" in plan) {
      return Promise.resolve(plan);
    }
    const { ready, answers, dropped } = plan;
    state.dropped = dropped;
    state.upstreamModel = ability.upstreamModel ?? state.model.name;
    if (ready !== null && answers !== null) {
      return Promise.resolve(this.#answerReady(state, use, { ready, dropped, way: answers }));
    }
    return asksForUsage(plan.request)
      ? this.#askForUsage(state, operation, { use, plan, silenceMsMax })
      : this.#attempt(state, operation, { use, plan, silenceMsMax });
  }

  async #askForUsage(state: AdmittedCall, operation: Operation, planned: PlannedTry): Promise<Outcome> {
    const { use, plan } = planned;
    const { channel } = use;
    const { request } = plan;
    const asks = channel.flags.asks_usage && this.#usageOptions.asks(channel.id);
    const bare = (): PlannedTry => ({ ...planned, plan: { ...plan, request: withoutUsageOption(request) } });
    const first = await this.#attempt(state, operation, asks ? planned : bare());
    if (!asks || !("failure" in first) || !refusesUsageOption(first, request)) {
      return first;
    }
    noteAttempt(this.#deps, state, use, seenOf(first));
    const second = await this.#attempt(state, operation, bare());
    if (!("failure" in second)) {
      this.#usageOptions.leaveOut(channel.id);
    }
    return second;
  }

  async #attempt(state: AdmittedCall, operation: Operation, { use, plan, silenceMsMax }: PlannedTry): Promise<Outcome> {
    const { call } = state;
    const { channel } = use;
    const hops = withHop(call.headers.get(hopHeader), this.#deps.hopMark);
    const exitAccount = state.exitNodes?.get(channel.id) ?? null;
    const { upstreamLimits, readOnRoom, clock } = this.#deps;
    state.readOn = operation.isReadOn ? readOnRoom.open(state.principal.gatewayUserId, clock) : null;
    const limits = boundSilence(state, operation, channel, { silenceMsMax, upstreamLimits });
    const { endpoint, path, query } = plan;
    const credential = use.credential?.secret ?? null;
    state.exitNode = null;
    const firstEventTick = clock.tick() + limits.firstByteTimeoutMs;
    const sent = withChangedFields(plan.request, channel.changes);
    const composed = composeRequest(call, sent, channel, {
      dialect: plan.operation.dialect,
      endpoint,
      path,
      query,
      hops,
      exitAccount,
      credential,
      limits,
      accept: acceptOf(operation),
      signal: call.signal,
    });
    const authorized = this.#deps.authorizer.authorize(composed, endpoint.auth, credential);
    const ready = authorized instanceof Promise ? await authorized : authorized;
    if (ready instanceof TokenError) {
      return failedByToken(ready);
    }
    let response: HttpResponse;
    try {
      response = await forward(this.#deps.client, ready);
    } catch (error) {
      if (error instanceof HttpClientError) {
        return failedBy(error);
      }
      throw error;
    }
    state.exitNode = answeringNode(response, channel.exitNode);
    const failure = classify(response, operation);
    if (failure !== null) {
      this.#deps.authorizer.noteStatus(response.status, credential);
      return await readRefusal(response, failure, channel, sent.body);
    }
    const form = formOf(response, plan.operation);
    if (typeof form === "object") {
      return refuseAnswer(response, form.refused);
    }
    if (form === "pieces" && plan.answers !== null && !plan.request.isStream) {
      return refuseAnswer(response, "unasked_stream");
    }
    return form === "whole"
      ? await this.#collect(state, plan, use, response)
      : await this.#stream(state, operation, use, { plan, response, firstEventTick });
  }

  /** A response that comes whole is settled before the client sees a byte of it. */
  async #collect(state: AdmittedCall, plan: RequestPlan, use: ChannelUse, response: HttpResponse): Promise<Outcome> {
    const call = answeredOf(state, plan);
    let body: Buffer;
    try {
      const reading = response.body.bytesNow(answerBytesMax);
      body = asBuffer(reading instanceof Promise ? await reading : reading);
    } catch (error) {
      if (error instanceof HttpClientError) {
        return error.kind === "aborted"
          ? this.#leave(state, use, response.status, measureUnread(call))
          : failedBy(error);
      }
      throw error;
    }
    const measured = measureAnswer(body, call);
    const { form } = measured;
    if (form !== "answer") {
      const sent = plan.request.body;
      return form === "error_event"
        ? refuseError(response, JSON.parse(body.toString("utf8")), use.channel, sent)
        : refuseAnswer(response, form, readNote(body, use.channel, sent));
    }
    const { signal } = state.call;
    const converting = wholeFor(this.#deps, state, plan, body);
    // A client that leaves meanwhile gets nothing, and owes what was measured.
    const converted = converting instanceof Promise ? await unless(signal, converting) : converting;
    if (signal.aborted) {
      return this.#leave(state, use, response.status, measured);
    }
    const fitting = continuing(state, converted);
    if (fitting === null) {
      return refuseAnswer(response, "not_convertible");
    }
    const { bytes, isEvents } = fitting;
    state.isStream ||= isEvents;
    noteAttempt(this.#deps, state, use, { status: response.status, result: "answered" });
    this.#deps.loads.answered(use);
    this.#deps.loads.end(use, "none");
    this.#noteFirstByte(state);
    keepPiece(state, bytes);
    const end = { ...measured, outcome: "completed", httpStatus: response.status, errorCode: null } as const;
    await this.#ender.settle(state, end, errorDefinition("storage_unavailable").status);
    const headers = headersOf(response, state, plan);
    if (isEvents) {
      headers["content-type"] = eventStreamType;
    }
    const answer = { status: response.status, headers, body: bytes };
    if (state.recording !== null) {
      recordWhole(state, answer, measured);
    }
    return answer;
  }

  /** The channel would have nothing to do, so it is not asked. */
  #answerReady(state: AdmittedCall, use: ChannelUse, ready: ReadyPlan): GatewayResponse {
    const answer = readyAnswer(state, ready);
    this.#deps.loads.withdraw(use);
    keepPiece(state, answer.body);
    this.#ender.finishFree(state, answer.status);
    return answer;
  }

  /** An answer that no provider has given. */
  async answerFree(state: AdmittedCall, value: object): Promise<GatewayResponse> {
    const body = Buffer.from(JSON.stringify(value));
    keepPiece(state, body);
    const measured = { units: noUnits, usageSource: "none", isImplausible: false } as const;
    await this.#ender.settle(state, { outcome: "completed", httpStatus: 200, errorCode: null, ...measured });
    return { status: 200, headers: withCallId({ "content-type": "application/json" }, state), body };
  }

  /** The client left after the head of a response: it gets nothing and owes what was measured. */
  async #leave(state: AdmittedCall, use: ChannelUse, status: number, measured: Measured): Promise<GatewayResponse> {
    const error = new AppError("client_closed_request");
    noteAttempt(this.#deps, state, use, { status, result: streamResult({ kind: "aborted" }) });
    this.#deps.loads.release(use);
    const { status: httpStatus, code: errorCode } = error;
    await this.#ender.settle(state, { outcome: "aborted", httpStatus, errorCode, ...measured });
    return writeErrorTo(state, error);
  }

  async #stream(
    state: AdmittedCall,
    operation: Operation,
    use: ChannelUse,
    { plan, response, firstEventTick }: BegunStream,
  ): Promise<Outcome> {
    const { clock, loads, streamStallTimeoutMs, upstreamLimits } = this.#deps;
    const isEvents = isEventStream(response);
    // The response of a path without rules of its own is not inspected.
    const form = isEvents ? plan.operation.stream : "raw";
    state.isStream ||= isEvents;
    const meter = new StreamMeter(this.#deps.clock, plan.operation.dialect, plan.usageDialect);
    state.readOn?.listen(meter);
    let isLastKept = false;
    const { answers } = plan;
    const converter = answers === null ? null : openConverter(answers);
    const events = new EventStream({
      form,
      converter,
      editFirst: firstEditOf(state, plan),
      idle: idleOf(operation, converter),
      hidesUsage: !state.request.wantsUsage,
      isWholeAtEof: converter !== null && state.call.traits?.()?.modelFlags.lenient_eof === true,
      firstEventMs: () => firstEventTick - clock.tick(),
      stallTimeoutMs: streamStallTimeoutMs,
      afterAbort: state.readOn ?? upstreamLimits.afterAbort,
      onSent: (piece) => {
        this.#noteFirstByte(state);
        state.recording?.add(piece);
        if (!isLastKept) {
          keepPiece(state, piece);
        }
      },
      // The report of the call has all that its client gets.
      onLast: (piece) => {
        isLastKept = true;
        keepPiece(state, piece);
      },
      onWhole: () => state.recording?.finish(),
      onPayload: (payload, isDelivered) => meter.add(payload, isDelivered),
      onEnding: async (ending) => {
        const note = readEventNote(ending, use.channel, plan.request.body);
        noteStreamEnd(this.#deps, state, use, { status: response.status, ending, note });
        const toEvent = (error: AppError) => errorEventTo(state, error, operation.stream);
        return {
          errorEvent: await this.#settleStream(state, plan, ending, { meter, toEvent, response }),
          postscript: state.call.postscript?.() ?? null,
          // Clients of the Messages API raise its error event, whatever comes after it.
          isOrderly: converter !== null && operation.stream === "messages",
        };
      },
    });
    const opening = await events.open(response.body);
    if (opening.kind === "aborted") {
      return this.#leave(state, use, response.status, measureStreamOf(state, plan, "aborted", meter));
    }
    if (opening.kind !== "open") {
      if (opening.kind === "error_event") {
        return refuseError(response, opening.payload, use.channel, plan.request.body);
      }
      return opening.kind === "cut" && opening.error !== null
        ? failedBy(opening.error)
        : { failure: openingFailure(opening), upstreamError: null, note: null };
    }
    loads.answered(use);
    const answer = {
      status: response.status,
      headers: streamHeadersOf(response, state, plan),
      body: events.stream,
    };
    return form === "raw" ? { ...answer, begun: toBegunReport(state, response.status) } : answer;
  }

  /** Settles a finished stream; returns the error event for the client, or null. */
  async #settleStream(
    state: AdmittedCall,
    plan: RequestPlan,
    ending: StreamEnding,
    { meter, toEvent, response }: StreamSettling,
  ): Promise<Uint8Array | null> {
    const problem = streamProblem(ending, meaningOf(ending));
    const outcome = ending.kind === "completed" || ending.kind === "aborted" ? ending.kind : "failed";
    const measured = measureStreamOf(state, plan, outcome, meter);
    const event = problem === null ? null : toEvent(problem);
    if (event !== null && outcome === "failed") {
      keepPiece(state, event);
    }
    const httpStatus = outcome === "aborted" ? 499 : 200;
    try {
      await this.#ender.settle(state, { outcome, httpStatus, errorCode: problem?.code ?? null, ...measured });
      // The client of a stream that began by itself already has its beginning.
      if (outcome === "completed" && state.early?.hasBegun !== true) {
        const headers = streamHeadersOf(response, state, plan);
        state.recording?.settle({ headers, isStream: true, model: state.model.name, measured });
      } else {
        state.recording?.drop();
      }
      return event;
    } catch (thrown) {
      state.recording?.drop();
      return toEvent(toAppError(thrown));
    }
  }

  #noteFirstByte(state: CallState): void {
    state.firstByteMs ??= Math.round(this.#deps.clock.tick() - state.call.startedTick);
  }
}

/** Keeps a response that came whole for the response cache. */
function recordWhole(
  { recording, early, isStream, model }: AdmittedCall,
  { status, headers, body }: Pick<GatewayResponse, "status" | "headers"> & { readonly body: Uint8Array },
  measured: Measured,
): void {
  if (status === 200 && early?.hasBegun !== true) {
    recording?.add(body);
    recording?.settle({ headers, isStream, model: model.name, measured });
  }
  recording?.finish();
}

type Planned = { readonly use: ChannelUse; readonly ability: Ability; readonly silenceMsMax: number };

type StreamSettling = {
  readonly meter: StreamMeter;
  readonly toEvent: (error: AppError) => Uint8Array;
  readonly response: HttpResponse;
};
