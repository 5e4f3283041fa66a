import { AppError } from "../platform/errors.ts";
import { checkModelAccess, checkPrice } from "./admit/check-access.ts";
import { boundCost, boundUnits, changeHold } from "./admit/reserve-quota.ts";
import type { Choice, Fallbacks, ModelFailure } from "./attempt-plan.ts";
import type { AdmittedCall, FailedAttempt, FallbackRule, ModelEntry, ParsedRequest } from "./model.ts";
import type { Operation } from "./operations/model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { contextExceeded } from "./respond/read-upstream-error.ts";
import { countInput } from "./settle/measure-usage.ts";
import { forModel } from "./upstreams/model-name.ts";

/** With `off`, only the model that a call asks for answers it. */
export const fallbackHeader = "x-sluice-fallback";

/** No further model is tried after this multiple of the time that the channels of one model may take. */
const timeShare = 1.5;
/** Our own count is low: a prompt counted at this multiple of what a model reads is certainly too long. */
const certainShare = 2;

type FallbackDeps = Pick<PipelineDeps, "catalog" | "clock" | "leases" | "observer">;

/** Chooses the channels for the current model of a call. */
export type ChannelChooser = (state: AdmittedCall, operation: Operation) => Choice;

/** What calling a model requires. */
type FallbackCall = {
  readonly state: AdmittedCall;
  readonly operation: Operation;
  readonly choose: ChannelChooser;
};

/**
 * The other models that may answer a call; null if there are none, its key does not allow them, or it declines them.
 * @throws AppError `invalid_value` for a header that says neither
 */
export function openFallbacks(
  deps: FallbackDeps,
  state: AdmittedCall,
  operation: Operation,
  choose: ChannelChooser,
): ModelFallbacks | null {
  const { principal, model } = state;
  const rules = deps.catalog().fallbacks.get(model.name);
  const rule = rules?.get(principal.groupName) ?? rules?.get(null);
  const isAllowed = rule !== undefined && (rule.isForEveryKey || principal.isFallbackAllowed);
  if (!isAllowed || operation.handling !== "call" || !canBeRenamed(state.request, operation)) {
    return null;
  }
  return isDeclined(state) ? null : new ModelFallbacks(deps, { state, operation, choose }, rule);
}

/** A request that leaves its model out gets the provider's default. */
function canBeRenamed({ modelPlace }: ParsedRequest, { dialect }: Operation): boolean {
  return modelPlace !== null || dialect === "gemini";
}

function isDeclined({ call }: AdmittedCall): boolean {
  const value = call.headers.get(fallbackHeader)?.toLowerCase() ?? "on";
  if (value !== "on" && value !== "off") {
    throw new AppError("invalid_value", {
      message: `The header '${fallbackHeader}' must be 'on' or 'off'.`,
      param: fallbackHeader,
    });
  }
  return value === "off";
}

/**
 * Moves a call from model to model until one answers. Before each, what the call has set aside becomes the bound of that
 * model, so that it always covers the model that is being asked.
 */
export class ModelFallbacks implements Fallbacks {
  readonly #deps: FallbackDeps;
  readonly #call: FallbackCall;
  readonly #rule: FallbackRule;
  /** The model that the client asked for, and its request. */
  readonly #asked: Pick<AdmittedCall, "model" | "request" | "bound" | "askedModel">;
  /** The models still to try; the first failure decides which. */
  #names: readonly string[];
  #firstError: AppError | null = null;
  /** What the attempts at the model asked for have left; with its error, the call is again what it was after them. */
  #askedTrace: AttemptTrace | null = null;
  #elapsedMs = 0;

  constructor(deps: FallbackDeps, call: FallbackCall, rule: FallbackRule) {
    this.#deps = deps;
    this.#call = call;
    this.#rule = rule;
    this.#asked = turnable(call.state);
    this.#names = rule.models;
  }

  get hasNext(): boolean {
    return this.#names.length > 0;
  }

  get firstError(): AppError | null {
    return this.#firstError;
  }

  /** The channels to start with: those of the larger model if the prompt is certainly too long. */
  async first(): Promise<Choice> {
    const { model, request } = this.#asked;
    const { largerModel } = this.#rule;
    const isTurned = largerModel !== null && isCertainlyTooLong(request, model) && (await this.#turnTo(largerModel));
    if (isTurned) {
      this.#askedTrace = untried;
      this.#names = [];
      this.#report(model.name, contextExceeded);
    }
    return this.#choice();
  }

  async next({ last, error, elapsedMs }: ModelFailure): Promise<Choice | null> {
    const { state } = this.#call;
    const isFirst = this.#firstError === null;
    this.#firstError ??= error;
    this.#askedTrace ??= traceOf(state);
    this.#elapsedMs += elapsedMs;
    const { isSentRetried, callMs } = this.#choose().rule;
    const reason = reasonToGoOn(last, isSentRetried);
    if (isFirst && state.askedModel === null) {
      this.#names = this.#namesAfter(reason);
    }
    // Another model may take a request that this one refuses.
    const goesOn = reason !== null || (state.askedModel !== null && last?.failure.isRequestFault === true);
    const from = state.model.name;
    while (goesOn && this.#elapsedMs <= callMs * timeShare) {
      const [name, ...rest] = this.#names;
      if (name === undefined) {
        break;
      }
      this.#names = rest;
      if (await this.#turnTo(name)) {
        this.#report(from, reason ?? "refused");
        return this.#choice();
      }
    }
    this.#turnBack();
    return null;
  }

  #namesAfter(reason: string | null): readonly string[] {
    const { models, largerModel } = this.#rule;
    if (reason !== contextExceeded) {
      return models;
    }
    return largerModel === null ? [] : [largerModel];
  }

  #choose(): Choice {
    const { state, operation, choose } = this.#call;
    return choose(state, operation);
  }

  #choice(): Choice {
    return { ...this.#choose(), fallbacks: this };
  }

  /** Moves the call to another model; returns false and changes nothing if that model can't serve it. */
  async #turnTo(name: string): Promise<boolean> {
    const { state } = this.#call;
    const before = turnable(state);
    const entry = this.#findUsable(name);
    if (entry === null) {
      return false;
    }
    const request = forModel(this.#asked.request, name);
    const bound = boundUnits(request, entry);
    Object.assign(state, { model: entry, request, bound, askedModel: this.#asked.model.name });
    const cost = boundCost(bound, entry);
    const isServed = this.#choose().abilities.length > 0;
    const hold = isServed ? await changeHold(this.#deps.leases, state.principal, state.hold, cost) : null;
    if (hold === null) {
      Object.assign(state, before);
      return false;
    }
    state.hold = hold;
    return true;
  }

  #turnBack(): void {
    Object.assign(this.#call.state, this.#asked, this.#askedTrace);
  }

  /** The model, if the key may use it, and it can do and has a price for what the call asks for. */
  #findUsable(name: string): ModelEntry | null {
    const { state, operation } = this.#call;
    const { request } = this.#asked;
    try {
      const entry = checkModelAccess(state.principal, name, this.#deps.catalog().models, this.#deps.clock.now());
      checkPrice(request, entry, operation);
      return name !== this.#asked.model.name && canDo(request, entry, this.#asked.model) ? entry : null;
    } catch (error) {
      if (error instanceof AppError) {
        return null;
      }
      throw error;
    }
  }

  #report(from: string, reason: string): void {
    this.#deps.observer.onFallback(from, this.#call.state.model.name, reason);
  }
}

/** What changes with the model of a call. */
function turnable({ model, request, bound, askedModel }: AdmittedCall) {
  return { model, request, bound, askedModel };
}

/** What an attempt leaves in the state of its call: its row and its error name them. */
type AttemptTrace = Pick<AdmittedCall, "channelId" | "upstreamModel" | "dropped" | "exitNode">;

const untried: AttemptTrace = { channelId: null, upstreamModel: null, dropped: null, exitNode: null };

function traceOf({ channelId, upstreamModel, dropped, exitNode }: AttemptTrace): AttemptTrace {
  return { channelId, upstreamModel, dropped, exitNode };
}

/** Why another model may answer; null if the failure does not allow it. */
function reasonToGoOn(last: FailedAttempt | null, isSentRetried: boolean): string | null {
  if (last === null) {
    return "no_channel";
  }
  const { result, retry, isRequestFault } = last.failure;
  if (result === contextExceeded) {
    return result;
  }
  const isPassing = retry === "free" || (retry === "paid_twice" && isSentRetried);
  return isPassing && !isRequestFault ? result : null;
}

/** Whether the catalog says that a model reads the pictures of a request, and writes as much as it asks for. */
function canDo({ bounds }: ParsedRequest, model: ModelEntry, asked: ModelEntry): boolean {
  const readsPictures = bounds.inputImages === 0 || model.imageTokensMax > 0 || asked.imageTokensMax === 0;
  return readsPictures && (bounds.outputTokensMax ?? 0) <= model.outputTokensMax;
}

function isCertainlyTooLong(request: ParsedRequest, { contextTokensMax }: ModelEntry): boolean {
  const { isOneContext, inputTokensMax } = request.bounds;
  const bound = contextTokensMax * certainShare;
  return isOneContext && (inputTokensMax ?? 0) > bound && countInput(request) > bound;
}
