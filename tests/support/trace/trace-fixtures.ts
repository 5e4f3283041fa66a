import type { ApiKeyId, GatewayUserId, RequestId } from "@sluice/contracts/ids";
import { recordHeaderBytes, recordSpan } from "@sluice/control-plane/platform/byte-ring.ts";
import { createLog, type Log } from "@sluice/control-plane/platform/log.ts";
import type { Payload, PayloadSegment, SealedPayload, TraceRow } from "@sluice/control-plane/trace/model.ts";
import type { PayloadDropReason, PayloadObserver } from "@sluice/control-plane/trace/payload-outbox.ts";
import { blobLength, packPayload } from "@sluice/control-plane/trace/payload-packing.ts";
import { parcelLength, writeParcel } from "@sluice/control-plane/trace/payload-parcel.ts";
import type { PayloadGroup } from "@sluice/control-plane/trace/payload-segments.ts";
import { idEndOf, readPlaces, type StoredPlace } from "./stored-places.ts";

export const silentLog: Log = createLog("error", () => undefined);

/** IDs by their ends, which is what places have. */
const madeIds = new Map<string, RequestId>();

export function newRequestId(): RequestId {
  const id = Bun.randomUUIDv7() as RequestId;
  madeIds.set(idEndOf(id), id);
  return id;
}

const utf8 = new TextEncoder();

/** A payload of whole bodies; lengths follow the bodies. */
export function payloadOf(bodies: {
  readonly day: string;
  readonly request?: string | Uint8Array | null;
  readonly response?: string | Uint8Array;
  readonly gatewayUserId?: bigint;
}): Payload {
  const bytes = (body: string | Uint8Array) => (typeof body === "string" ? utf8.encode(body) : body);
  const request = bodies.request === null ? null : bytes(bodies.request ?? "a request");
  const response = bytes(bodies.response ?? "a response");
  return {
    requestId: newRequestId(),
    day: bodies.day,
    gatewayUserId: (bodies.gatewayUserId ?? 1n) as GatewayUserId,
    request,
    response: response.length === 0 ? [] : [response],
    requestBytes: request?.length ?? 0,
    responseBytes: response.length,
  };
}

/** The packed bodies of a payload, as its record in the shared memory has them. */
export function packedOf(payload: Payload, bodyBytesMax = 262_144): Uint8Array {
  const bytes = new Uint8Array(blobLength(payload, bodyBytesMax));
  packPayload(payload, bodyBytesMax, bytes, 0);
  return bytes;
}

/** Payloads as they are in the shared memory, one after the other. */
export function groupOf(payloads: readonly Payload[], bodyBytesMax = 262_144): PayloadGroup {
  const records = payloads.map((payload) => {
    const length = parcelLength(payload, bodyBytesMax);
    const record = Buffer.alloc(recordSpan(length));
    record.writeUInt32LE(length);
    writeParcel(record, recordHeaderBytes, payload, bodyBytesMax);
    return record;
  });
  return { records: Buffer.concat(records), count: payloads.length, frame: null };
}

export type StoredPayload = StoredPlace & SealedPayload;

/** What a database would hold of a segment: copies, because the buffer of a segment is used again. */
export function storedPayloads(segment: PayloadSegment): StoredPayload[] {
  const { sealed } = segment;
  return readPlaces(segment).map((place) => ({
    ...place,
    requestId: madeIds.get(place.idEnd) as RequestId,
    // A copy: the memory of a segment that was written is used again.
    sealed: new Uint8Array(sealed.subarray(place.byteOffset, place.byteOffset + place.byteLength)),
  }));
}

export function traceRowOf(changes: Partial<TraceRow> & { readonly day: string }): TraceRow {
  return {
    requestId: newRequestId(),
    userId: null,
    gatewayUserId: 7n as GatewayUserId,
    apiKeyId: 3n as ApiKeyId,
    method: "POST",
    path: "/v1/chat/completions",
    model: "gpt-4o-mini",
    status: "completed",
    errorCode: null,
    httpStatus: 200,
    isStream: false,
    inputTokens: 12n,
    outputTokens: 34n,
    firstTokenMs: 56,
    durationMs: 78,
    clientIp: "203.0.113.7",
    userAgent: "test",
    payload: "stored",
    startedAtMs: Date.parse(`${changes.day}T12:34:56.789Z`),
    ...changes,
  };
}

/** Counts what became of payloads, and lets a test wait until a number of them is accounted for. */
export class PayloadCounts implements PayloadObserver {
  stored = 0;
  readonly dropped = new Map<PayloadDropReason, number>();
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  readonly onStored = (count: number): void => {
    this.stored += count;
    this.#review();
  };

  readonly onDropped = (reason: PayloadDropReason, count: number): void => {
    this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + count);
    this.#review();
  };

  get droppedTotal(): number {
    return [...this.dropped.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Resolves when so many payloads are stored. */
  async untilStored(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    this.#review();
    await promise;
  }

  #review(): void {
    const met = this.#waiting.filter(({ count }) => this.stored >= count);
    this.#waiting = this.#waiting.filter(({ count }) => this.stored < count);
    for (const { resolve } of met) {
      resolve();
    }
  }
}
