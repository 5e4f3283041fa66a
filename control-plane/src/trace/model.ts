import type { ApiKeyId, GatewayUserId, RequestId, UserId } from "@sluice/contracts/ids";

/** Metadata of one relayed call. Written for every call, those without a valid key included. */
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
  readonly inputTokens: bigint | null;
  readonly outputTokens: bigint | null;
  readonly firstTokenMs: number | null;
  readonly durationMs: number;
  readonly clientIp: string;
  readonly userAgent: string;
  readonly payload: PayloadFate;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
};

/** A trace row on its way through the spool: as text already, because both the spool and the database want it so. */
export type SpooledTrace = {
  readonly requestId: RequestId;
  readonly day: string;
  /** One line of JSON. */
  readonly json: string;
};

/** What became of the bodies: queued for storing, switched off for the key, dropped under load, or there were none. */
export type PayloadFate = "stored" | "off" | "dropped" | "none";

/** The bodies of one call as they were seen, not yet truncated or compressed. */
export type Payload = {
  readonly requestId: RequestId;
  readonly day: string;
  readonly gatewayUserId: GatewayUserId;
  readonly request: Uint8Array | null;
  /** The body in pieces; kept only up to the limit by whoever collects it. */
  readonly response: readonly Uint8Array[];
  /** The whole lengths, also when less was collected. */
  readonly requestBytes: number;
  readonly responseBytes: number;
};

/** The bodies of one call, sealed under the data key of its day. */
export type SealedPayload = {
  readonly requestId: RequestId;
  readonly gatewayUserId: GatewayUserId;
  readonly sealed: Uint8Array;
};

/** Where in a segment the payload of one call lies: a row of `payload_record`. */
export type PayloadRecord = {
  readonly requestId: RequestId;
  readonly gatewayUserId: GatewayUserId;
  readonly byteOffset: number;
  readonly byteLength: number;
  /** The whole lengths, also when less was kept. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly isRequestTruncated: boolean;
  readonly isResponseTruncated: boolean;
};

/** Payloads of one day that are stored together, each sealed for itself: a row of `payload_segment` with its records. */
export type PayloadSegment = {
  /** A UUID, chosen when the segment is made, so that writing it twice stores it once. */
  readonly segmentId: string;
  readonly day: string;
  /** Eight hex digits; names the key in `payload_day_key`. */
  readonly keyId: string;
  /** The sealed payloads, one after the other. */
  readonly sealed: Uint8Array<ArrayBuffer>;
  readonly records: readonly PayloadRecord[];
};

/** What a sealed payload holds. */
export type OpenedPayload = {
  readonly request: Uint8Array | null;
  readonly response: Uint8Array;
  readonly isRequestTruncated: boolean;
  readonly isResponseTruncated: boolean;
};
