import type { ChannelId } from "@sluice/contracts/ids";
import { AppError, type UpstreamWords } from "../platform/errors.ts";
import type { ChannelUse } from "./channels/channel-load.ts";
import type { Ability, Channel } from "./channels/model.ts";
import { chooseChannel } from "./dispatch/choose-channel.ts";
import { mayRetry } from "./dispatch/retry-policy.ts";
import type { AttemptFailure, CallState } from "./model.ts";
import type { PipelineParts } from "./pipeline-parts.ts";
import { toAttemptError } from "./respond/translate-ending.ts";
import type { Attempt } from "./usage-log/model.ts";

export type AttemptParts = Pick<PipelineParts, "loads" | "clock" | "random" | "observer" | "log">;

/** An attempt that brought nothing for the client: why, and what the provider said that the client may read. */
export type FailedAttempt = { readonly failure: AttemptFailure; readonly said: UpstreamWords | null };

/**
 * Tries channels until one answers: the attempt loop of calls and of sessions. Nothing went out to the client yet, and
 * every failed try costs nothing.
 * @param abilities the channels that may serve the call, in the order of their priority
 * @param attempt tries one channel; what it throws ends the call
 * @throws AppError as the client shall see it
 */
export async function attemptChannels<Answer extends object>(
  parts: AttemptParts,
  state: CallState,
  abilities: readonly Ability[],
  attempt: (use: ChannelUse) => Promise<Answer | FailedAttempt>,
): Promise<Answer> {
  const { loads, clock, random } = parts;
  const tried = new Set<ChannelId>();
  for (let last: FailedAttempt | null = null; ; ) {
    const channel = chooseChannel(abilities, tried, (candidate) => loads.isOpen(candidate), random());
    if (channel === null) {
      throw last === null ? noChannel(parts, abilities) : attemptError(parts, last, abilities);
    }
    tried.add(channel.id);
    const use = loads.begin(channel);
    let result: Answer | FailedAttempt;
    try {
      result = await attempt(use);
    } catch (thrown) {
      loads.release(use);
      throw thrown;
    }
    if (!("failure" in result)) {
      return result;
    }
    last = result;
    noteFailure(parts, state, use, last.failure);
    if (!mayRetry(last.failure, tried.size, clock.tick() - state.call.startedTick)) {
      throw attemptError(parts, last, abilities);
    }
  }
}

/** Writes down how an attempt ended; called before the call is settled, so that its row tells of the attempt. */
export function noteAttempt(
  { clock, observer }: Pick<AttemptParts, "clock" | "observer">,
  state: CallState,
  { channel, startedTick }: ChannelUse,
  seen: Pick<Attempt, "status" | "result">,
): void {
  const attempt = {
    channelId: String(channel.id),
    channel: channel.name,
    startedAtMs: Math.round(startedTick - state.call.startedTick),
    durationMs: Math.round(clock.tick() - startedTick),
    status: seen.status,
    result: seen.result,
  };
  state.attempts.push(attempt);
  observer.onAttempt(attempt, channel.exitNode);
}

/** A try that brought no answer counts against the channel, or not, and may make it rest. */
function noteFailure(parts: AttemptParts, state: CallState, use: ChannelUse, failure: AttemptFailure): void {
  const { loads, log, random } = parts;
  noteAttempt(parts, state, use, failure);
  if (failure.result === "credential_refused" || failure.isLasting) {
    log.error(`channel.${failure.result}`, { requestId: state.call.requestId, channel: use.channel.name });
  }
  loads.end(use, failure.isChannelFault, failure.result);
  if (failure.needsCooldown) {
    loads.coolDown(use.channel, failure.retryAfterSeconds, random);
  }
}

function noChannel({ loads }: AttemptParts, abilities: readonly Ability[]): AppError {
  if (abilities.length === 0) {
    return new AppError("no_upstream", { internal: { reason: "no ability" } });
  }
  const channels = abilities.map(channelOf);
  const code = channels.some((channel) => loads.isBusy(channel)) ? "upstream_rate_limited" : "no_upstream";
  return new AppError(code, { retryAfterSeconds: loads.retryAfterSeconds(channels) });
}

/** A client that comes back when it was told to does not meet the same pause again. */
function attemptError({ loads }: AttemptParts, last: FailedAttempt, abilities: readonly Ability[]): AppError {
  const { failure, said } = last;
  if (!failure.needsCooldown) {
    return toAttemptError(failure, said);
  }
  const pause = loads.retryAfterSeconds(abilities.map(channelOf));
  return toAttemptError({ ...failure, retryAfterSeconds: Math.max(failure.retryAfterSeconds ?? 0, pause) }, said);
}

const channelOf = ({ channel }: Ability): Channel => channel;
