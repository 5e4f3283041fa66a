import type { Dialect } from "@sluice/contracts/upstreams";
import type { HttpClientError, HttpLimits, HttpRequest, HttpResponse } from "@sluice/http-client/model";
import { viewOf } from "@sluice/http-client/packet-part";
import { type ReadyPlan, readyAnswer, streamHeadersOf } from "./attempt-answer.ts";
import { type BegunAttempt, noteAttempt, seenOf } from "./attempt-channels.ts";
import { classify, refuseAnswer, refuseError } from "./attempt-outcomes.ts";
import type { CallEnder } from "./call-ender.ts";
import { keepPiece, toBegunReport } from "./call-state.ts";
import type { ChannelUse } from "./channels/channel-load.ts";
import type { Endpoint } from "./channels/model.ts";
import { boundSilence } from "./dispatch/bound-silence.ts";
import { acceptOf, composeRequest, hopHeader, type RequestOptions, withHop } from "./dispatch/compose-request.ts";
import { type Ending, forward, SentAttempt } from "./dispatch/forward.ts";
import { asksForUsage, refusesUsageOption, UsageOptions, withoutUsageOption } from "./dispatch/usage-option.ts";
import type { AdmittedCall, FailedAttempt, GatewayResponse, ParsedRequest, StreamOpening } from "./model.ts";
import type { Operation } from "./operations/model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { failedBy, failedByToken } from "./respond/classify-status.ts";
import { answeringNode, formOf, isEventStream } from "./respond/compose-answer.ts";
import { readRefusal } from "./respond/read-upstream-error.ts";
import { EventStream } from "./respond/stream-events.ts";
import { openingFailure } from "./respond/translate-ending.ts";
import { type BegunStream, StreamedAnswer } from "./streamed-answer.ts";
import { withChangedFields } from "./upstreams/edit-body.ts";
import { planRequest, type RequestPlan } from "./upstreams/plan-request.ts";
import { TokenError } from "./upstreams/token-error.ts";
import { type Outcome, WholeAnswers, type WholeAttempt } from "./whole-answer.ts";

/** A call and its operation. */
export type OperatedCall = { readonly state: AdmittedCall; readonly operation: Operation };

/** A request to a channel, what it is composed of, and all that is needed once the response is there: one object. */
class AskedChannel extends SentAttempt<Outcome> implements WholeAttempt, RequestOptions {
  readonly state: AdmittedCall;
  readonly operation: Operation;
  readonly use: ChannelUse;
  readonly plan: RequestPlan;
  /** The request that the channel gets. */
  readonly sent: ParsedRequest;
  firstEventTick = 0;
  hops = "";
  readonly #attempts: CallAttempts;
  #limits: HttpLimits | null = null;

  constructor(attempts: CallAttempts, { state, operation }: OperatedCall, use: ChannelUse, plan: RequestPlan) {
    super();
    this.state = state;
    this.operation = operation;
    this.use = use;
    this.plan = plan;
    this.sent = withChangedFields(plan.request, use.channel.changes);
    this.#attempts = attempts;
  }

  /** @param begunTick since when the first event is waited for */
  bound(limits: HttpLimits, begunTick: number): void {
    this.#limits = limits;
    this.firstEventTick = begunTick + limits.firstByteTimeoutMs;
  }

  get limits(): HttpLimits {
    return this.#limits as HttpLimits;
  }

  get dialect(): Dialect {
    return this.plan.operation.dialect;
  }

  get endpoint(): Endpoint {
    return this.plan.endpoint;
  }

  get path(): string {
    return this.plan.path;
  }

  get query(): string | null {
    return this.plan.query;
  }

  get credential(): string | null {
    return this.use.credential?.secret ?? null;
  }

  get accept(): string {
    return acceptOf(this.operation);
  }

  get exitAccount(): string | null {
    return this.state.exitNodes?.get(this.use.channel.id) ?? null;
  }

  protected read(response: HttpResponse, ending: Ending<Outcome>): void {
    this.#attempts.receive(this, response, ending);
  }

  protected fail(error: HttpClientError): Outcome {
    return failedBy(error);
  }
}

/**
 * One attempt of a call at one channel: request, response and settlement, in the dialect of the channel. A response is
 * measured as the channel sent it and converted afterwards, if the client speaks another dialect.
 */
export class CallAttempts {
  readonly #deps: PipelineDeps;
  readonly #ender: CallEnder;
  readonly whole: WholeAnswers;
  readonly #usageOptions: UsageOptions;

  constructor(deps: PipelineDeps, ender: CallEnder) {
    this.#deps = deps;
    this.#ender = ender;
    this.whole = new WholeAnswers(deps, ender);
    this.#usageOptions = new UsageOptions(deps.clock);
  }

  /** One channel, tried once more if it refused only the usage option that we added. */
  try(call: OperatedCall, attempt: BegunAttempt<GatewayResponse>): void {
    const planning = planRequest(this.#deps, call.state, call.operation, attempt.planned.ability);
    if (planning instanceof Promise) {
      planning.then((plan) => this.#tryPlan(call, attempt, plan)).catch((thrown: unknown) => attempt.reject(thrown));
    } else {
      this.#tryPlan(call, attempt, planning);
    }
  }

  #tryPlan(call: OperatedCall, attempt: BegunAttempt<GatewayResponse>, plan: RequestPlan | FailedAttempt): void {
    if ("failure" in plan) {
      attempt.resolve(plan);
      return;
    }
    const { state } = call;
    const { use, planned } = attempt;
    const { ready, answers, dropped } = plan;
    state.dropped = dropped;
    state.upstreamModel = planned.ability.upstreamModel ?? state.model.name;
    if (ready !== null && answers !== null) {
      attempt.resolve(Promise.resolve(this.#answerReady(state, use, { ready, dropped, way: answers })));
    } else if (asksForUsage(plan.request)) {
      attempt.resolve(this.#askForUsage(call, attempt, plan));
    } else {
      this.#attempt(call, attempt, plan, attempt);
    }
  }

  async #askForUsage(call: OperatedCall, attempt: BegunAttempt<GatewayResponse>, plan: RequestPlan): Promise<Outcome> {
    const { use } = attempt;
    const { channel } = use;
    const { request } = plan;
    const asks = channel.flags.asks_usage && this.#usageOptions.asks(channel.id);
    const bare = (): RequestPlan => ({ ...plan, request: withoutUsageOption(request) });
    const ask = (tried: RequestPlan) =>
      new Promise<Outcome>((resolve, reject) => this.#attempt(call, attempt, tried, { resolve, reject }));
    const first = await ask(asks ? plan : bare());
    if (!asks || !("failure" in first) || !refusesUsageOption(first, request)) {
      return first;
    }
    noteAttempt(this.#deps, call.state, use, seenOf(first));
    const second = await ask(bare());
    if (!("failure" in second)) {
      this.#usageOptions.leaveOut(channel.id);
    }
    return second;
  }

  /** Everything until the request is sent is done at once, unless it needs a token or a signature. */
  #attempt(
    operated: OperatedCall,
    { use, planned }: BegunAttempt<GatewayResponse>,
    plan: RequestPlan,
    ending: Ending<Outcome>,
  ): void {
    const { state, operation } = operated;
    const { call } = state;
    const { channel } = use;
    const { upstreamLimits, readOnRoom, clock, authorizer, hopMark } = this.#deps;
    const begunTick = plan.request.isStream ? clock.tick() : use.startedTick;
    state.readOn = operation.isReadOn ? readOnRoom.open(state.principal.gatewayUserId, clock, begunTick) : null;
    const limits = boundSilence(state, operation, channel, { silenceMsMax: planned.silenceMsMax, upstreamLimits });
    state.exitNode = null;
    const asked = new AskedChannel(this, operated, use, plan);
    asked.bound(limits, begunTick);
    asked.hops = withHop(call.headers.get(hopHeader), hopMark);
    const composed = composeRequest(call, asked.sent, channel, asked);
    const authorized = authorizer.authorize(composed, plan.endpoint.auth, asked.credential);
    if (authorized instanceof Promise) {
      authorized
        .then((request) => this.#send(asked, request, ending))
        .catch((thrown: unknown) => ending.reject(thrown));
    } else {
      this.#send(asked, authorized, ending);
    }
  }

  #send(asked: AskedChannel, request: HttpRequest | TokenError, ending: Ending<Outcome>): void {
    if (request instanceof TokenError) {
      ending.resolve(failedByToken(request));
    } else {
      forward(this.#deps.client, request, asked, ending);
    }
  }

  /** The head of a response is there. */
  receive(asked: AskedChannel, response: HttpResponse, ending: Ending<Outcome>): void {
    const { state, operation, use, plan, sent, firstEventTick } = asked;
    const { channel, credential } = use;
    state.exitNode = answeringNode(response, channel.exitNode);
    const failure = classify(response, operation);
    if (failure !== null) {
      this.#deps.authorizer.noteStatus(response.status, credential?.secret ?? null);
      ending.resolve(readRefusal(response, failure, channel, viewOf(sent.body)));
      return;
    }
    const form = formOf(response, plan.operation);
    if (typeof form === "object") {
      ending.resolve(refuseAnswer(response, form.refused));
    } else if (form === "pieces" && plan.answers !== null && !plan.request.isStream) {
      ending.resolve(refuseAnswer(response, "unasked_stream"));
    } else if (form === "whole") {
      this.whole.collect(asked, response, ending);
    } else {
      this.#stream({ state, operation, use, plan, response, firstEventTick }, ending);
    }
  }

  /** The channel would have nothing to do, so it is not asked. */
  #answerReady(state: AdmittedCall, use: ChannelUse, ready: ReadyPlan): GatewayResponse {
    const answer = readyAnswer(state, ready);
    this.#deps.loads.withdraw(use);
    keepPiece(state, answer.body);
    this.#ender.finishFree(state, answer.status);
    return answer;
  }

  #stream(begun: BegunStream, ending: Ending<Outcome>): void {
    const { state, plan, response } = begun;
    const isEvents = isEventStream(response);
    state.isStream ||= isEvents;
    // The response of a path without rules of its own is not inspected.
    const form = isEvents ? plan.operation.stream : "raw";
    const answer = new StreamedAnswer(this.#deps, this.#ender, begun, form);
    const events = new EventStream(answer);
    events.open(response.body, (opening) => {
      try {
        ending.resolve(this.#opened(begun, answer, events, opening));
      } catch (thrown) {
        ending.reject(thrown);
        // Nobody will take it: without being told, it would be read to its end.
        events.stream.onGone();
      }
    });
  }

  /** The first event has decided whether there is anything for the client. */
  #opened(
    { state, use, plan, response }: BegunStream,
    answer: StreamedAnswer,
    { stream }: EventStream,
    opening: StreamOpening,
  ): Outcome | Promise<Outcome> {
    if (opening.kind === "aborted") {
      return this.whole.leave(state, use, response.status, answer.measure("aborted"));
    }
    if (opening.kind === "error_event") {
      return refuseError(response, opening.payload, use.channel, viewOf(plan.request.body));
    }
    if (opening.kind !== "open") {
      return opening.kind === "cut" && opening.error !== null
        ? failedBy(opening.error)
        : { failure: openingFailure(opening), upstreamError: null, note: null };
    }
    this.#deps.loads.answered(use);
    const { status } = response;
    const begun = { status, headers: streamHeadersOf(response, state, plan), body: stream };
    return answer.form === "raw" ? { ...begun, begun: toBegunReport(state, status) } : begun;
  }
}
