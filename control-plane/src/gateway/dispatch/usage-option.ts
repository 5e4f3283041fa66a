import type { ChannelId } from "@sluice/contracts/ids";
import type { Clock } from "../../platform/clock.ts";
import type { UpstreamError } from "../../platform/errors.ts";
import type { AttemptFailure, ParsedRequest } from "../model.ts";

const refusals: ReadonlySet<number | null> = new Set([400, 422]);
const optionNames = /stream_options|include_usage/;
/** How long the option is left out for a channel; then one call finds out whether it now accepts the option. */
const leftOutMs = 600_000;

/** Channels that refused the usage option; the gateway does not send it to them. */
export class UsageOptions {
  readonly #clock: Pick<Clock, "tick">;
  /** The time until which each channel is not asked for usage again. */
  readonly #leftOutUntil = new Map<ChannelId, number>();

  constructor(clock: Pick<Clock, "tick">) {
    this.#clock = clock;
  }

  asks(channel: ChannelId): boolean {
    return this.#clock.tick() >= (this.#leftOutUntil.get(channel) ?? 0);
  }

  /** Leaves the option out from now on, after a call succeeded only without it. */
  leaveOut(channel: ChannelId): void {
    this.#leftOutUntil.set(channel, this.#clock.tick() + leftOutMs);
  }
}

/** Whether the provider refused the request because of the option that the client did not ask for. */
export function refusesUsageOption(
  { failure, upstreamError }: { readonly failure: AttemptFailure; readonly upstreamError: UpstreamError | null },
  request: ParsedRequest,
): boolean {
  const isNamed =
    upstreamError !== null && (optionNames.test(upstreamError.message) || optionNames.test(upstreamError.param ?? ""));
  return refusals.has(failure.status) && isNamed && withoutUsageOption(request) !== request;
}

/** Whether a request asks for usage although its client does not. */
export function asksForUsage({ plainBody }: ParsedRequest): boolean {
  return plainBody !== null;
}

/** The client's original request; the same request if the client set the option itself, or if there is none. */
export function withoutUsageOption(request: ParsedRequest): ParsedRequest {
  return request.plainBody === null ? request : { ...request, body: request.plainBody };
}
