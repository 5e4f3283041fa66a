import { AppError } from "../platform/errors.ts";
import type { Attempt } from "../usage/log/model.ts";
import { AttemptPlan, type Choice } from "./attempt-plan.ts";
import type { ChannelUse } from "./channels/channel-load.ts";
import { concernsCredential } from "./channels/credential-faults.ts";
import type { Ability, Channel } from "./channels/model.ts";
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

/**
 * Tries channels until one responds: the attempt loop of calls and of sessions. Nothing has been sent to the client
 * yet, and failed attempts are free.
 * @param attempt tries one channel, which may stay silent for the given milliseconds; an exception ends the call
 * @throws AppError as the client is to see it
 */
export async function attemptChannels<Answer extends object>(
  deps: AttemptDeps,
  state: OwnedCall,
  choice: Choice,
  attempt: (use: ChannelUse, silenceMsMax: number, ability: Ability) => Promise<Answer | FailedAttempt>,
): Promise<Answer> {
  const { loads } = deps;
  const { signal } = state.call;
  const customer = state.principal.gatewayUserId;
  let plan = new AttemptPlan(deps, choice, customer);
  for (let last: FailedAttempt | null = null; ; ) {
    const planned = plan.next() ?? (await plan.repeat(last, signal));
    if (planned === null) {
      plan = await nextModel(deps, state, plan, last);
      last = null;
      continue;
    }
    const { ability, credential, silenceMsMax } = planned;
    // The call is attributed to the last channel tried.
    state.channelId = ability.channel.id;
    const use = loads.begin(ability.channel, customer, credential);
    let result: Answer | FailedAttempt;
    try {
      result = await attempt(use, silenceMsMax, ability);
    } catch (thrown) {
      loads.release(use);
      throw thrown;
    }
    if (!("failure" in result)) {
      plan.noteAnswer();
      return result;
    }
    last = result;
    noteFailure(deps, state, use, last);
    // Nothing is retried for a client that has left.
    if (signal.aborted) {
      throw attemptError(deps, state, last, plan.choice.abilities);
    }
    if (!plan.mayGoOn(last.failure)) {
      plan = await nextModel(deps, state, plan, last);
      last = null;
    }
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
type SeenOfAttempt = Pick<Attempt, "status" | "result" | "said">;

/** Records how an attempt ended; called before the call is settled, so that its row includes the attempt. */
export function noteAttempt(
  { clock, observer }: Pick<AttemptDeps, "clock" | "observer">,
  state: CallState,
  { channel, credential, startedTick }: ChannelUse,
  seen: SeenOfAttempt,
): void {
  const attempt: Attempt = {
    channelId: String(channel.id),
    channel: channel.name,
    credentialId: credential === null ? undefined : String(credential.id),
    credential: credential?.label,
    node: channel.exitNode ?? undefined,
    startedAtMs: Math.round(startedTick - state.call.startedTick),
    durationMs: Math.round(clock.tick() - startedTick),
    model: state.askedModel === null ? undefined : state.model?.name,
    status: seen.status,
    result: seen.result,
    said: seen.said,
  };
  state.attempts.push(attempt);
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
