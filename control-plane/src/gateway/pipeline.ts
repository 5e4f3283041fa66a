import type { ApiKeyId } from "@sluice/contracts/ids";
import type { Bytes } from "@sluice/http-client/packet-part";
import { AppError, toAppError } from "../platform/errors.ts";
import { OneAtATime } from "../platform/one-at-a-time.ts";
import { digestApiKey } from "./admit/authenticate-key.ts";
import { checkKeyState, checkModelAccess, checkPassThrough, checkPrice, refusalOf } from "./admit/check-access.ts";
import { checkContentType } from "./admit/parse-request.ts";
import { readLabels } from "./admit/read-labels.ts";
import { boundCost, boundUnits, lowersHold, reserveQuota } from "./admit/reserve-quota.ts";
import { attemptChannels, ChannelAttempts } from "./attempt-channels.ts";
import type { Choice } from "./attempt-plan.ts";
import { messageHead, openEarlyStream } from "./begin-early.ts";
import { CachedCalls } from "./cached-call.ts";
import { CallAttempts } from "./call-attempt.ts";
import { CallEnder } from "./call-ender.ts";
import { keepPiece, newCallState } from "./call-state.ts";
import { chooseChannels, findServing, refuseUnserved } from "./choose-channels.ts";
import { checkQuery, hasPassed, hopHeader } from "./dispatch/compose-request.ts";
import type { Ending } from "./dispatch/forward.ts";
import { addLimitHeaders } from "./limit-headers.ts";
import { answerModels } from "./list-models.ts";
import type {
  AdmittedCall,
  CallState,
  GatewayCall,
  GatewayResponse,
  Hold,
  ModelEntry,
  ParsedRequest,
  Principal,
} from "./model.ts";
import { type ChannelChooser, type ModelFallbacks, openFallbacks } from "./model-fallbacks.ts";
import type { Operation } from "./operations/model.ts";
import { findOperation, isNotOffered, isPlainPath } from "./operations/table.ts";
import { BodyParser } from "./parse-body.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import type { AnswerReceiver, GatewayPort } from "./port.ts";
import { namingNode } from "./respond/compose-answer.ts";
import { writeErrorTo } from "./respond/write-error.ts";
import type { CacheEntry } from "./response-cache/response-cache.ts";
import { type CallWork, RunningCall } from "./running-call.ts";
import { countInput } from "./settle/measure-usage.ts";

/**
 * The path of a call: admit > dispatch > respond > settle. The branches are here, in the attempt loop, which sessions
 * share, and in one attempt (`call-attempt.ts`); the steps know nothing of each other.
 */
export class Pipeline implements GatewayPort {
  readonly #deps: PipelineDeps;
  readonly #ender: CallEnder;
  readonly #attempts: CallAttempts;
  readonly #cached: CachedCalls;
  readonly #bodies: BodyParser;
  readonly #counts = new OneAtATime<ApiKeyId | null>();
  readonly #work: CallWork;
  readonly #chooser: ChannelChooser = (state, operation) => chooseChannels(this.#deps, state, operation);

  constructor(deps: PipelineDeps) {
    this.#deps = deps;
    this.#ender = new CallEnder(deps);
    this.#attempts = new CallAttempts(deps, this.#ender);
    this.#cached = new CachedCalls(deps, this.#ender);
    this.#bodies = new BodyParser(deps);
    this.#work = {
      attempts: this.#attempts,
      finish: (state, operation, answer) => this.#finish(state, operation, answer),
      refuse: (state, thrown) => this.#refuse(state, thrown),
    };
  }

  /** Forgets what is kept for the next calls of idle callers. */
  forgetIdle(): void {
    this.#bodies.forgetIdle();
  }

  /** For a call that may have waited since it began, as one that is tried again with another key has. */
  handle(call: GatewayCall): Promise<GatewayResponse> {
    const state = this.#continued(newCallState(call, this.#deps.captures));
    return new Promise((onAnswer) => this.#begin(state, { onAnswer }));
  }

  answer(call: GatewayCall, receiver: AnswerReceiver): void {
    this.#begin(newCallState(call, this.#deps.captures), receiver);
  }

  /** Until a provider is asked, nothing waits that need not. */
  #begin(state: CallState, receiver: AnswerReceiver): void {
    let taking = receiver;
    try {
      const operation = this.#route(state.call);
      const running = new RunningCall(this.#work, state, operation, receiver);
      taking = running;
      const authenticating = this.#authenticate(state);
      const performing =
        authenticating instanceof Promise
          ? authenticating.then(() => this.#perform(this.#continued(state), running))
          : this.#perform(state, running);
      performing?.catch((thrown: unknown) => running.reject(thrown));
    } catch (thrown) {
      const answer = this.#refuse(state, thrown);
      queueMicrotask(() => taking.onAnswer(answer));
    }
  }

  /** @returns a promise only for a call that has to wait until it is admitted */
  #perform(state: CallState, running: RunningCall): void | Promise<void> {
    switch (running.operation.handling) {
      case "list":
        running.resolve(Promise.resolve(this.#listModels(state)));
        return;
      case "account":
        running.resolve(this.#readAccount(state));
        return;
      case "count":
        running.resolve(this.#count(state, running));
        return;
      default: {
        const admitting = this.#admit(state, running.operation);
        if (admitting instanceof Promise) {
          return admitting.then((own) => this.#dispatch(own, running, running));
        }
        this.#dispatch(admitting, running, running);
      }
    }
  }

  /** Adds what is said about the limits of a call that is counted in them. */
  #finish(state: CallState, { handling }: Operation, answer: GatewayResponse): GatewayResponse {
    if (handling !== "list" && handling !== "account") {
      this.#notice(state, answer.headers);
    }
    return answer;
  }

  /** Whatever fails in it, the call keeps nothing of what it holds, and its client gets a response. */
  #refuse(state: CallState, thrown: unknown): GatewayResponse {
    const error = toAppError(thrown);
    let answer: GatewayResponse = { status: error.status, headers: {}, body: null };
    try {
      answer = this.#refusal(state, error, thrown);
    } catch (failed) {
      this.#onRefusalFailed(state, failed);
    }
    try {
      this.#ender.refuse(state, error, answer.status);
    } catch (failed) {
      this.#onRefusalFailed(state, failed);
    }
    return answer;
  }

  #onRefusalFailed({ call }: CallState, error: unknown): void {
    this.#deps.log.error("call.refusal_failed", { requestId: call.requestId, error });
  }

  #refusal(state: CallState, error: AppError, thrown: unknown): GatewayResponse {
    if (error.code === "internal_error" || error.status >= 502) {
      const { code, internal } = error;
      const { requestId } = state.call;
      // Provider messages must not be logged: they may quote the request.
      const attempts = state.attempts.map(({ said: _, ...attempt }) => attempt);
      this.#deps.log.warn("call.failed", { requestId, code, internal, attempts, error: thrown });
    }
    const answer = namingNode(writeErrorTo(state, error), state.exitNode);
    this.#notice(state, answer.headers);
    keepPiece(state, answer.body as Uint8Array);
    return answer;
  }

  /** Adds what the headers of a response say about the limits and the model of its call. */
  #notice({ principal, call, model, askedModel }: CallState, headers: Record<string, string>): Record<string, string> {
    const gauges = principal === null ? null : this.#deps.limits.gauges(principal);
    if (gauges !== null) {
      addLimitHeaders(headers, gauges, call, this.#deps.clock);
    }
    // What is said of its end concerns the model that the client asked for.
    const asked = askedModel === null ? model : this.#deps.catalog().models.get(askedModel);
    const life = asked?.lifeHeaders ?? null;
    return life === null ? headers : Object.assign(headers, life);
  }

  #route(call: GatewayCall): Operation {
    if (!isPlainPath(call.path)) {
      throw new AppError("not_found");
    }
    const operation = findOperation(call.path);
    if (operation.methods.length === 0) {
      throw new AppError(isNotOffered(call.path) ? "not_offered" : "not_found");
    }
    if (!operation.methods.includes(call.method)) {
      throw new AppError("method_not_allowed", { allowedMethods: operation.methods.join(", ") });
    }
    checkQuery(call.query, operation);
    return operation;
  }

  /** The same call, after it had to wait. */
  #continued<State extends CallState>(state: State): State {
    state.latestTick = this.#deps.clock.tick();
    return state;
  }

  /** @returns a promise only for a key that is not known yet */
  #authenticate(state: CallState): void | Promise<void> {
    const { call } = state;
    const { directory, digestKey, hopMark } = this.#deps;
    // This check comes before the key is checked: a looping request carries a channel's credential, which need not be
    // one of our keys.
    if (hasPassed(call.headers.get(hopHeader), hopMark)) {
      throw new AppError("loop_detected");
    }
    const found = directory.find(digestApiKey(call, digestKey), state.latestTick);
    return found instanceof Promise
      ? found.then((principal) => this.#accept(state, principal))
      : this.#accept(state, found);
  }

  #accept(state: CallState, principal: Principal | null): void {
    if (principal === null) {
      throw new AppError("invalid_api_key");
    }
    checkKeyState(principal, state.call.clientIp, state.call.startedAtMs);
    state.principal = principal;
  }

  #listModels(state: CallState): GatewayResponse {
    const { principal, call } = state;
    if (principal === null) {
      throw new Error("models were listed without a key");
    }
    return this.#finishFree(state, answerModels(call, principal, this.#deps.catalog(), this.#deps.clock.now()));
  }

  async #readAccount(state: CallState): Promise<GatewayResponse> {
    const { principal, call } = state;
    if (principal === null) {
      throw new Error("an account was read without a key");
    }
    return this.#finishFree(state, await this.#deps.account.answer(call, principal));
  }

  #finishFree(state: CallState, answer: GatewayResponse): GatewayResponse {
    keepPiece(state, answer.body as Uint8Array);
    this.#ender.finishFree(state, answer.status);
    return answer;
  }

  /** @returns a promise only for a call that has to wait: for its body, another thread, or a lease */
  #admit(state: CallState, operation: Operation): AdmittedCall | Promise<AdmittedCall> {
    const { call, principal } = state;
    const { catalog, limits, usage } = this.#deps;
    if (principal === null) {
      throw new Error("a call was admitted without a key");
    }
    limits.begin(principal, state.latestTick);
    state.isLimited = true;
    if (!usage.isAccepting()) {
      throw new AppError("storage_unavailable", { retryAfterSeconds: 5 });
    }
    // This check comes before the body is read, so that nobody uploads a body for a path that is not passed through.
    const passThrough = operation.handling === "pass" ? checkPassThrough(principal, catalog(), call) : null;
    checkContentType(call.headers, operation);
    state.bodyShare = this.#deps.bodyRoom.shareFor(principal.gatewayUserId, call.bodyBytes);
    const owned = state as OwnedCall;
    const reading = call.readBody(state.bodyShare ?? undefined);
    return reading instanceof Promise
      ? reading.then((body) => this.#parse(this.#continued(owned), operation, body, passThrough))
      : this.#parse(owned, operation, reading, passThrough);
  }

  #parse(
    state: OwnedCall,
    operation: Operation,
    body: Bytes,
    passThrough: ModelEntry | null,
  ): AdmittedCall | Promise<AdmittedCall> {
    const parsing = this.#bodies.parse(body, state, operation);
    return parsing instanceof Promise
      ? parsing.then((request) => this.#reserve(this.#continued(state), operation, request, passThrough))
      : this.#reserve(state, operation, parsing, passThrough);
  }

  #reserve(
    state: OwnedCall,
    operation: Operation,
    request: ParsedRequest,
    passThrough: ModelEntry | null,
  ): AdmittedCall | Promise<AdmittedCall> {
    const { catalog, leases } = this.#deps;
    const { principal, call } = state;
    state.request = request;
    state.isStream = request.isStream;
    state.labels = readLabels(call.headers, request, principal);
    const model = passThrough ?? checkModelAccess(principal, request.model ?? "", catalog().models, call.startedAtMs);
    state.model = model;
    checkPrice(request, model, operation);
    const bound = boundUnits(request, model);
    state.bound = bound;
    const cost = operation.handling === "count" ? 0 : boundCost(bound, model);
    const reserved = reserveQuota(leases, principal, cost, {
      lowers: lowersHold(operation, request.bounds),
      tick: state.latestTick,
    });
    return reserved instanceof Promise
      ? reserved.then((hold) => this.#continued(admitted(state, hold)))
      : admitted(state, reserved);
  }

  /** The provider's own count, or ours where none can be had; one at a time for each key. */
  #count(state: CallState, running: RunningCall): Promise<GatewayResponse> {
    const { operation } = running;
    return this.#counts.run(state.principal?.apiKeyId ?? null, async () => {
      const own = await this.#admit(this.#continued(state), operation);
      try {
        return await new Promise((resolve, reject) => this.#dispatch(own, running, { resolve, reject }));
      } catch (thrown) {
        if (!isCountedHere(toAppError(thrown))) {
          throw thrown;
        }
        const tokens = Math.max(1, countInput(own.request));
        const isGemini = operation.dialect === "gemini";
        return await this.#attempts.whole.answerFree(
          own,
          isGemini ? { totalTokens: tokens } : { input_tokens: tokens },
        );
      }
    });
  }

  #dispatch(state: AdmittedCall, running: RunningCall, ending: Ending<GatewayResponse>): void {
    const { operation } = running;
    const choice = chooseChannels(this.#deps, state, operation);
    const isServed = choice.abilities.length > 0;
    if (!isServed) {
      const isOfOtherApi = operation.handling === "call" && findServing(this.#deps, state).length > 0;
      refuseUnserved(refusalOf(state.request, state.model), isOfOtherApi);
    }
    const fallbacks = openFallbacks(this.#deps, state, operation, this.#chooser);
    if (state.request.isStream && state.call.path === earlyPath) {
      this.#beginEarly(running, choice, fallbacks);
    }
    // A call that no channel may serve is not served from the cache either.
    const entry = state.principal.isResponseCached && isServed ? this.#deps.responses.open(state, operation) : null;
    if (entry === null && fallbacks === null) {
      new ChannelAttempts(this.#deps, state, running, ending).begin(choice, state.latestTick);
    } else {
      ending.resolve(this.#ask(running, choice, fallbacks, entry));
    }
  }

  /** From now on a silence begins the stream: with the head of a message, if it is the same whatever channel responds. */
  #beginEarly(running: RunningCall, { abilities, dialect }: Choice, fallbacks: ModelFallbacks | null): void {
    const { state } = running;
    const isNative = abilities.some(({ channel }) => channel.endpoints.has(dialect));
    running.answerThrough((receiver) => {
      const early = openEarlyStream(state, receiver, (headers) => this.#notice(state, headers));
      state.early = early;
      early.watch(isNative || fallbacks !== null ? null : () => messageHead(state));
      return early;
    });
  }

  /** The same for a call that may be answered by another model, or from the cache. */
  #ask(
    running: RunningCall,
    choice: Choice,
    fallbacks: ModelFallbacks | null,
    entry: CacheEntry | null,
  ): Promise<GatewayResponse> {
    const { state } = running;
    const ask = async () =>
      attemptChannels(this.#deps, state, fallbacks === null ? choice : await fallbacks.first(), running);
    return entry === null ? ask() : this.#cached.answer(state, entry, { ask, most: state.bound });
  }
}

/** A call whose key is valid. */
type OwnedCall = CallState & { principal: Principal };

function admitted(state: OwnedCall, hold: Hold): AdmittedCall {
  state.hold = hold;
  return state as AdmittedCall;
}

/** Clients of this path give up on a stream that is silent for long. */
const earlyPath = "/v1/messages";
const badRequest = 400;

/** Whether a count that a provider did not give is replaced: for anything but a mistake in the request. */
function isCountedHere({ code, status }: AppError): boolean {
  const isMistaken = code === "invalid_value" || (code === "upstream_rejected" && status === badRequest);
  return !isMistaken && code !== "client_closed_request" && code !== "internal_error";
}
