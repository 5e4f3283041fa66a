import { randomUUIDv7 } from "bun";
import { sealOverheadBytes } from "../platform/crypto/seal.ts";
import type { SealingKey } from "../platform/crypto/sealing-key.ts";
import type { PayloadFacts, PayloadRecord, PayloadSegment } from "./model.ts";
import { groupedLength, groupOverheadBytes, type PackedPayload, PayloadGroup } from "./payload-group.ts";
import { type PayloadBlob, sealPayloadInto } from "./payload-sealing.ts";

/**
 * Each statement costs this process 100 us or more besides its bytes, so the more payloads share one the better: with 3
 * KB each, a payload costs 7 us of our CPU in segments of 32, 4.6 in 64, 3.8 in 128 and no less in 256.
 */
export const segmentPayloadsMax = 128;
export const segmentBytesMax = 512 * 1024;

/** A longer payload is encrypted by itself: to begin that costs little beside its bytes. */
const groupedBytesMax = 16 * 1024;

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
  /** Payloads that are yet to be encrypted. */
  readonly group: PayloadGroup;
  length: number;
  records: PayloadRecord[];
};

/** A part of a segment: one payload, or a group, with what encrypts it. */
type Part = {
  readonly payloads: readonly PackedPayload[];
  readonly byteLength: number;
  readonly sealInto: (target: Uint8Array) => void;
};

/** What a payload with packed bytes of this length takes in the queue. */
export function queuedLength(packedLength: number): number {
  return packedLength > groupedBytesMax ? packedLength + sealOverheadBytes : groupedLength(packedLength);
}

/** Told of payloads that could not be encrypted, with what they took in the queue. */
export type UnsealedListener = (lost: { readonly count: number; readonly queuedBytes: number }, error: unknown) => void;

/** Collects payloads in segments, encrypted directly in the bytes that go to the database: short ones in groups. */
export class PayloadSegments {
  readonly #onUnsealed: UnsealedListener;
  /** The open segments by key, hence by day: around midnight two are filled at the same time. */
  readonly #open = new Map<string, OpenSegment>();
  readonly #full: PayloadSegment[] = [];
  readonly #spareBuffers: Buffer<ArrayBuffer>[] = [];
  readonly #spareGroups: PayloadGroup[] = [];

  constructor(onUnsealed: UnsealedListener) {
    this.#onUnsealed = onUnsealed;
  }

  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  get isEmpty(): boolean {
    return this.#full.length === 0 && this.#open.size === 0;
  }

  /** Adds a payload to the segment of its day. @param blob the caller may change its bytes afterwards */
  add(key: SealingKey, facts: PayloadFacts, blob: PayloadBlob): void {
    const { bytes, isRequestTruncated, isResponseTruncated } = blob;
    const payload = { facts, isRequestTruncated, isResponseTruncated, packedLength: bytes.length };
    const needed = queuedLength(bytes.length);
    if (needed > segmentBytesMax) {
      const alone = this.#start(key, facts.day, Buffer.allocUnsafeSlow(needed));
      this.#sealAlone(alone, payload, bytes);
      this.#close(alone);
      return;
    }
    const segment = this.#openFor(key, facts.day, needed);
    if (bytes.length > groupedBytesMax) {
      this.#sealAlone(segment, payload, bytes);
    } else {
      if (!segment.group.fits(bytes.length)) {
        this.#sealGroup(segment);
      }
      segment.group.add(payload, bytes);
    }
    if (segment.records.length + segment.group.payloads.length >= segmentPayloadsMax) {
      this.#close(segment);
    }
  }

  /** The next segment to write: a full one, or else the one that has been open for longest. */
  take(): PayloadSegment | null {
    for (const open of this.#open.values()) {
      if (this.#full.length > 0) {
        break;
      }
      this.#close(open);
    }
    return this.#full.shift() ?? null;
  }

  /** Takes back a segment that nobody reads any more, so that its buffer can be reused. */
  recycle(segment: PayloadSegment): void {
    const { buffer } = segment.sealed;
    if (buffer.byteLength === segmentBytesMax) {
      this.#keepBuffer(Buffer.from(buffer));
    }
  }

  /** The open segment of a key, with room for so many bytes. */
  #openFor(key: SealingKey, day: string, needed: number): OpenSegment {
    const open = this.#open.get(key.id);
    if (open !== undefined) {
      if (open.length + open.group.sealedLength + groupOverheadBytes + needed <= segmentBytesMax) {
        return open;
      }
      this.#close(open);
    }
    const started = this.#start(key, day, this.#spareBuffers.pop() ?? Buffer.allocUnsafeSlow(segmentBytesMax));
    this.#open.set(key.id, started);
    return started;
  }

  #start(key: SealingKey, day: string, buffer: Buffer<ArrayBuffer>): OpenSegment {
    return { key, day, buffer, group: this.#spareGroups.pop() ?? new PayloadGroup(), length: 0, records: [] };
  }

  #sealAlone(segment: OpenSegment, payload: PackedPayload, bytes: Uint8Array): void {
    this.#seal(segment, {
      payloads: [payload],
      byteLength: bytes.length + sealOverheadBytes,
      sealInto: (target) => sealPayloadInto(target, segment.key, payload.facts, bytes),
    });
  }

  #sealGroup(segment: OpenSegment): void {
    const { group, key } = segment;
    if (group.payloads.length > 0) {
      const { payloads, sealedLength: byteLength } = group;
      this.#seal(segment, { payloads, byteLength, sealInto: (target) => group.sealInto(target, key) });
      group.clear();
    }
  }

  #seal(segment: OpenSegment, { payloads, byteLength, sealInto }: Part): void {
    const byteOffset = segment.length;
    try {
      sealInto(segment.buffer.subarray(byteOffset, byteOffset + byteLength));
    } catch (error) {
      const queuedBytes = payloads.reduce((sum, { packedLength }) => sum + queuedLength(packedLength), 0);
      this.#onUnsealed({ count: payloads.length, queuedBytes }, error);
      return;
    }
    segment.length += byteLength;
    for (const { facts, isRequestTruncated, isResponseTruncated, packedLength } of payloads) {
      segment.records.push({
        requestId: facts.requestId,
        gatewayUserId: facts.gatewayUserId,
        byteOffset,
        byteLength,
        queuedBytes: queuedLength(packedLength),
        requestBytes: facts.requestBytes,
        responseBytes: facts.responseBytes,
        isRequestTruncated,
        isResponseTruncated,
      });
    }
  }

  /** Ends a segment and queues it, unless nothing of it could be encrypted. */
  #close(segment: OpenSegment): void {
    if (this.#open.get(segment.key.id) === segment) {
      this.#open.delete(segment.key.id);
    }
    this.#sealGroup(segment);
    this.#keepGroup(segment.group);
    if (segment.records.length > 0) {
      this.#full.push(this.#finish(segment));
    } else {
      this.#keepBuffer(segment.buffer);
    }
  }

  #finish(segment: OpenSegment): PayloadSegment {
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
    if (buffer.length === segmentBytesMax && this.#spareBuffers.length < spareBuffersMax) {
      this.#spareBuffers.push(buffer);
    }
  }

  #keepGroup(group: PayloadGroup): void {
    if (this.#spareGroups.length < spareBuffersMax) {
      this.#spareGroups.push(group);
    }
  }
}

function finishSegment(segment: OpenSegment, sealed: Uint8Array<ArrayBuffer>): PayloadSegment {
  const { day, key, records } = segment;
  return { segmentId: randomUUIDv7(), day, keyId: key.id, sealed, records };
}

/**
 * Each payload of a segment as a separate segment, without copying the bytes. Payloads that are encrypted together keep their
 * whole group, each.
 */
export function splitSegment(segment: PayloadSegment): PayloadSegment[] {
  return segment.records.map((record) => ({
    ...segment,
    segmentId: randomUUIDv7(),
    sealed: segment.sealed.subarray(record.byteOffset, record.byteOffset + record.byteLength),
    records: [{ ...record, byteOffset: 0 }],
  }));
}
