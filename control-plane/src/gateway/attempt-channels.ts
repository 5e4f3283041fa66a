import type { ChannelId } from "@sluice/contracts/ids";
import { AppError } from "../platform/errors.ts";
import type { Attempt } from "../usage/log/model.ts";
import type { ChannelUse } from "./channels/channel-load.ts";
import type { Ability, Channel } from "./channels/model.ts";
import { chooseChannel } from "./dispatch/choose-channel.ts";
import { attemptMsMax, mayRetry, type RetryRule } from "./dispatch/retry-policy.ts";
import type { AttemptFailure, CallState, FailedAttempt, Principal, StreamEnding } from "./model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { streamResult, toAttemptError } from "./respond/translate-ending.ts";

export type AttemptDeps = Pick<PipelineDeps, "loads" | "clock" | "random" | "observer" | "log">;

/** A call whose key is valid. */
type OwnedCall = CallState & { readonly principal: Principal };

/** Where a call may go, and when it may go on. */
export type Choice = {
  /** In the order of their priority. */
  readonly abilities: readonly Ability[];
  readonly rule: RetryRule;
};

/** The alarms of failures that need the operator: something about the account at the provider is wrong. */
const accountAlarms: Readonly<Partial<Record<string, string>>> = {
  credential_refused: "channel.credential_refused",
  account_empty: "channel.account_empty",
};

/**
 * Tries channels until one answers: the attempt loop of calls and of sessions. Nothing was sent to the client yet, and
 * failed attempts are free.
 * @param attempt tries one channel, which may stay silent for the given milliseconds; what it throws ends the call
 * @throws AppError as the client is to see it
 */
export async function attemptChannels<Answer extends object>(
  deps: AttemptDeps,
  state: OwnedCall,
  { abilities, rule }: Choice,
  attempt: (use: ChannelUse, silenceMsMax: number) => Promise<Answer | FailedAttempt>,
): Promise<Answer> {
  const { loads, clock, random } = deps;
  const customer = state.principal.gatewayUserId;
  const startedTick = clock.tick();
  const tried = new Set<ChannelId>();
  const isNext = (channel: Channel) => !tried.has(channel.id) && loads.isOpen(channel, customer);
  for (let last: FailedAttempt | null = null; ; ) {
    const channel = chooseChannel(abilities, isNext, random());
    if (channel === null) {
      throw last === null ? noChannel(deps, state, abilities) : attemptError(deps, state, last, abilities);
    }
    const elapsedMs = clock.tick() - startedTick;
    const silenceMsMax = attemptMsMax({ attempts: tried.size, elapsedMs }, hasOther(abilities, channel, isNext), rule);
    tried.add(channel.id);
    // The last one that was tried is the one that the call counts for.
    state.channelId = channel.id;
    const use = loads.begin(channel, customer);
    let result: Answer | FailedAttempt;
    try {
      result = await attempt(use, silenceMsMax);
    } catch (thrown) {
      loads.release(use);
      throw thrown;
    }
    if (!("failure" in result)) {
      return result;
    }
    last = result;
    noteFailure(deps, state, use, last);
    // A client that has left waits for nobody.
    if (
      state.call.signal.aborted ||
      !mayRetry(last.failure, { attempts: tried.size, elapsedMs: clock.tick() - startedTick }, rule)
    ) {
      throw attemptError(deps, state, last, abilities);
    }
  }
}

/** Whether there is a channel to go on to. */
function hasOther(abilities: readonly Ability[], chosen: Channel, isNext: (channel: Channel) => boolean): boolean {
  return abilities.length > 1 && abilities.some(({ channel }) => channel !== chosen && isNext(channel));
}

type SeenFailure = Pick<FailedAttempt, "note"> & { readonly failure: Pick<AttemptFailure, "status" | "result"> };
type SeenOfAttempt = Pick<Attempt, "status" | "result" | "said">;

/** Records how an attempt ended; called before the call is settled, so that its row includes the attempt. */
export function noteAttempt(
  { clock, observer }: Pick<AttemptDeps, "clock" | "observer">,
  state: CallState,
  { channel, startedTick }: ChannelUse,
  seen: SeenOfAttempt,
): void {
  const attempt: Attempt = {
    channelId: String(channel.id),
    channel: channel.name,
    startedAtMs: Math.round(startedTick - state.call.startedTick),
    durationMs: Math.round(clock.tick() - startedTick),
    status: seen.status,
    result: seen.result,
    ...(seen.said === undefined ? {} : { said: seen.said }),
  };
  state.attempts.push(attempt);
  observer.onAttempt(attempt, channel.exitNode);
}

/** How a stream ended that had begun, and what the provider said about it. */
type StreamEnd = { readonly status: number; readonly ending: StreamEnding; readonly note: string | null };

/** The attempt of such a stream ends. */
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

/** What is recorded of a failed attempt. */
export function seenOf({ failure, note }: SeenFailure): SeenOfAttempt {
  const { status, result } = failure;
  return note === null ? { status, result } : { status, result, said: note };
}

/** A try that brought no answer counts against the channel, or not, and may make it rest. */
function noteFailure(deps: AttemptDeps, state: CallState, use: ChannelUse, { failure, note }: FailedAttempt): void {
  const { loads, log, random } = deps;
  const { result } = failure;
  noteAttempt(deps, state, use, seenOf({ failure, note }));
  const alarm = accountAlarms[result];
  if (alarm !== undefined) {
    log.error(alarm, { requestId: state.call.requestId, channel: use.channel.name });
  }
  loads.end(use, failure.blame, result);
  if (failure.needsCooldown) {
    loads.coolDown(use, failure, random);
  }
}

/** Why nothing can be tried: too many calls right now, which passes by itself, or everything is out of order. */
function noChannel({ loads }: AttemptDeps, { principal }: OwnedCall, abilities: readonly Ability[]): AppError {
  if (abilities.length === 0) {
    return new AppError("no_upstream", { internal: { reason: "no ability" } });
  }
  const customer = principal.gatewayUserId;
  const channels = abilities.map(channelOf);
  const code = channels.some((channel) => loads.isBusy(channel, customer)) ? "upstream_rate_limited" : "no_upstream";
  return new AppError(code, { retryAfterSeconds: loads.retryAfterSeconds(channels, customer) });
}

/** A client that comes back at the requested time does not meet the same pause again. */
function attemptError(
  { loads }: AttemptDeps,
  { principal }: OwnedCall,
  { failure, said }: FailedAttempt,
  abilities: readonly Ability[],
): AppError {
  if (!failure.needsCooldown) {
    return toAttemptError(failure, said);
  }
  const pause = loads.retryAfterSeconds(abilities.map(channelOf), principal.gatewayUserId);
  if (failure.retryAfterSeconds !== null && pause <= failure.retryAfterSeconds) {
    return toAttemptError(failure, said);
  }
  return toAttemptError({ ...failure, retryAfterSeconds: pause, retryAfterMs: null }, said);
}

const channelOf = ({ channel }: Ability): Channel => channel;
