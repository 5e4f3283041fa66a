import { errorDefinition } from "@sluice/contracts/errors";
import { dialectRoots } from "@sluice/contracts/upstreams";
import { HttpClientError, type HttpResponse } from "@sluice/http-client/model";
import { AppError, toAppError } from "../platform/errors.ts";
import { readApiKey } from "./admit/authenticate-key.ts";
import { checkKeyState, checkModelAccess, checkPassThrough, checkPrice } from "./admit/check-access.ts";
import { checkContentType } from "./admit/parse-request.ts";
import { boundCost, boundUnits, plausibleUnits, reserveQuota } from "./admit/reserve-quota.ts";
import { attemptChannels, noteAttempt, noteStreamEnd, seenOf } from "./attempt-channels.ts";
import { CallEnder } from "./call-ender.ts";
import { keepPiece, newCallState, toBegunReport } from "./call-state.ts";
import type { ChannelUse } from "./channels/channel-load.ts";
import { allowExitNodes, findExitNodes } from "./dispatch/allow-exit-nodes.ts";
import { allowPassThrough } from "./dispatch/allow-pass-through.ts";
import { boundPatience, boundSilence } from "./dispatch/bound-silence.ts";
import { acceptOf, checkQuery, composeRequest, hasPassed, hopHeader, withHop } from "./dispatch/compose-request.ts";
import { forward } from "./dispatch/forward.ts";
import { refusesUsageOption, UsageOptions, withoutUsageOption } from "./dispatch/usage-option.ts";
import { FreeAnswer } from "./errors.ts";
import { answerModels } from "./list-models.ts";
import type {
  AdmittedCall,
  CallState,
  FailedAttempt,
  GatewayCall,
  GatewayResponse,
  ParsedRequest,
  StreamEnding,
} from "./model.ts";
import type { Operation } from "./operations/model.ts";
import { findOperation, isPlainPath } from "./operations/table.ts";
import { parseBody } from "./parse-body.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import type { GatewayPort } from "./port.ts";
import { classifyStatus, failedBy, malformedResponse } from "./respond/classify-status.ts";
import { answerHeaders, answeringNode, formOf, isEventStream, namingNode } from "./respond/compose-answer.ts";
import { readEventNote, readNote, readRefusal } from "./respond/read-upstream-error.ts";
import { EventStream } from "./respond/stream-events.ts";
import { openingFailure, streamProblem, streamResult } from "./respond/translate-ending.ts";
import { errorEvent, writeError } from "./respond/write-error.ts";
import { measureAnswer, measureStream, measureUnread, StreamMeter } from "./settle/measure-usage.ts";
import { withChangedFields } from "./upstreams/edit-body.ts";
import { withModelName } from "./upstreams/model-name.ts";
import type { AnsweredCall, Measured, StreamedResponse } from "./usage-count/model.ts";

const answerBytesMax = 64 * 1024 * 1024;

/** A stream, and the time by which its first event must arrive. */
type BegunStream = { readonly response: HttpResponse; readonly firstEventTick: number };

/**
 * The path of a call: admit > dispatch > respond > settle. All branches are here except those of the attempt loop,
 * which sessions share; the steps know nothing of each other.
 */
export class Pipeline implements GatewayPort {
  readonly #deps: PipelineDeps;
  readonly #ender: CallEnder;
  readonly #usageOptions: UsageOptions;

  constructor(deps: PipelineDeps) {
    this.#deps = deps;
    this.#ender = new CallEnder(deps);
    this.#usageOptions = new UsageOptions(deps.clock);
  }

  async handle(call: GatewayCall): Promise<GatewayResponse> {
    const state = newCallState(call, this.#deps.captures);
    try {
      const operation = this.#route(call);
      await this.#authenticate(state);
      if (operation.handling === "list") {
        return this.#listModels(state);
      }
      return await this.#dispatch(await this.#admit(state, operation), operation);
    } catch (thrown) {
      if (thrown instanceof FreeAnswer) {
        this.#ender.finishFree(state, thrown.answer.status);
        return thrown.answer;
      }
      const error = toAppError(thrown);
      if (error.code === "internal_error" || error.status >= 502) {
        const { code, internal } = error;
        const { requestId } = call;
        // Provider messages must not be logged: they may quote the request.
        const attempts = state.attempts.map(({ said: _, ...attempt }) => attempt);
        this.#deps.log.warn("call.failed", { requestId, code, internal, attempts, error: thrown });
      }
      const answer = namingNode(writeError(error), state.exitNode);
      keepPiece(state, answer.body as Uint8Array);
      this.#ender.refuse(state, error);
      return answer;
    }
  }

  #route(call: GatewayCall): Operation {
    if (!isPlainPath(call.path)) {
      throw new AppError("not_found");
    }
    const operation = findOperation(call.path);
    if (operation.methods.length === 0) {
      throw new AppError("not_found");
    }
    if (!operation.methods.includes(call.method)) {
      throw new AppError("method_not_allowed", { allowedMethods: operation.methods.join(", ") });
    }
    checkQuery(call.query);
    return operation;
  }

  async #authenticate(state: CallState): Promise<void> {
    const { call } = state;
    const { directory, digestKey, clock, hopMark } = this.#deps;
    // This check comes before the key is checked: a looping request carries a channel's credential, which need not be
    // one of our keys.
    if (hasPassed(call.headers.get(hopHeader), hopMark)) {
      throw new AppError("loop_detected");
    }
    const found = directory.find(digestKey(readApiKey(call.headers)));
    const principal = found instanceof Promise ? await found : found;
    if (principal === null) {
      throw new AppError("invalid_api_key");
    }
    checkKeyState(principal, call.clientIp, clock.now());
    state.principal = principal;
  }

  #listModels(state: CallState): GatewayResponse {
    const { principal, call } = state;
    if (principal === null) {
      throw new Error("models were listed without a key");
    }
    const answer = answerModels(call.path, principal, this.#deps.catalog());
    keepPiece(state, answer.body as Uint8Array);
    this.#ender.finishFree(state, answer.status);
    return answer;
  }

  async #admit(state: CallState, operation: Operation): Promise<AdmittedCall> {
    const { call, principal } = state;
    const { catalog, leases, limits, usage } = this.#deps;
    if (principal === null) {
      throw new Error("a call was admitted without a key");
    }
    limits.begin(principal);
    state.isLimited = true;
    if (!usage.isAccepting()) {
      throw new AppError("storage_unavailable", { retryAfterSeconds: 5 });
    }
    // This check comes before the body is read, so that nobody uploads a body for a path that is not passed through.
    const passThrough = operation.handling === "pass" ? checkPassThrough(principal, catalog(), call) : null;
    checkContentType(call.headers, operation);
    state.bodyShare = this.#deps.bodyRoom.share(principal.gatewayUserId);
    const parsing = parseBody(this.#deps, await call.readBody(state.bodyShare), call, operation);
    const request = parsing instanceof Promise ? await parsing : parsing;
    state.request = request;
    state.isStream = request.isStream;
    const model = passThrough ?? checkModelAccess(principal, request.model ?? "", catalog().models);
    state.model = model;
    checkPrice(request, model, operation);
    const reserved = reserveQuota(leases, principal, boundCost(request, model));
    const hold = reserved instanceof Promise ? await reserved : reserved;
    return Object.assign(state, { principal, request, model, hold });
  }

  #dispatch(state: AdmittedCall, operation: Operation): Promise<GatewayResponse> {
    const catalog = this.#deps.catalog();
    const serving = catalog.abilities.get(state.principal.groupName)?.get(state.model.name) ?? [];
    state.exitNodes = findExitNodes(catalog, state);
    const nodes = allowExitNodes(serving, state.exitNodes);
    const passing = operation.handling === "pass" ? allowPassThrough(nodes, state.call) : nodes;
    const { dialect } = operation;
    const abilities = passing.filter(({ channel }) => channel.endpoints.has(dialect));
    const { upstreamLimits, isSentRetried } = this.#deps;
    // A path without rules of its own may create something at a provider, which must not happen twice.
    const isAgain = isSentRetried && operation.handling !== "pass";
    const rule = { ...boundPatience(state, operation, upstreamLimits), isSentRetried: isAgain };
    return attemptChannels(this.#deps, state, { abilities, rule, dialect }, (use, silenceMsMax, ability) =>
      this.#try(state, operation, use, { silenceMsMax, upstreamModel: ability.upstreamModel }),
    );
  }

  /** One channel, tried once more if it refused only the usage option that we added. */
  async #try(
    state: AdmittedCall,
    operation: Operation,
    use: ChannelUse,
    { silenceMsMax, upstreamModel }: { readonly silenceMsMax: number; readonly upstreamModel: string | null },
  ): Promise<GatewayResponse | FailedAttempt> {
    const { call } = state;
    const { channel } = use;
    const request = withModelName(state.request, upstreamModel);
    const asks = channel.flags.asks_usage && this.#usageOptions.asks(channel.id);
    const asked = asks ? request : withoutUsageOption(request, call);
    const first = await this.#attempt(state, operation, use, { request: asked, silenceMsMax });
    if (!asks || !("failure" in first) || !refusesUsageOption(first, request, call)) {
      return first;
    }
    noteAttempt(this.#deps, state, use, seenOf(first));
    const bare = { request: withoutUsageOption(request, call), silenceMsMax };
    const second = await this.#attempt(state, operation, use, bare);
    if (!("failure" in second)) {
      this.#usageOptions.leaveOut(channel.id);
    }
    return second;
  }

  async #attempt(
    state: AdmittedCall,
    operation: Operation,
    use: ChannelUse,
    { request, silenceMsMax }: { readonly request: ParsedRequest; readonly silenceMsMax: number },
  ): Promise<GatewayResponse | FailedAttempt> {
    const { call } = state;
    const { channel } = use;
    const hops = withHop(call.headers.get(hopHeader), this.#deps.hopMark);
    const exitAccount = state.exitNodes?.get(channel.id) ?? null;
    const { upstreamLimits, readOnRoom, clock } = this.#deps;
    state.readOn = operation.isReadOn ? readOnRoom.open(state.principal.gatewayUserId, clock) : null;
    const limits = boundSilence(state, operation, channel, { silenceMsMax, upstreamLimits });
    const endpoint = channel.endpoints.get(operation.dialect);
    if (endpoint === undefined) {
      throw new Error(`channel ${channel.name} does not speak ${operation.dialect}`);
    }
    const path = call.path.slice(dialectRoots[operation.dialect].length);
    const options = { hops, exitAccount, limits, accept: acceptOf(operation), signal: call.signal, endpoint, path };
    state.exitNode = null;
    const firstEventTick = this.#deps.clock.tick() + limits.firstByteTimeoutMs;
    const sent = withChangedFields(request, channel.changes);
    const response = await forward(this.#deps.client, composeRequest(call, sent, channel, options));
    if (response instanceof HttpClientError) {
      return failedBy(response);
    }
    state.exitNode = answeringNode(response, channel.exitNode);
    const failure = classifyStatus(response.status, response.headers);
    if (failure !== null) {
      return await readRefusal(response, failure, channel, request.body);
    }
    const form = formOf(response, operation);
    if (typeof form === "object") {
      return this.#refuseAnswer(response, form.refused);
    }
    return form === "whole"
      ? this.#collect(state, operation, use, response)
      : this.#stream(state, operation, use, { response, firstEventTick });
  }

  /** A successful status with a body that can't be the response to this call. */
  #refuseAnswer(response: HttpResponse, result: string, note: string | null = null): FailedAttempt {
    response.body.cancel();
    return { failure: { ...malformedResponse, status: response.status, result }, upstreamError: null, note };
  }

  /** A response that comes whole is settled before the client sees a byte of it. */
  async #collect(
    state: AdmittedCall,
    operation: Operation,
    use: ChannelUse,
    response: HttpResponse,
  ): Promise<GatewayResponse | FailedAttempt> {
    const call = this.#answered(state, operation);
    let body: Buffer;
    try {
      const bytes = await response.body.bytes(answerBytesMax);
      body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    } catch (error) {
      if (error instanceof HttpClientError) {
        return error.kind === "aborted"
          ? this.#leave(state, use, response.status, measureUnread(call))
          : failedBy(error);
      }
      throw error;
    }
    const { form, ...measured } = measureAnswer(body, call);
    if (form !== "answer") {
      const note = readNote(body, use.channel, state.request.body);
      return form === "error_event"
        ? { failure: openingFailure({ kind: form }), upstreamError: null, note }
        : this.#refuseAnswer(response, form, note);
    }
    if (state.call.signal.aborted) {
      return this.#leave(state, use, response.status, measured);
    }
    noteAttempt(this.#deps, state, use, { status: response.status, result: "answered" });
    this.#deps.loads.answered(use);
    this.#deps.loads.end(use, "none");
    this.#noteFirstByte(state);
    keepPiece(state, body);
    const end = { outcome: "completed", httpStatus: response.status, errorCode: null, ...measured } as const;
    await this.#ender.settle(state, end, errorDefinition("storage_unavailable").status);
    return { status: response.status, headers: answerHeaders(response, state.exitNode, state.request.dropped), body };
  }

  /** The client left after the head of a response: it gets nothing and owes what was measured. */
  async #leave(state: AdmittedCall, use: ChannelUse, status: number, measured: Measured): Promise<GatewayResponse> {
    const error = new AppError("client_closed_request");
    noteAttempt(this.#deps, state, use, { status, result: streamResult({ kind: "aborted" }) });
    this.#deps.loads.release(use);
    const { status: httpStatus, code: errorCode } = error;
    await this.#ender.settle(state, { outcome: "aborted", httpStatus, errorCode, ...measured });
    return writeError(error);
  }

  async #stream(
    state: AdmittedCall,
    operation: Operation,
    use: ChannelUse,
    { response, firstEventTick }: BegunStream,
  ): Promise<GatewayResponse | FailedAttempt> {
    const { clock, loads, streamStallTimeoutMs, upstreamLimits } = this.#deps;
    const isEvents = isEventStream(response);
    // The response of a path without rules of its own is not inspected.
    const form = isEvents ? operation.stream : "raw";
    state.isStream ||= isEvents;
    const meter = new StreamMeter(this.#deps.clock);
    state.readOn?.listen(meter);
    const events = new EventStream({
      form,
      hidesUsage: !state.request.wantsUsage,
      isWholeAtEof: state.call.traits?.().isWholeAtEof === true,
      firstEventMs: () => firstEventTick - clock.tick(),
      stallTimeoutMs: streamStallTimeoutMs,
      afterAbort: state.readOn ?? upstreamLimits.afterAbort,
      onSent: (piece) => {
        this.#noteFirstByte(state);
        keepPiece(state, piece);
      },
      onPayload: (payload, isDelivered) => meter.add(payload, isDelivered),
      onEnding: async (ending) => {
        const note = readEventNote(ending, use.channel, state.request.body);
        noteStreamEnd(this.#deps, state, use, { status: response.status, ending, note });
        const problem = await this.#settleStream(state, operation, ending, meter);
        return {
          errorEvent: problem === null ? null : errorEvent(problem, form === "responses"),
          postscript: state.call.postscript?.() ?? null,
        };
      },
    });
    const opening = await events.open(response.body);
    if (opening.kind === "aborted") {
      return this.#leave(state, use, response.status, this.#measureStream(state, operation, "aborted", meter));
    }
    if (opening.kind !== "open") {
      return opening.kind === "cut" && opening.error !== null
        ? failedBy(opening.error)
        : {
            failure: openingFailure(opening),
            upstreamError: null,
            note: readEventNote(opening, use.channel, state.request.body),
          };
    }
    loads.answered(use);
    const answer = {
      status: response.status,
      headers: answerHeaders(response, state.exitNode, state.request.dropped),
      body: events.stream,
    };
    return form === "raw" ? { ...answer, begun: toBegunReport(state, response.status) } : answer;
  }

  /** Settles a finished stream; returns the error to report to the client, or null. */
  async #settleStream(
    state: AdmittedCall,
    operation: Operation,
    ending: StreamEnding,
    meter: StreamMeter,
  ): Promise<AppError | null> {
    const problem = streamProblem(ending);
    const outcome = ending.kind === "completed" || ending.kind === "aborted" ? ending.kind : "failed";
    try {
      await this.#ender.settle(state, {
        outcome,
        httpStatus: ending.kind === "aborted" ? 499 : 200,
        errorCode: problem?.code ?? null,
        ...this.#measureStream(state, operation, outcome, meter),
      });
      return problem;
    } catch (thrown) {
      return toAppError(thrown);
    }
  }

  #measureStream(
    state: AdmittedCall,
    operation: Operation,
    end: StreamedResponse["end"],
    meter: StreamMeter,
  ): Measured {
    const { capture, responseBytes: bytesSent } = state;
    return measureStream({
      ...this.#answered(state, operation),
      ...meter.heard,
      end,
      pieces: capture.pieces,
      bytesSent,
    });
  }

  #answered({ request, model }: AdmittedCall, operation: Operation): AnsweredCall {
    const held = boundUnits(request, model);
    return { operation, request, limits: { held, most: plausibleUnits(request, model, held) }, price: model.price };
  }

  #noteFirstByte(state: CallState): void {
    state.firstByteMs ??= Math.round(this.#deps.clock.tick() - state.call.startedTick);
  }
}
