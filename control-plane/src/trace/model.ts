import type { ApiKeyId, GatewayUserId, RequestId, UserId } from "@sluice/contracts/ids";
import type { Bytes } from "@sluice/http-client/packet-part";
import type { Amount } from "../platform/amount.ts";
import { dayMs, utcDay } from "../platform/clock.ts";

/** Metadata of one relayed call. Written for every call, including those without a valid key. */
export type TraceRow = {
  readonly requestId: RequestId;
  /** UTC day of `startedAtMs`, as YYYY-MM-DD; the partition. */
  readonly day: string;
  readonly userId: UserId | null;
  readonly gatewayUserId: GatewayUserId | null;
  readonly apiKeyId: ApiKeyId | null;
  readonly method: string;
  readonly path: string;
  readonly model: string | null;
  readonly status: "completed" | "aborted" | "failed" | "refused";
  readonly errorCode: string | null;
  readonly httpStatus: number;
  readonly isStream: boolean;
  readonly inputTokens: Amount | null;
  readonly outputTokens: Amount | null;
  readonly firstTokenMs: number | null;
  readonly durationMs: number;
  readonly clientIp: string;
  readonly userAgent: string;
  readonly payload: PayloadOutcome;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
};

/** The report about a call whose trace is still in parts, as `RecordedCall` is of its usage row. */
export interface ReportedCall extends Pick<TraceRow, "requestId" | "day" | "userAgent" | "payload"> {
  readonly call: Pick<TraceRow, "requestId" | "method" | "path" | "clientIp" | "startedAtMs">;
  readonly report: Pick<
    TraceRow,
    | "userId"
    | "gatewayUserId"
    | "apiKeyId"
    | "model"
    | "errorCode"
    | "httpStatus"
    | "isStream"
    | "inputTokens"
    | "outputTokens"
    | "durationMs"
  > & { readonly outcome: TraceRow["status"]; readonly firstByteMs: TraceRow["firstTokenMs"] };
  toRow(): TraceRow;
}

/** A trace row that comes from a spool. It stays the text that both the spool and the database need. */
export type SpooledTrace = {
  readonly requestId: RequestId;
  readonly day: string;
  /** One line of JSON. */
  readonly json: string;
};

/** A trace as it is recorded, or as it comes back from a spool. */
export type AnyTrace = TraceRow | ReportedCall | SpooledTrace;

/**
 * What happened to the bodies: queued for storing, switched off for the key, dropped under load, or there were none.
 */
export type PayloadOutcome = "stored" | "off" | "dropped" | "none";

/** Whose payload it is, and how long its bodies were. */
export type PayloadFacts = {
  readonly requestId: RequestId;
  readonly day: string;
  readonly gatewayUserId: GatewayUserId;
  /** The full lengths, even if less was collected. */
  readonly requestBytes: number;
  readonly responseBytes: number;
};

/** The bodies of one call as received, not yet truncated or compressed. */
export type Payload = PayloadFacts & {
  readonly request: Bytes | null;
  /** The body in pieces; kept only up to the collector's limit. */
  readonly response: readonly Bytes[];
};

/** The bodies of one call, encrypted under the data key of its day: with those of others, or by themselves. */
export type SealedPayload = {
  readonly requestId: RequestId;
  readonly gatewayUserId: GatewayUserId;
  readonly sealed: Uint8Array;
};

/**
 * Payloads of one day that are stored together, encrypted in groups: a row of `payload_segment`.
 */
export type PayloadSegment = {
  /** A UUID, chosen when the segment is created, so that writing it twice stores it once. */
  readonly segmentId: string;
  readonly day: string;
  /** Eight hex digits; identifies the key in `payload_day_key`. */
  readonly keyId: string;
  /** The encrypted groups, one after the other. */
  readonly sealed: Uint8Array<ArrayBuffer>;
  /** Whose payloads they are and in which group, `placeBytes` for each. */
  readonly places: Buffer;
  /** Where the groups are, `groupPlaceBytes` for each. */
  readonly groups: Buffer;
  /** None of its calls began earlier or later, by their IDs. */
  readonly firstCallMs: number;
  readonly lastCallMs: number;
  /** What each payload takes in the queue; not stored. */
  readonly spans: readonly number[];
};

/** The content of an encrypted payload. */
export type OpenedPayload = {
  readonly request: Uint8Array | null;
  readonly response: Uint8Array;
  readonly isRequestTruncated: boolean;
  readonly isResponseTruncated: boolean;
};

/** The position of one call. */
export type CallPlace = {
  /** UTC day, YYYY-MM-DD. */
  readonly day: string;
  readonly requestId: string;
};

/** The conditions of a search; null for none. */
export type TraceFilter = {
  readonly gatewayUserId: bigint | null;
  readonly userId: bigint | null;
  readonly keyId: bigint | null;
  /** Keys of one account, which `gatewayUserId` is then. */
  readonly keyIds: readonly bigint[] | null;
  readonly model: string | null;
  readonly status: TraceRow["status"] | null;
  readonly httpStatus: number | null;
  readonly email: string | null;
  readonly errorCode: string | null;
  readonly channelId: bigint | null;
  readonly from: Date | null;
  readonly to: Date | null;
};

/** Whether the oldest or shortest calls come first; otherwise the newest or longest do. */
export type TraceOrder = { readonly by: "time" | "duration"; readonly isAscending: boolean };

/** A page of a search: from the first position up to, not including, the second. */
export type TraceSearch = {
  readonly filter: TraceFilter;
  readonly order: TraceOrder;
  /** By duration, the last call of the page before; by time, the positions say where the page begins. */
  readonly after: CallPlace | null;
  readonly since: CallPlace;
  readonly before: CallPlace;
  readonly limit: number;
  /** The payloads of calls that began before this time are expired. */
  readonly payloadCutoff: Date;
};

/** A call's request id and start time are generated one after the other. */
const slackMs = 2_000;
/** For "24 hours ago" on a page that has been open for a while. */
const durationSlackMs = 3_600_000;
const behindAll: CallPlace = { day: "9999-12-31", requestId: "ffffffff-ffff-ffff-ffff-ffffffffffff" };

/** The smallest position that a call of this moment can have: a request id begins with the milliseconds since 1970. */
function placeOf(epochMs: number): CallPlace {
  const moment = new Date(Math.max(0, epochMs));
  const hex = moment.getTime().toString(16).padStart(12, "0");
  return {
    day: utcDay(moment.getTime()),
    requestId: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`,
  };
}

const isBefore = (one: CallPlace, other: CallPlace): boolean =>
  one.day === other.day ? one.requestId < other.requestId : one.day < other.day;

/** The smallest position after a given one. */
function placeAfter({ day, requestId }: CallPlace): CallPlace {
  const next = (BigInt(`0x${requestId.replaceAll("-", "")}`) + 1n).toString(16).padStart(32, "0");
  // The day has no id after its last one.
  const hex = next.length > 32 ? "f".repeat(32) : next;
  return { day, requestId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") };
}

/**
 * The part of the log that a search reads: as little as the times and the cursor allow.
 * @param oldestMs the time from which on calls are kept
 */
export function searchBounds(
  { from, to }: Pick<TraceFilter, "from" | "to">,
  { cursor, isOldestFirst }: { readonly cursor: CallPlace | null; readonly isOldestFirst: boolean },
  oldestMs: number,
): { readonly since: CallPlace; readonly before: CallPlace } {
  const since = placeOf(Math.max(oldestMs, from === null ? oldestMs : from.getTime() - slackMs));
  const end = to === null ? behindAll : placeOf(to.getTime() + slackMs);
  if (isOldestFirst) {
    const next = cursor === null ? since : placeAfter(cursor);
    return { since: isBefore(since, next) ? next : since, before: end };
  }
  return { since, before: cursor !== null && isBefore(cursor, end) ? cursor : end };
}

/** No index knows durations: all calls of the range are read, which takes too long for more than this. */
export const durationSortMsMax = dayMs;

/**
 * The times that a list by duration covers: what is not named is the latest possible.
 * @returns null if they are further apart than it may cover
 */
export function durationRange(
  { from, to }: Pick<TraceFilter, "from" | "to">,
  nowMs: number,
): Pick<TraceFilter, "from" | "to"> | null {
  const endMs = to?.getTime() ?? nowMs;
  const startMs = from?.getTime() ?? endMs - durationSortMsMax;
  // The page offers moments before it was opened.
  return endMs - startMs > durationSortMsMax + durationSlackMs ? null : { from: new Date(startMs), to };
}

/** The retention of traces and payloads, and the rules for reading payloads. They are read on each use. */
export type TraceRules = {
  readonly payloadRetentionDays: number;
  readonly metadataRetentionDays: number;
  readonly readsPerHour: number;
};

/** What the operator allows users to read of their own calls. */
export type OwnReadingRules = { readonly isAllowed: boolean; readonly readsPerHour: number };

/**
 * The payloads of calls that began before this time are expired. Payloads expire no later than the metadata, without
 * which nobody could find them.
 */
export function payloadCutoff(rules: TraceRules, nowMs: number): Date {
  return new Date(nowMs - Math.min(rules.payloadRetentionDays, rules.metadataRetentionDays) * dayMs);
}
