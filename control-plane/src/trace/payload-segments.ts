import { randomUUIDv7 } from "bun";
import { sealOverheadBytes } from "../platform/crypto/seal.ts";
import type { SealingKey } from "../platform/crypto/sealing-key.ts";
import type { PayloadFacts, PayloadRecord, PayloadSegment } from "./model.ts";
import { type PayloadBlob, sealPayloadInto } from "./payload-sealing.ts";

/**
 * Each statement costs this process 100 us or more besides its bytes, so the more payloads share one the better: with 3
 * KB each, a payload costs 7 us of our CPU in segments of 32, 4.6 in 64, 3.8 in 128 and no less in 256.
 */
export const segmentPayloadsMax = 128;
export const segmentBytesMax = 512 * 1024;

/**
 * A segment that fills less of its buffer than this is copied into a smaller one, so that queued segments take about
 * the memory that is counted.
 */
const filledShareMin = 0.75;
/** One buffer is filled while another is written; more are only needed after an outage. */
const spareBuffersMax = 2;

type OpenSegment = {
  readonly key: SealingKey;
  readonly day: string;
  readonly buffer: Buffer<ArrayBuffer>;
  length: number;
  records: PayloadRecord[];
};

/** Collects payloads in segments, each encrypted separately, directly in the bytes that go to the database. */
export class PayloadSegments {
  /** The open segments by key, hence by day: around midnight two are filled at the same time. */
  readonly #open = new Map<string, OpenSegment>();
  readonly #full: PayloadSegment[] = [];
  readonly #spareBuffers: Buffer<ArrayBuffer>[] = [];

  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  get isEmpty(): boolean {
    return this.#full.length === 0 && this.#open.size === 0;
  }

  /** Encrypts a payload into the segment of its day. @returns how many bytes it takes there */
  add(key: SealingKey, payload: PayloadFacts, blob: PayloadBlob): number {
    const byteLength = blob.bytes.length + sealOverheadBytes;
    if (byteLength > segmentBytesMax) {
      const alone = startSegment(key, payload.day, Buffer.allocUnsafeSlow(byteLength));
      append(alone, payload, blob);
      this.#full.push(finishSegment(alone, alone.buffer));
      return byteLength;
    }
    let segment = this.#open.get(key.id);
    if (segment !== undefined && segment.length + byteLength > segmentBytesMax) {
      this.#full.push(this.#finish(segment));
      segment = undefined;
    }
    segment ??= startSegment(key, payload.day, this.#spareBuffers.pop() ?? Buffer.allocUnsafeSlow(segmentBytesMax));
    append(segment, payload, blob);
    // The segment is added only now, so that it is never empty, even if the encryption failed.
    this.#open.set(key.id, segment);
    if (segment.records.length >= segmentPayloadsMax) {
      this.#full.push(this.#finish(segment));
    }
    return byteLength;
  }

  /** The next segment to write: a full one, or else the one that has been open for longest. */
  take(): PayloadSegment | null {
    const full = this.#full.shift();
    if (full !== undefined) {
      return full;
    }
    const [open] = this.#open.values();
    return open === undefined ? null : this.#finish(open);
  }

  /** Takes back a segment that nobody reads any more, so that its buffer can be reused. */
  recycle(segment: PayloadSegment): void {
    const { buffer } = segment.sealed;
    if (buffer.byteLength === segmentBytesMax) {
      this.#keepBuffer(Buffer.from(buffer));
    }
  }

  #finish(segment: OpenSegment): PayloadSegment {
    this.#open.delete(segment.key.id);
    const filled = segment.buffer.subarray(0, segment.length);
    if (segment.length >= segmentBytesMax * filledShareMin) {
      return finishSegment(segment, filled);
    }
    const copied = Buffer.allocUnsafeSlow(segment.length);
    copied.set(filled);
    this.#keepBuffer(segment.buffer);
    return finishSegment(segment, copied);
  }

  #keepBuffer(buffer: Buffer<ArrayBuffer>): void {
    if (this.#spareBuffers.length < spareBuffersMax) {
      this.#spareBuffers.push(buffer);
    }
  }
}

function startSegment(key: SealingKey, day: string, buffer: Buffer<ArrayBuffer>): OpenSegment {
  return { key, day, buffer, length: 0, records: [] };
}

function append(segment: OpenSegment, payload: PayloadFacts, blob: PayloadBlob): void {
  const byteOffset = segment.length;
  const byteLength = blob.bytes.length + sealOverheadBytes;
  sealPayloadInto(segment.buffer.subarray(byteOffset, byteOffset + byteLength), segment.key, payload, blob.bytes);
  segment.length += byteLength;
  segment.records.push({
    requestId: payload.requestId,
    gatewayUserId: payload.gatewayUserId,
    byteOffset,
    byteLength,
    requestBytes: payload.requestBytes,
    responseBytes: payload.responseBytes,
    isRequestTruncated: blob.isRequestTruncated,
    isResponseTruncated: blob.isResponseTruncated,
  });
}

function finishSegment(segment: OpenSegment, sealed: Uint8Array<ArrayBuffer>): PayloadSegment {
  const { day, key, records } = segment;
  return { segmentId: randomUUIDv7(), day, keyId: key.id, sealed, records };
}

/** Each payload of a segment as a separate segment, without copying the bytes. */
export function splitSegment(segment: PayloadSegment): PayloadSegment[] {
  return segment.records.map((record) => ({
    ...segment,
    segmentId: randomUUIDv7(),
    sealed: segment.sealed.subarray(record.byteOffset, record.byteOffset + record.byteLength),
    records: [{ ...record, byteOffset: 0 }],
  }));
}
