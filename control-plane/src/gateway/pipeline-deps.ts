import type { ApiKeyId } from "@sluice/contracts/ids";
import type { HttpClient, HttpLimits } from "@sluice/http-client/model";
import type { Amount } from "../platform/amount.ts";
import type { CaptureAllowance } from "../platform/answer-capture.ts";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import type { RowWaiter } from "../platform/spool/model.ts";
import type { Attempt, RecordedCall, UsageRow } from "../usage/log/model.ts";
import type { AccountFigures } from "./account-figures/account-figures.ts";
import type { BodyRoom } from "./body-room.ts";
import type { Catalog } from "./catalog.ts";
import type { Affinities } from "./channels/affinities.ts";
import type { ChannelLoads } from "./channels/channel-load.ts";
import type { KeyDirectory } from "./keys/key-directory.ts";
import type { KeyLimits } from "./keys/key-limits.ts";
import type { CallEnd, CallState, ParsedRequest, ParseOrder } from "./model.ts";
import type { QuotaLeases } from "./quota/leases.ts";
import type { ReadOnLimits, ReadOnRoom } from "./read-on.ts";
import type { ResponseCache } from "./response-cache/response-cache.ts";
import type { AsideConversions } from "./upstreams/aside-conversions.ts";
import type { Authorizer } from "./upstreams/authorize.ts";

/** Stores the rows of finished calls; a row is durable before `append` resolves. */
export interface UsageSpool {
  /** The waiter hears when the row is durable, or that it can't be: also if an exception is why, and never before this returns. */
  append(row: UsageRow | RecordedCall, waiter: RowWaiter): void;
  /** False while no more paid calls may be admitted, because their usage could not be recorded. */
  isAccepting(): boolean;
}

/** What the pipeline reports to observers. Called on the hot path: counting only. */
export interface GatewayObserver {
  /** @param exitNode the code of the exit node that was tried, or null */
  onAttempt(attempt: Attempt, exitNode: string | null): void;
  /** A call continues with another model. @param reason the result of the last attempt, or why there was none */
  onFallback(from: string, to: string, reason: string): void;
  /** @param quota what the call costs before a multiplier */
  onEnd(state: CallState, end: CallEnd, durationMs: number, quota: Amount): void;
}

/** Everything the pipeline depends on; composed in compose/gateway.ts. */
export type PipelineDeps = {
  readonly directory: KeyDirectory;
  readonly limits: KeyLimits;
  readonly account: Pick<AccountFigures, "answer">;
  readonly bodyRoom: BodyRoom;
  readonly readOnRoom: ReadOnRoom;
  readonly leases: QuotaLeases;
  readonly loads: ChannelLoads;
  readonly affinities: Affinities;
  readonly catalog: () => Catalog;
  readonly client: HttpClient;
  readonly authorizer: Authorizer;
  readonly usage: UsageSpool;
  readonly responses: ResponseCache;
  readonly captures: CaptureAllowance;
  readonly observer: GatewayObserver;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** SHA-256 of a whole API key, as hex. */
  readonly digestKey: (key: string) => string;
  /** Identifies this deployment on the path of a request; the same on every replica, and not a secret. */
  readonly hopMark: string;
  readonly upstreamLimits: UpstreamLimits;
  /** Whether to retry a call at another channel after a provider may have worked on it, and may bill it. */
  readonly isSentRetried: boolean;
  /** Parses a large body on another thread. */
  readonly parseAside: (order: ParseOrder) => Promise<ParsedRequest>;
  /** Converts large bodies on another thread. */
  readonly aside: AsideConversions;
  /** A client that reads nothing of a stream for this long is treated as gone. */
  readonly streamStallTimeoutMs: number;
  readonly onFirstUse: (apiKeyId: ApiKeyId) => void;
};

export type UpstreamLimits = Omit<HttpLimits, "afterAbort"> & {
  /** How long at least, and how far, to keep reading a response after its client left, to learn what the call cost. */
  readonly afterAbort: ReadOnLimits;
  /**
   * The limit until the first byte of a stream, for all channels together. Responses that come whole may take as long
   * as they need, but not longer than `firstByteTimeoutMs`.
   */
  readonly firstTokenTimeoutMs: number;
};
