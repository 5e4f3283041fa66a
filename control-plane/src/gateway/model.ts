import type { ErrorCode } from "@sluice/contracts/errors";
import type { ApiKeyId, BudgetId, ChannelId, GatewayUserId, RequestId, UserId } from "@sluice/contracts/ids";
import type { ModelKind } from "@sluice/contracts/model-kinds";
import type { Decimal } from "@sluice/contracts/money";
import type { AbortNotice, HttpClientError } from "@sluice/http-client/model";
import type { Bytes } from "@sluice/http-client/packet-part";
import type { ModelFlags } from "@sluice/messages-conversion/model-flags";
import type { PriceVersion } from "../models/model.ts";
import type { Units } from "../models/units.ts";
import type { Amount } from "../platform/amount.ts";
import type { AnswerCapture } from "../platform/answer-capture.ts";
import type { AnswerBody } from "../platform/answer-stream.ts";
import type { AppError, UpstreamError } from "../platform/errors.ts";
import type { ByteCounter } from "../platform/read-body.ts";
import type { Attempt, Outcome } from "../usage/log/model.ts";
import type { BodyShare } from "./body-room.ts";
import type { ExitNodesOfModel } from "./channels/model.ts";
import type { EarlyStream } from "./early-stream.ts";
import type { CallSettings } from "./keys/model.ts";
import type { ReadOn } from "./read-on.ts";
import type { Recording } from "./response-cache/recording.ts";

/** What another address of ours knows about a call, because it has looked its model up. */
export type CallTraits = {
  /** The model as the client named it; responses repeat it. */
  readonly clientModel: string;
  /** What the model map says about the model; it matters where the request is converted. */
  readonly modelFlags: Partial<ModelFlags>;
};

/** The headers of a call, by their names in lower case; of a repeated one, its values in one line. */
export type CallHeaders = Pick<Headers, "get"> & {
  /** Kept with the headers of a connection whose calls all have the same ones; null or missing for others. */
  readonly derived?: { keyDigest: string | null } | null;
};

/** A relayed call as the gateway receives it, unchanged by the relay. */
export type GatewayCall = {
  readonly requestId: RequestId;
  readonly method: string;
  /** Without the query; exactly as in the request line. */
  readonly path: string;
  /** Empty, or with its leading question mark. */
  readonly query: string;
  readonly headers: CallHeaders;
  readonly clientIp: string;
  /** Fires when the client is gone. */
  readonly signal: AbortNotice;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  /** The start of the call on the monotonic clock. */
  readonly startedTick: number;
  /** The size of a body that is there already; missing if that is not known. */
  readonly bodyBytes?: number | undefined;
  /**
   * Reads the body; called at most once, and only after the key was found valid.
   * @param counter counts the body's share of the room for all bodies
   * @throws AppError `request_too_large`, `request_timeout`
   */
  readBody(counter?: ByteCounter): Bytes | Promise<Bytes>;
  /** For calls at another address; called after the body was read. Null if nothing is known. */
  traits?(): CallTraits | null;
  /** The bytes after the last event of a stream, requested once the call is over; for a relay of this deployment. */
  postscript?(): Uint8Array | null;
  /** Called exactly once, when the call is over and its usage is recorded. */
  onReport(report: CallReport): void;
  /** Called later if the usage could not be recorded after all; replaces the earlier report. */
  onUnrecorded?(report: CallReport): void;
};

export type GatewayResponse = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: AnswerBody;
  /** For responses that are plain bytes: what is known about the call so far. For a relay of this deployment. */
  readonly begun?: CallReport;
};

/** What the business relay may know about a finished call. */
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
  readonly inputTokens: Amount | null;
  readonly outputTokens: Amount | null;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  /** The response as sent to the client, in pieces, up to the capture limit. Only until `onReport` returns: they are used again. */
  readonly responsePieces: readonly Bytes[];
  readonly responseBytes: number;
};

/** Limits of calls; null for none. */
export type RateLimits = {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrencyMax: number | null;
};

/** The caller according to the key: everything that admission needs, so that it needs no query. */
export type Principal = CallSettings & {
  readonly userId: UserId | null;
  readonly gatewayUserId: GatewayUserId;
  readonly apiKeyId: ApiKeyId;
  readonly groupName: string;
  /** False if the key names a group that its user does not have, or no longer. */
  readonly hasGroup: boolean;
  /** When the user loses the group or the limits of a plan, in milliseconds since 1970; null for never. */
  readonly rightsEndAtMs: number | null;
  readonly isUserEnabled: boolean;
  readonly keyStatus: "active" | "disabled" | "revoked";
  /** Why the operator has locked the key; null without a lock. */
  readonly lockReason: string | null;
  readonly isFirstUse: boolean;
  /** The product of the multipliers of the user and of the group. */
  readonly rateMultiplier: Decimal;
  readonly userBudgetId: BudgetId;
  readonly keyBudgetId: BudgetId | null;
  /** The budgets of the organisation's project and member that the key belongs to; empty for most keys. */
  readonly sharedBudgetIds: readonly BudgetId[];
  /** What operators allow the account in this group, over all its keys; null without any limit. */
  readonly groupLimits: RateLimits | null;
  /** What operators allow the account over all its keys and groups; null without any limit. */
  readonly accountLimits: RateLimits | null;
  /** The key whose limits apply: keys rotated from one another share those of the first. */
  readonly limitKeyId: ApiKeyId;
};

/** A limit per minute with what is left of it, and when all of it will be. */
export type Gauge = { readonly limit: number; readonly left: number; readonly fullInMs: number };

/** The strictest limits per minute that a call meets; null without one. */
export type LimitGauges = { readonly requests: Gauge | null; readonly tokens: Gauge | null };

/** An error of a request, in a form that can be passed to another thread. */
export type RequestRefusal = Pick<AppError, "code" | "message" | "param">;

/** How much the response can use at most according to the request; the model limits the rest. */
export type RequestBounds = {
  /** Input tokens in the body, images excluded; null when it refers to input that it does not contain. */
  readonly inputTokensMax: number | null;
  /** All input shares one context, so that the model's context bounds it too. */
  readonly isOneContext: boolean;
  readonly inputImages: number;
  /** Pages of documents in the body, at least. */
  readonly inputPages: number;
  /** Base64 letters of the files in the body, which are not text; null if any text that looks like a file is one. */
  readonly fileLetters: number | null;
  /** The most output tokens the client allows per choice, or null. */
  readonly outputTokensMax: number | null;
  /** How many choices are paid for. */
  readonly choices: number;
  readonly outputImages: number;
  /** Milliseconds of audio. */
  readonly audioMs: Amount;
  /** Characters to be spoken. */
  readonly characters: number;
  /** The most web searches that the provider may make for it; none where this is absent. */
  readonly searches?: number;
  /** Our own count of the input, where it is exact enough to be sold by; absent where the body is only bounded. */
  readonly countedTokens?: number;
  /** How much there is to rank; absent where nothing is. */
  readonly ranks?: { readonly documents: number; readonly searchUnitsMax: number };
};

/** What a client says about a call, so that its usage can be told apart; bounded by `usage-labels.ts` of the contracts. */
export type CallLabels = {
  readonly endUser: string | null;
  /** Each as `name=value`. */
  readonly tags: readonly string[];
};

/** The result of one pass over the body. */
export type ParsedRequest = {
  readonly model: string | null;
  readonly isStream: boolean;
  /** Whether the client asked for the usage chunk itself. */
  readonly wantsUsage: boolean;
  readonly bounds: RequestBounds;
  readonly inputBytes: number;
  /** The body as sent upstream: the client's own bytes except for the usage option of a stream, or a rewritten form. */
  readonly body: Bytes;
  /** The body without the usage option, if the gateway added it; else null. */
  readonly plainBody: Bytes | null;
  /**
   * Where the name of the model is in `body`: the JSON string, or the text of a form; null if it is not there. In a short
   * JSON body it is found when it is needed.
   */
  readonly modelPlace: readonly [start: number, end: number] | "to_be_found" | null;
  readonly contentType: string | null;
  /** The client's name for prompts that begin the same, for the provider's cache, or null. */
  readonly cacheKey: string | null;
  /** The field that makes images more expensive than the price per image covers, or null. */
  readonly pictureOption: string | null;
  /** What was removed from the request, as reported to the client, or null. */
  readonly dropped: string | null;
  /** Why no channel gets the request as it is; a conversion leaves out what it names. Absent if any may. */
  readonly refusal?: RequestRefusal;
  /** What the body says about its end user and its tags; absent or null if it says nothing. */
  readonly labels?: CallLabels | null;
};

/** A body to be parsed, in a form that can be passed to another thread. */
export type ParseOrder = {
  readonly body: Uint8Array;
  readonly contentType: string | null;
  /** The call's content type, which decides how the body is parsed. */
  readonly path: string;
};

/** A catalog entry with its current price. */
export type ModelEntry = {
  readonly name: string;
  readonly ownedBy: string;
  readonly kind: ModelKind;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly contextTokensMax: number;
  readonly outputTokensMax: number;
  readonly imageTokensMax: number;
  readonly deprecatedAtMs: number | null;
  /** From then on it is refused. */
  readonly sunsetAtMs: number | null;
  /** The model to use instead; null if none is set. */
  readonly replacement: string | null;
  /** What responses say about its end; null for nothing. */
  readonly lifeHeaders: Readonly<Record<string, string>> | null;
  readonly price: PriceVersion;
};

/** Which other models may answer in place of one. */
export type FallbackRule = {
  /** They are tried in this order once no channel of the model has answered. */
  readonly models: readonly string[];
  /** The model for prompts that are too long for it. */
  readonly largerModel: string | null;
  /** Whether it applies to every key, or only to those that allow it. */
  readonly isForEveryKey: boolean;
};

/**
 * Quota set aside for one call in the user's budget and, for a key with a limit, in the key's; in the shared budgets of a
 * project and a member as much as in the user's.
 */
export type Hold = {
  readonly userBudgetId: BudgetId;
  readonly userAmount: Amount;
  readonly keyBudgetId: BudgetId | null;
  readonly keyAmount: Amount;
  readonly sharedBudgetIds: readonly BudgetId[];
};

/** Everything known about a call while it runs; the pipeline owns it and fills it in step by step. */
export type CallState = {
  readonly call: GatewayCall;
  /** When the call began, or last had to wait, on the monotonic clock: what is done until it waits again happens then. */
  latestTick: number;
  attempts: readonly Attempt[];
  principal: Principal | null;
  request: ParsedRequest | null;
  model: ModelEntry | null;
  /** The model that the client asked for, if another one is asked in its place; else null. */
  askedModel: string | null;
  /** What is kept of the end user and the tags; null for nothing. */
  labels: CallLabels | null;
  hold: Hold | null;
  /** What no response of this model to the request can exceed. */
  bound: Units | null;
  channelId: ChannelId | null;
  /** The exit nodes that the call may use; null outside of their group. */
  exitNodes: ExitNodesOfModel | null;
  /** The exit node that served the last attempt. */
  exitNode: string | null;
  isStream: boolean;
  /** The name of the model at the last channel that was tried, or null. */
  upstreamModel: string | null;
  /** What the last attempt's conversion left out, or null. */
  dropped: string | null;
  /** The beginning of a stream of the Messages API, which may come before a provider responds; null for other calls. */
  early: EarlyStream | null;
  /** The body's share of the memory for all bodies. */
  bodyShare: BodyShare | null;
  /** How long to keep reading the last attempt after the client has left; null if our own count is exact. */
  readOn: ReadOn | null;
  /** Collects the response for the cache; null if it will not be kept. */
  recording: Recording | null;
  /** The call is counted by the key's limits. */
  isLimited: boolean;
  /** Set by the step that ends the call. */
  isSettled: boolean;
  firstByteMs: number | null;
  /** The beginning of what was sent to the client, and the size of all of it. */
  readonly capture: AnswerCapture;
};

/** An admitted call: its owner, what it asks for, and what was set aside for it. */
export type AdmittedCall = CallState & {
  principal: Principal;
  request: ParsedRequest;
  model: ModelEntry;
  hold: Hold;
  bound: Units;
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
  /** What the provider says the call has cost it, in US dollars; absent if it does not say. */
  readonly providerCost?: Decimal;
  /** For a response from the cache: what it costs, in hundredths of a percent of the normal price. */
  readonly cacheBasisPoints?: number;
  /** When it ended on the monotonic clock, if that was just read. */
  readonly tick?: number;
};

/** Why an attempt failed, and what follows from it. */
export type AttemptFailure = {
  readonly code: ErrorCode;
  /** The status of the upstream, or null if there was no response. */
  readonly status: number | null;
  /**
   * Whether to try another channel. `free`: nobody has worked on the request yet. `paid_twice`: another channel could
   * respond, but the first one may have worked on the request and bill it anyway. `none`: no other channel would help.
   */
  readonly retry: "free" | "paid_twice" | "none";
  /**
   * What it says about the channel: nothing; that it failed, which the request may have caused (`suspected`); that it
   * is down, whatever the request (`certain`); or that it was not asked at all (`unasked`).
   */
  readonly blame: "none" | "suspected" | "certain" | "unasked";
  /** The channel asked for a pause, or is known to need one. */
  readonly needsCooldown: boolean;
  readonly retryAfterSeconds: number | null;
  /** The length of the pause in milliseconds, if the provider stated it. */
  readonly retryAfterMs: number | null;
  /** For the attempt record; never contains text from the upstream. */
  readonly result: string;
  /** The upstream's own words may be shown to the client: the request was at fault. */
  readonly isRequestFault: boolean;
  /** The same request will also fail tomorrow, so clients are asked not to retry. */
  readonly isLasting: boolean;
};

/** An attempt without a usable response. */
export type FailedAttempt = {
  readonly failure: AttemptFailure;
  /** The part of the provider's message that the client may read. */
  readonly upstreamError: UpstreamError | null;
  /** The provider's message, for support; stored with the attempt. */
  readonly note: string | null;
};

/** How a stream ended on the upstream's side. */
export type StreamEnding =
  | { readonly kind: "completed" }
  /** The payload of the event. */
  | { readonly kind: "error_event"; readonly payload: Record<string, unknown> | null }
  /** An event whose data is not JSON. */
  | { readonly kind: "broken_event" }
  | { readonly kind: "cut"; readonly error: HttpClientError | null }
  | { readonly kind: "aborted" };

/** How the stream began: with something for the client, or with a failure, so another channel may still be tried. */
export type StreamOpening = { readonly kind: "open" } | Exclude<StreamEnding, { kind: "completed" }>;
