import type { ChannelId } from "@sluice/contracts/ids";
import type { Clock } from "../../platform/clock.ts";
import type { UpstreamWords } from "../../platform/errors.ts";
import type { AttemptFailure, GatewayCall, ParsedRequest } from "../model.ts";

const refusals: ReadonlySet<number | null> = new Set([400, 422]);
const optionNames = /stream_options|include_usage/;
/** How long the option is left out for a channel; then one call finds out whether it now accepts the option. */
const leftOutMs = 600_000;

/** Channels that are not asked for the usage of streams, because they refused that. */
export class UsageOptions {
  readonly #clock: Pick<Clock, "tick">;
  /** By channel: when it may be asked again. */
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
  { failure, said }: { readonly failure: AttemptFailure; readonly said: UpstreamWords | null },
  request: ParsedRequest,
  call: GatewayCall,
): boolean {
  const isNamed = said !== null && (optionNames.test(said.message) || optionNames.test(said.param ?? ""));
  return refusals.has(failure.status) && isNamed && withoutUsageOption(request, call) !== request;
}

/** The client's original request; unchanged if the option is its own, or if there is none. */
export function withoutUsageOption(request: ParsedRequest, call: GatewayCall): ParsedRequest {
  if (request.plainBody !== null) {
    return { ...request, body: request.plainBody };
  }
  // A client of another API can't have asked: the translation did, and its text may be rewritten.
  if (call.traits === undefined || !request.wantsUsage) {
    return request;
  }
  const { stream_options: _option, ...fields } = JSON.parse(Buffer.from(request.body).toString()) as Fields;
  return { ...request, body: Buffer.from(JSON.stringify(fields)) };
}

type Fields = { stream_options?: unknown; [field: string]: unknown };
