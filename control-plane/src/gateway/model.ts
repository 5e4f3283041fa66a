import type { ErrorCode } from "@sluice/contracts/errors";
import type { ApiKeyId, BudgetId, ChannelId, GatewayUserId, RequestId, UserId } from "@sluice/contracts/ids";
import type { Decimal, Quota } from "@sluice/contracts/money";
import type { PriceVersion } from "../models/model.ts";
import type { Units } from "../models/units.ts";
import type { AnswerCapture } from "../platform/answer-capture.ts";
import type { UpstreamWords } from "../platform/errors.ts";
import type { HttpClientError } from "../platform/http-client/model.ts";
import type { ByteCounter } from "../platform/read-body.ts";
import type { Attempt, Outcome } from "../usage/log/model.ts";
import type { BodyShare } from "./body-room.ts";
import type { ExitNodesOfModel } from "./channels/model.ts";
import type { ReadOn } from "./read-on.ts";

/** What a translation of calls knows of the upstream, and a chat completion has no word for. */
export type UpstreamTraits = {
  /** Whether it can report the usage of a stream: `stream_options.include_usage`. */
  readonly takesUsageOption: boolean;
  /** A stream that just ends is whole: it says neither why it ends nor that it is done. */
  readonly isWholeAtEof: boolean;
};

/** A relayed call as the gateway gets it. Nothing of it was changed on the way from the client. */
export type GatewayCall = {
  readonly requestId: RequestId;
  readonly method: string;
  /** Without query; exactly as it stood on the request line. */
  readonly path: string;
  /** Empty, or with its leading question mark. */
  readonly query: string;
  readonly headers: Headers;
  readonly clientIp: string;
  /** Fires when the client is gone. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  /** The same moment on the clock that only goes forward. */
  readonly startedTick: number;
  /**
   * Reads the body; called at most once, and only after the key was found valid.
   * @param counter counts the body's share of the room for all bodies
   * @throws AppError `request_too_large`, `request_timeout`, or what a translated call is refused with; FreeAnswer
   */
  readBody(counter?: ByteCounter): Promise<Uint8Array>;
  /** Of a translated call, asked once its body was read. */
  traits?(): UpstreamTraits;
  /** What follows the last event of a stream, asked for once the call is over; for a relay of this deployment. */
  postscript?(): Uint8Array | null;
  /** Called exactly once, when the call is over and its usage is recorded. */
  onReport(report: CallReport): void;
  /** Called later if the usage could not be recorded after all: this replaces what was reported. */
  onUnrecorded?(report: CallReport): void;
};

export type GatewayAnswer = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array | ReadableStream<Uint8Array> | null;
  /** Of an answer that goes on as bytes without marks: what is known of the call by now. For a relay of this deployment. */
  readonly begun?: CallReport;
  /** Of an error: the status with which the last provider refused. For a relay of this deployment. */
  readonly upstreamStatus?: number;
};

/** What the business relay may know of a finished call. */
export type CallReport = {
  readonly userId: UserId | null;
  readonly gatewayUserId: GatewayUserId | null;
  readonly apiKeyId: ApiKeyId | null;
  readonly isPayloadTraced: boolean;
  readonly model: string | null;
  readonly outcome: Outcome;
  readonly errorCode: string | null;
  readonly httpStatus: number;
  readonly isStream: boolean;
  readonly inputTokens: bigint | null;
  readonly outputTokens: bigint | null;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  /** What went to the client, in pieces, up to the capture limit. */
  readonly responsePieces: readonly Uint8Array[];
  readonly responseBytes: number;
};

/** Who is calling, as the key says: everything that admission needs, so that it asks nobody else. */
export type Principal = {
  readonly userId: UserId | null;
  readonly gatewayUserId: GatewayUserId;
  readonly apiKeyId: ApiKeyId;
  readonly groupName: string;
  readonly isUserEnabled: boolean;
  readonly keyStatus: "active" | "disabled" | "revoked";
  /** Milliseconds since 1970, or null for never. */
  readonly expiresAtMs: number | null;
  readonly allowedModels: ReadonlySet<string> | null;
  readonly allowedIps: readonly string[] | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrencyMax: number | null;
  readonly isPayloadTraced: boolean;
  readonly isFirstUse: boolean;
  readonly rateMultiplier: Decimal;
  readonly userBudgetId: BudgetId;
  readonly keyBudgetId: BudgetId | null;
  /** The key whose limits count: keys that followed each other by rotation share those of the first. */
  readonly limitKeyId: ApiKeyId;
};

/** What a request says about how much its answer can use at most; the model says the rest. */
export type RequestBounds = {
  /** Input tokens that are in the body, pictures apart; null when it points to input that it does not hold. */
  readonly inputTokensMax: number | null;
  /** All input shares one context, so that the context of the model bounds it too. */
  readonly isOneContext: boolean;
  readonly inputImages: number;
  /** The most output tokens the client allows for one choice, or null. */
  readonly outputTokensMax: number | null;
  /** How many answers are paid for. */
  readonly choices: number;
  readonly outputImages: number;
  /** Milliseconds of recorded sound. */
  readonly audioMs: bigint;
  /** Characters to be spoken. */
  readonly characters: number;
};

/** The result of one pass over the body. */
export type ParsedRequest = {
  readonly model: string | null;
  readonly isStream: boolean;
  /** Whether the client asked for the usage chunk itself. */
  readonly wantsUsage: boolean;
  readonly bounds: RequestBounds;
  readonly inputBytes: number;
  /**
   * The body as it goes upstream: the client's own bytes except for the usage option of a stream, or its rewritten
   * form.
   */
  readonly body: Uint8Array;
  /** The same without the usage option, where it is not the client's; else null. */
  readonly plainBody: Uint8Array | null;
  readonly contentType: string | null;
  /** The field that makes pictures more expensive than a price by the picture says, or null. */
  readonly pictureOption: string | null;
  /** What was removed from the request, as reported to the client; or null. */
  readonly dropped: string | null;
};

/** A body that is to be parsed, in a form that can go to another thread. */
export type ParseOrder = {
  readonly body: Uint8Array;
  readonly contentType: string | null;
  /** Of the call; it says what the body is to be read as. */
  readonly path: string;
  readonly mayAskForUsage: boolean;
};

/** A catalog entry with the price that is valid now. */
export type ModelEntry = {
  readonly name: string;
  readonly ownedBy: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly contextTokensMax: number;
  readonly outputTokensMax: number;
  readonly imageTokensMax: number;
  readonly deprecatedAtMs: number | null;
  readonly sunsetAtMs: number | null;
  readonly price: PriceVersion;
};

/** Quota set aside for one call in the user's budget and, for a key with a limit, in the key's. */
export type Hold = {
  readonly userBudgetId: BudgetId;
  readonly userAmount: Quota;
  readonly keyBudgetId: BudgetId | null;
  readonly keyAmount: Quota;
};

/** Everything that is known of a call while it runs; the pipeline owns it and fills it in step by step. */
export type CallState = {
  readonly call: GatewayCall;
  readonly attempts: Attempt[];
  principal: Principal | null;
  request: ParsedRequest | null;
  model: ModelEntry | null;
  hold: Hold | null;
  channelId: ChannelId | null;
  /** The exit nodes that the call may take; null outside of their group. */
  exitNodes: ExitNodesOfModel | null;
  /** The exit node that answered the last attempt. */
  exitNode: string | null;
  isStream: boolean;
  /** What the body takes of the room for all bodies. */
  bodyShare: BodyShare | null;
  /** How long the last attempt is read on once the client is gone; null where our own count is exact. */
  readOn: ReadOn | null;
  /** The limits of the key count this call. */
  isLimited: boolean;
  /** Set by the step that ends the call. */
  isSettled: boolean;
  firstByteMs: number | null;
  /** The first of what went to the client. */
  readonly capture: AnswerCapture;
  /** Everything that went to the client. */
  responseBytes: number;
};

/** A call that was let in: whose it is, what it wants, and what was set aside for it. */
export type AdmittedCall = CallState & {
  principal: Principal;
  request: ParsedRequest;
  model: ModelEntry;
  hold: Hold;
};

/** How a call ended, before it is priced. */
export type CallEnd = {
  readonly outcome: Outcome;
  readonly httpStatus: number;
  readonly errorCode: ErrorCode | null;
  readonly units: Units;
  readonly usageSource: "provider" | "estimated" | "none";
  /** The provider reported an implausible usage; the plausible amount is charged. */
  readonly isImplausible?: boolean;
};

/** Why an attempt brought no answer for the client, and what follows from it. */
export type AttemptFailure = {
  readonly code: ErrorCode;
  /** The status of the upstream, or null when none came. */
  readonly status: number | null;
  /**
   * What another channel could do: respond, while nobody has worked on the request yet (`free`); respond, but the first
   * may have worked on it and charge for it anyway (`paid_twice`); nothing better (`none`).
   */
  readonly retry: "free" | "paid_twice" | "none";
  /**
   * What it says about the channel: nothing; that it failed, which the request may have caused (`suspected`); that it
   * is out of order, whatever the request (`certain`).
   */
  readonly blame: "none" | "suspected" | "certain";
  /** The channel asked for a pause, or is known to need one. */
  readonly needsCooldown: boolean;
  readonly retryAfterSeconds: number | null;
  /** The same to the millisecond, where the provider said so. */
  readonly retryAfterMs: number | null;
  /** For the attempt record; never holds anything the upstream said. */
  readonly result: string;
  /** The upstream's own words may be shown to the client: the request was at fault. */
  readonly isRequestFault: boolean;
  /** The same request fails the same way tomorrow: clients are asked not to retry. */
  readonly isLasting: boolean;
};

/** An attempt that brought nothing for the client. */
export type FailedAttempt = {
  readonly failure: AttemptFailure;
  /** What the provider said that the client may read. */
  readonly said: UpstreamWords | null;
  /** What the provider said, for the support; kept with the attempt. */
  readonly note: string | null;
};

/** How a stream ended on the side of the upstream. */
export type StreamEnding =
  | { readonly kind: "completed" }
  /** The payload is that of the event. */
  | { readonly kind: "error_event"; readonly payload: Record<string, unknown> | null }
  /** An event whose data is not JSON. */
  | { readonly kind: "broken_event" }
  | { readonly kind: "cut"; readonly error: HttpClientError | null }
  | { readonly kind: "aborted" };

/** How the stream began: with something for the client, or so that another channel may still be tried. */
export type StreamOpening = { readonly kind: "open" } | Exclude<StreamEnding, { kind: "completed" }>;
