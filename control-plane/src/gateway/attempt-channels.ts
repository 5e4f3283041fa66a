import { AppError } from "../platform/errors.ts";
import type { Attempt } from "../usage/log/model.ts";
import { AttemptPlan, type Choice, type PlannedAttempt } from "./attempt-plan.ts";
import type { ChannelUse } from "./channels/channel-load.ts";
import { concernsCredential } from "./channels/credential-faults.ts";
import type { Ability, Channel } from "./channels/model.ts";
import type { Ending } from "./dispatch/forward.ts";
import type { AttemptFailure, CallState, FailedAttempt, Principal, StreamEnding } from "./model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { streamResult, toAttemptError } from "./respond/translate-ending.ts";

export type AttemptDeps = Pick<PipelineDeps, "affinities" | "loads" | "clock" | "random" | "observer" | "log">;

/** A call whose key is valid. */
type OwnedCall = CallState & { readonly principal: Principal };

/** Alarms for failures that need the operator: something is wrong with the account at the provider. */
const accountAlarms: Readonly<Partial<Record<string, string>>> = {
  credential_refused: "channel.credential_refused",
  account_empty: "channel.account_empty",
};

/** An attempt of a call that has begun: its channel, and where its outcome goes. */
export interface BegunAttempt<Answer> extends Ending<Answer | FailedAttempt> {
  readonly use: ChannelUse;
  readonly planned: PlannedAttempt;
}

/** How a call tries one channel; an exception ends the call. */
export interface ChannelTrial<Answer> {
  try(attempt: BegunAttempt<Answer>): void;
}

/**
 * Tries channels until one responds: the attempt loop of calls and of sessions. Nothing has been sent to the client
 * yet, and failed attempts are free.
 * @throws AppError as the client is to see it
 */
export function attemptChannels<Answer extends object>(
  deps: AttemptDeps,
  state: OwnedCall,
  choice: Choice,
  trial: ChannelTrial<Answer>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    new ChannelAttempts(deps, state, trial, { resolve, reject }).begin(choice);
  });
}

/**
 * The same without a promise. Nearly every call is answered by the first channel, so that the loop begins with the first
 * failure. There is one attempt at a time, and this is its ending. Its own ending is never called before `begin` has returned.
 */
export class ChannelAttempts<Answer extends object> implements BegunAttempt<Answer> {
  readonly #deps: AttemptDeps;
  readonly #state: OwnedCall;
  readonly #trial: ChannelTrial<Answer>;
  readonly #ending: Ending<Answer>;
  #plan: AttemptPlan | null = null;
  #planned: PlannedAttempt | null = null;
  #use: ChannelUse | null = null;

  constructor(deps: AttemptDeps, state: OwnedCall, trial: ChannelTrial<Answer>, ending: Ending<Answer>) {
    this.#deps = deps;
    this.#state = state;
    this.#trial = trial;
    this.#ending = ending;
  }

  get use(): ChannelUse {
    return this.#use as ChannelUse;
  }

  get planned(): PlannedAttempt {
    return this.#planned as PlannedAttempt;
  }

  /** @param tick if the time was just read */
  begin(choice: Choice, tick?: number): void {
    const plan = new AttemptPlan(this.#deps, choice, this.#state.principal.gatewayUserId, tick);
    this.#plan = plan;
    const planned = plan.next();
    if (planned === null) {
      this.#goOn(plan, null);
    } else {
      this.#try(planned);
    }
  }

  resolve(outcome: Answer | FailedAttempt | Promise<Answer | FailedAttempt>): void {
    if (outcome instanceof Promise) {
      outcome.then(
        (ended) => this.resolve(ended),
        (thrown: unknown) => this.reject(thrown),
      );
    } else if ("failure" in outcome) {
      this.#goOn(this.#plan as AttemptPlan, outcome);
    } else {
      this.#plan?.noteAnswer();
      this.#ending.resolve(outcome);
    }
  }

  reject(thrown: unknown): void {
    if (this.#use !== null) {
      this.#deps.loads.release(this.#use);
    }
    this.#ending.reject(thrown);
  }

  /** The call is attributed to the last channel tried. */
  #try(planned: PlannedAttempt): void {
    const { ability, credential, tick } = planned;
    this.#planned = planned;
    try {
      this.#state.channelId = ability.channel.id;
      this.#use = this.#deps.loads.begin(ability.channel, this.#state.principal.gatewayUserId, credential, tick);
      this.#trial.try(this);
    } catch (thrown) {
      this.resolve(Promise.reject(thrown));
    }
  }

  /** @param failed null if no channel was open for the first attempt */
  #goOn(plan: AttemptPlan, failed: FailedAttempt | null): void {
    this.#next(plan, failed).then(
      (planned) => this.#try(planned),
      (thrown: unknown) => this.reject(thrown),
    );
  }

  async #next(failedPlan: AttemptPlan, failed: FailedAttempt | null): Promise<PlannedAttempt> {
    let plan = failedPlan;
    let last = failed;
    if (failed !== null && !this.#mayGoOn(plan, failed)) {
      plan = await this.#nextModel(plan, last);
      last = null;
    }
    let planned = plan.next() ?? (await plan.repeat(last, this.#state.call.signal));
    while (planned === null) {
      plan = await this.#nextModel(plan, last);
      last = null;
      planned = plan.next();
    }
    return planned;
  }

  /** @throws AppError for a client that has left: nothing is retried for it */
  #mayGoOn(plan: AttemptPlan, failed: FailedAttempt): boolean {
    if (this.#use !== null) {
      noteFailure(this.#deps, this.#state, this.#use, failed);
    }
    if (this.#state.call.signal.aborted) {
      throw attemptError(this.#deps, this.#state, failed, plan.choice.abilities);
    }
    return plan.mayGoOn(failed.failure);
  }

  async #nextModel(plan: AttemptPlan, last: FailedAttempt | null): Promise<AttemptPlan> {
    const next = await nextModel(this.#deps, this.#state, plan, last);
    this.#plan = next;
    return next;
  }
}

/**
 * Continues with another model, if the operator and the owner of the key allow it.
 * @throws AppError as the client is to see it, if none is left: why the model that it asked for has not answered
 */
async function nextModel(
  deps: AttemptDeps,
  state: OwnedCall,
  { choice, elapsedMs }: AttemptPlan,
  last: FailedAttempt | null,
): Promise<AttemptPlan> {
  const { abilities, fallbacks = null } = choice;
  const error = last === null ? noChannel(deps, state, abilities) : attemptError(deps, state, last, abilities);
  const next = fallbacks === null ? null : await fallbacks.next({ last, error, elapsedMs });
  if (next === null) {
    throw fallbacks?.firstError ?? error;
  }
  return new AttemptPlan(deps, next, state.principal.gatewayUserId);
}

type SeenFailure = Pick<FailedAttempt, "note"> & { readonly failure: Pick<AttemptFailure, "status" | "result"> };
type SeenOfAttempt = Pick<Attempt, "status" | "result" | "said"> & {
  /** When it ended, if the time was just read. */
  readonly tick?: number;
};

/** Records how an attempt ended; called before the call is settled, so that its row includes the attempt. */
export function noteAttempt(
  { clock, observer }: Pick<AttemptDeps, "clock" | "observer">,
  state: CallState,
  { channel, load, credential, credentialUse, startedTick }: ChannelUse,
  seen: SeenOfAttempt,
): void {
  const attempt: Attempt = {
    channelId: load.idText,
    channel: channel.name,
    credentialId: credentialUse?.load.idText,
    credential: credential?.label,
    node: channel.exitNode ?? undefined,
    startedAtMs: Math.round(startedTick - state.call.startedTick),
    durationMs: Math.round((seen.tick ?? clock.tick()) - startedTick),
    model: state.askedModel === null ? undefined : state.model?.name,
    status: seen.status,
    result: seen.result,
    said: seen.said,
  };
  state.attempts = state.attempts.length === 0 ? [attempt] : [...state.attempts, attempt];
  observer.onAttempt(attempt, channel.exitNode);
}

/** How a stream ended after it had begun, and what the provider said about it. */
type StreamEnd = { readonly status: number; readonly ending: StreamEnding; readonly note: string | null };

/** Records the end of such a stream's attempt. */
export function noteStreamEnd(
  deps: Pick<AttemptDeps, "clock" | "observer" | "loads">,
  state: CallState,
  use: ChannelUse,
  { status, ending, note }: StreamEnd,
): void {
  const result = streamResult(ending);
  noteAttempt(deps, state, use, seenOf({ failure: { status, result }, note }));
  if (ending.kind === "aborted") {
    deps.loads.release(use);
  } else {
    deps.loads.end(use, ending.kind === "completed" ? "none" : "suspected", result);
  }
}

/** What is recorded about a failed attempt. */
export function seenOf({ failure, note }: SeenFailure): SeenOfAttempt {
  const { status, result } = failure;
  return note === null ? { status, result } : { status, result, said: note };
}

/** Reports a failed attempt to the channel's load, which may count it against the channel or pause it. */
function noteFailure(deps: AttemptDeps, state: CallState, use: ChannelUse, { failure, note }: FailedAttempt): void {
  const { loads, log, random } = deps;
  const { result } = failure;
  noteAttempt(deps, state, use, seenOf({ failure, note }));
  const alarm = accountAlarms[result];
  if (alarm !== undefined) {
    log.error(alarm, { requestId: state.call.requestId, channel: use.channel.name });
  }
  if (failure.blame === "unasked") {
    loads.withdraw(use);
    return;
  }
  // A channel with other credentials is not at fault for this one.
  const isOther = use.channel.credentials.length > 1 && concernsCredential(failure);
  loads.end(use, isOther ? "none" : failure.blame, result);
  if (failure.needsCooldown) {
    loads.coolDown(use, failure, random);
  }
}

/**
 * Why no channel can be tried: either there are too many calls right now, which passes by itself, or all channels are
 * down.
 */
function noChannel({ loads }: AttemptDeps, { principal }: OwnedCall, abilities: readonly Ability[]): AppError {
  if (abilities.length === 0) {
    return new AppError("no_upstream", { internal: { reason: "no ability" } });
  }
  const customer = principal.gatewayUserId;
  const channels = abilities.map(channelOf);
  const code = channels.some((channel) => loads.isBusy(channel, customer)) ? "upstream_rate_limited" : "no_upstream";
  return new AppError(code, { retryAfterSeconds: loads.retryAfterSeconds(channels, customer) });
}

/** The retry time is chosen so that a client that comes back on time does not meet the same pause again. */
function attemptError(
  { loads }: AttemptDeps,
  { principal }: OwnedCall,
  { failure, upstreamError }: FailedAttempt,
  abilities: readonly Ability[],
): AppError {
  if (!failure.needsCooldown) {
    return toAttemptError(failure, upstreamError);
  }
  const pause = loads.retryAfterSeconds(abilities.map(channelOf), principal.gatewayUserId);
  if (failure.retryAfterSeconds !== null && pause <= failure.retryAfterSeconds) {
    return toAttemptError(failure, upstreamError);
  }
  return toAttemptError({ ...failure, retryAfterSeconds: pause, retryAfterMs: null }, upstreamError);
}

const channelOf = ({ channel }: Ability): Channel => channel;
