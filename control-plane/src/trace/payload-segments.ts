import { randomUUIDv7 } from "bun";
import { recordHeaderBytes, recordSpan } from "../platform/byte-ring.ts";
import type { SealingKey } from "../platform/crypto/sealing-key.ts";
import type { PayloadSegment } from "./model.ts";
import { groupOverheadBytes, sealGroupInto } from "./payload-group.ts";
import {
  callMsOf,
  groupOfPlace,
  groupPlaceBytes,
  groupPlaceOf,
  movedPlace,
  placeBytes,
  writeGroupPlace,
  writePlace,
} from "./payload-places.ts";

/**
 * Each statement costs this process 300 us or more besides its bytes, so the more payloads share one the better: with 3 KB
 * each, a payload costs 6.5 us of the second thread with 512 KB and 5.2 with 1 MB. Those that are compressed reach their number
 * first.
 */
export const segmentPayloadsMax = 2_048;
export const segmentBytesMax = 1024 * 1024;

/**
 * A segment that fills less of its buffer than this is copied into a smaller one, so that queued segments take about
 * the memory that is counted.
 */
const filledShareMin = 0.75;
/** One buffer is filled while another is written; more are only needed after an outage. */
const spareBuffersMax = 2;
/** For so many payloads and groups a segment has room at first; most never have more. */
const firstPlaces = 256;
const firstGroups = 16;

/** The key of a day. */
export type DayKey = { readonly day: string; readonly key: SealingKey };

/** Payloads that are encrypted together: so many records of the ring, one after the other. */
export type PayloadGroup = {
  readonly records: Buffer;
  readonly count: number;
  /** The records compressed, if that is what is encrypted. */
  readonly frame: Uint8Array | null;
};

/** How much of a segment a group takes before it is encrypted. */
export function groupLength({ records, frame }: PayloadGroup): number {
  return (frame ?? records).length;
}

type OpenSegment = DayKey & {
  readonly buffer: Buffer<ArrayBuffer>;
  length: number;
  /** With room for more. */
  places: Buffer;
  /** The same. */
  groups: Buffer;
  groupCount: number;
  firstCallMs: number;
  lastCallMs: number;
  readonly spans: number[];
};

/** Collects payloads in segments, encrypted directly in the bytes that go to the database. */
export class PayloadSegments {
  /** The open segments by key, hence by day: around midnight two are filled at the same time. */
  readonly #open = new Map<SealingKey, OpenSegment>();
  readonly #full: PayloadSegment[] = [];
  readonly #spareBuffers: Buffer<ArrayBuffer>[] = [];

  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  get isEmpty(): boolean {
    return this.#full.length === 0 && this.#open.size === 0;
  }

  /**
   * Encrypts payloads into the segment of their day. The caller may change their bytes afterwards.
   * @throws when they can't be encrypted; nothing of them is kept then
   */
  add(dayKey: DayKey, group: PayloadGroup): void {
    const needed = groupLength(group) + groupOverheadBytes;
    if (needed > segmentBytesMax) {
      const alone = this.#start(dayKey, Buffer.allocUnsafeSlow(needed));
      this.#seal(alone, group);
      this.#close(alone);
      return;
    }
    const segment = this.#openFor(dayKey, needed, group.count);
    this.#seal(segment, group);
    if (segment.spans.length >= segmentPayloadsMax) {
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

  /** The open segment of a day, with room for so many bytes of so many payloads. */
  #openFor(dayKey: DayKey, bytes: number, count: number): OpenSegment {
    const open = this.#open.get(dayKey.key);
    if (open !== undefined) {
      if (open.length + bytes <= segmentBytesMax && open.spans.length + count <= segmentPayloadsMax) {
        return open;
      }
      this.#close(open);
    }
    const started = this.#start(dayKey, this.#spareBuffers.pop() ?? Buffer.allocUnsafeSlow(segmentBytesMax));
    this.#open.set(dayKey.key, started);
    return started;
  }

  #start({ day, key }: DayKey, buffer: Buffer<ArrayBuffer>): OpenSegment {
    return {
      ...{ key, day, buffer, length: 0, spans: [] },
      places: Buffer.allocUnsafe(firstPlaces * placeBytes),
      groups: Buffer.allocUnsafe(firstGroups * groupPlaceBytes),
      ...{ groupCount: 0, firstCallMs: Number.POSITIVE_INFINITY, lastCallMs: 0 },
    };
  }

  /** Counts the group only once all of it is written: what fails leaves the segment as it was. */
  #seal(segment: OpenSegment, payloads: PayloadGroup): void {
    const byteOffset = segment.length;
    const byteLength = groupLength(payloads) + groupOverheadBytes;
    sealGroupInto(segment.buffer.subarray(byteOffset, byteOffset + byteLength), segment.key, payloads);
    segment.places = withRoom(segment.places, (segment.spans.length + payloads.count) * placeBytes);
    segment.groups = withRoom(segment.groups, (segment.groupCount + 1) * groupPlaceBytes);
    const spans = writePlaces(segment, payloads);
    writeGroupPlace(segment.groups, segment.groupCount, { byteOffset, byteLength });
    segment.groupCount += 1;
    segment.length += byteLength;
    segment.spans.push(...spans);
  }

  /** Ends a segment and queues it, unless nothing of it could be encrypted. */
  #close(segment: OpenSegment): void {
    if (this.#open.get(segment.key) === segment) {
      this.#open.delete(segment.key);
    }
    if (segment.spans.length > 0) {
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
}

/** The bytes, or a copy with room for so many. */
function withRoom(bytes: Buffer, needed: number): Buffer {
  if (needed <= bytes.length) {
    return bytes;
  }
  const larger = Buffer.allocUnsafe(Math.max(needed, 2 * bytes.length));
  bytes.copy(larger);
  return larger;
}

/**
 * Writes the places of a group's payloads after those of the segment.
 * @returns what each takes of the group
 */
function writePlaces(segment: OpenSegment, payloads: PayloadGroup): number[] {
  const { records } = payloads;
  const length = groupLength(payloads);
  const spans: number[] = [];
  let left = length;
  for (let start = 0; start < records.length; ) {
    const end = start + recordSpan(records.readUInt32LE(start));
    const parcelAt = start + recordHeaderBytes;
    writePlace(segment.places, segment.spans.length + spans.length, { records, parcelAt, group: segment.groupCount });
    const callMs = callMsOf(records, parcelAt);
    segment.firstCallMs = Math.min(segment.firstCallMs, callMs);
    segment.lastCallMs = Math.max(segment.lastCallMs, callMs);
    const span = end < records.length ? Math.floor(((end - start) * length) / records.length) : left;
    spans.push(span);
    left -= span;
    start = end;
  }
  return spans;
}

function finishSegment(segment: OpenSegment, sealed: Uint8Array<ArrayBuffer>): PayloadSegment {
  const { day, key, spans, firstCallMs, lastCallMs } = segment;
  const places = segment.places.subarray(0, spans.length * placeBytes);
  const groups = segment.groups.subarray(0, segment.groupCount * groupPlaceBytes);
  return { segmentId: randomUUIDv7(), day, keyId: key.id, sealed, places, groups, firstCallMs, lastCallMs, spans };
}

/**
 * A segment in smaller ones, without copying the encrypted bytes: one for each of its groups, or, if it has a single group,
 * one for each payload, which keeps the whole group.
 */
export function splitSegment(segment: PayloadSegment): PayloadSegment[] {
  const { places, spans } = segment;
  const byGroup = Map.groupBy(spans.keys(), (index) => groupOfPlace(places, index));
  const parts = byGroup.size > 1 ? [...byGroup.values()] : [...spans.keys()].map((index) => [index]);
  return parts.map((indexes) => {
    const { byteOffset, byteLength } = groupPlaceOf(segment.groups, groupOfPlace(places, indexes[0] ?? 0));
    const groups = Buffer.alloc(groupPlaceBytes);
    writeGroupPlace(groups, 0, { byteOffset: 0, byteLength });
    return {
      ...segment,
      segmentId: randomUUIDv7(),
      sealed: segment.sealed.subarray(byteOffset, byteOffset + byteLength),
      places: Buffer.concat(indexes.map((index) => movedPlace(places, index))),
      groups,
      spans: indexes.map((index) => spans[index] ?? 0),
    };
  });
}
