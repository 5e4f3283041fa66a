import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { keyIdOf, SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import type { Payload, PayloadSegment } from "@sluice/control-plane/trace/model.ts";
import { openPayload } from "@sluice/control-plane/trace/payload-sealing.ts";
import {
  PayloadSegments,
  segmentBytesMax,
  segmentPayloadsMax,
  splitSegment,
} from "@sluice/control-plane/trace/payload-segments.ts";
import { packedOf, payloadOf, storedPayloads } from "../../support/trace/trace-fixtures.ts";

const day = "2026-11-21";

function newKey(): SealingKey {
  const secret = randomBytes(32);
  return new SealingKey(keyIdOf(secret), secret);
}

const key = newKey();

function add(segments: PayloadSegments, payload: Payload, sealingKey = key): number {
  return segments.add(sealingKey, payload, packedOf(payload, 4_000_000));
}

function takeAll(segments: PayloadSegments): PayloadSegment[] {
  const taken: PayloadSegment[] = [];
  for (let segment = segments.take(); segment !== null; segment = segments.take()) {
    taken.push(segment);
  }
  return taken;
}

function requestsIn(segment: PayloadSegment, sealingKey = key): string[] {
  return storedPayloads(segment).map((stored) => Buffer.from(openPayload(sealingKey, stored).request ?? []).toString());
}

describe("a segment", () => {
  test("contains payloads one after the other without gaps, in order of arrival", () => {
    const segments = new PayloadSegments();
    const requests = Array.from({ length: 20 }, (_, index) => "x".repeat(index * 100));
    const bytes = requests.map((request) => add(segments, payloadOf({ day, request })));
    const [segment, ...others] = takeAll(segments);
    expect(others).toEqual([]);
    expect(segment === undefined ? [] : requestsIn(segment)).toEqual(requests);
    expect(segment?.records.map(({ byteLength }) => byteLength)).toEqual(bytes);
    expect(segment?.sealed.length).toBe(bytes.reduce((sum, length) => sum + length));
    expect(segments.isEmpty).toBe(true);
  });

  test("is full at its number of payloads or its bytes, and a longer payload has its own", () => {
    const segments = new PayloadSegments();
    for (let index = 0; index <= segmentPayloadsMax; index += 1) {
      expect(segments.hasFull).toBe(index >= segmentPayloadsMax);
      add(segments, payloadOf({ day }));
    }
    expect(takeAll(segments).map(({ records }) => records.length)).toEqual([segmentPayloadsMax, 1]);

    add(segments, payloadOf({ day, request: "beside" }));
    add(segments, payloadOf({ day, request: randomBytes(segmentBytesMax) }));
    expect(takeAll(segments).map(({ records }) => records.length)).toEqual([1, 1]);

    for (let index = 0; index < 6; index += 1) {
      add(segments, payloadOf({ day, request: randomBytes(200_000) }));
    }
    const byBytes = takeAll(segments);
    expect(byBytes.map(({ records }) => records.length)).toEqual([2, 2, 2]);
    expect(Math.max(...byBytes.map(({ sealed }) => sealed.length))).toBeLessThanOrEqual(segmentBytesMax);
  });

  test("is of one day and one key, even if two days take turns", () => {
    const segments = new PayloadSegments();
    const other = newKey();
    for (let index = 0; index < 10; index += 1) {
      add(segments, payloadOf({ day, request: "one" }));
      add(segments, payloadOf({ day: "2026-11-22", request: "other" }), other);
    }
    const [first, second, ...more] = takeAll(segments);
    expect(more).toEqual([]);
    expect([first?.day, first?.keyId, second?.day, second?.keyId]).toEqual([day, key.id, "2026-11-22", other.id]);
    expect(first === undefined ? [] : requestsIn(first)).toEqual(Array.from({ length: 10 }, () => "one"));
    expect(second === undefined ? [] : requestsIn(second, other)).toEqual(Array.from({ length: 10 }, () => "other"));
  });

  test("keeps its bytes while others are filled, until it is given back", () => {
    const segments = new PayloadSegments();
    const long = "x".repeat(10_000);
    const kept: { segment: PayloadSegment; requests: string[] }[] = [];
    for (let round = 0; round < 12; round += 1) {
      const requests = Array.from({ length: round % 3 === 0 ? 3 : 50 }, (_, index) => `${round} ${index} ${long}`);
      for (const request of requests) {
        add(segments, payloadOf({ day, request }));
      }
      const taken = takeAll(segments);
      expect(taken.flatMap((segment) => requestsIn(segment))).toEqual(requests);
      for (const segment of taken) {
        kept.push({ segment, requests: requestsIn(segment) });
      }
      if (round % 2 === 0) {
        segments.recycle(kept.shift()?.segment ?? (taken[0] as PayloadSegment));
      }
    }
    for (const { segment, requests } of kept) {
      expect(requestsIn(segment)).toEqual(requests);
    }
  });

  test("that is mostly empty does not keep the memory of a full one", () => {
    const segments = new PayloadSegments();
    for (let index = 0; index < segmentPayloadsMax; index += 1) {
      add(segments, payloadOf({ day, request: "short" }));
    }
    const segment = segments.take();
    expect(segment?.sealed.buffer.byteLength).toBe(segment?.sealed.length);
  });

  test("can be split into one for each payload, each with its own id", () => {
    const segments = new PayloadSegments();
    for (const request of ["one", "two", "three"]) {
      add(segments, payloadOf({ day, request }));
    }
    const singles = takeAll(segments).flatMap(splitSegment);
    expect(singles.flatMap((single) => requestsIn(single))).toEqual(["one", "two", "three"]);
    expect(new Set(singles.map(({ segmentId }) => segmentId)).size).toBe(3);
  });
});
