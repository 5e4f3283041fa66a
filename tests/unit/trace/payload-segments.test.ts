import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { keyIdOf, SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import type { Payload, PayloadSegment } from "@sluice/control-plane/trace/model.ts";
import { groupPayloadsMax } from "@sluice/control-plane/trace/payload-group.ts";
import { openPayload } from "@sluice/control-plane/trace/payload-sealing.ts";
import {
  PayloadSegments,
  queuedLength,
  segmentBytesMax,
  segmentPayloadsMax,
  splitSegment,
} from "@sluice/control-plane/trace/payload-segments.ts";
import fc from "fast-check";
import { packedOf, payloadOf, type StoredPayload, storedPayloads } from "../../support/trace/trace-fixtures.ts";

const { TEST_FULL } = process.env;
const numRuns = TEST_FULL === "1" ? 300 : 30;
const day = "2026-11-21";

function newKey(): SealingKey {
  const secret = randomBytes(32);
  return new SealingKey(keyIdOf(secret), secret);
}

const key = newKey();

function newSegments(): PayloadSegments {
  return new PayloadSegments((_lost, error) => {
    throw error;
  });
}

function add(segments: PayloadSegments, payload: Payload, sealingKey = key): void {
  segments.add(sealingKey, payload, packedOf(payload, 4_000_000));
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
  test("contains payloads in order of arrival, and their groups one after the other without gaps", () => {
    const segments = newSegments();
    const requests = Array.from({ length: 60 }, (_, index) => "x".repeat(index * 100));
    for (const request of requests) {
      add(segments, payloadOf({ day, request }));
    }
    const segment = segments.take();
    expect(segments.isEmpty).toBe(true);
    if (segment === null) {
      throw new Error("nothing was collected");
    }
    expect(requestsIn(segment)).toEqual(requests);
    const groups = new Map(segment.records.map(({ byteOffset, byteLength }) => [byteOffset, byteLength]));
    expect(groups.size).toBe(Math.ceil(60 / groupPayloadsMax));
    let end = 0;
    for (const [byteOffset, byteLength] of groups) {
      expect(byteOffset).toBe(end);
      end += byteLength;
    }
    expect(segment.sealed.length).toBe(end);
  });

  test("is read without what is encrypted in other groups, whatever comes between them", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(3_000), fc.nat(80_000)), { maxLength: 150 }), (lengths) => {
        const segments = newSegments();
        const payloads = lengths.map((length, index) =>
          payloadOf({ day, request: Buffer.alloc(length, index), gatewayUserId: BigInt(index % 3) }),
        );
        let queued = 0;
        for (const payload of payloads) {
          add(segments, payload);
          queued += queuedLength(packedOf(payload, 4_000_000).bytes.length);
        }
        const taken = takeAll(segments);
        const stored = new Map(taken.flatMap(storedPayloads).map((each) => [each.requestId, each]));
        expect(stored.size).toBe(payloads.length);
        for (const payload of payloads) {
          const opened = openPayload(key, stored.get(payload.requestId) as StoredPayload);
          expect(Buffer.compare(opened.request ?? Buffer.of(), payload.request ?? Buffer.of())).toBe(0);
        }
        // What the queue counts when they come is what it forgets when they are written.
        expect([...stored.values()].reduce((sum, { queuedBytes }) => sum + queuedBytes, 0)).toBe(queued);
        expect(Math.max(0, ...taken.map(({ sealed }) => sealed.length))).toBeLessThanOrEqual(segmentBytesMax);
      }),
      { numRuns },
    );
  });

  test("loses only the group that can't be encrypted, and says how many payloads and bytes that were", () => {
    const lost: { count: number; queuedBytes: number }[] = [];
    const segments = new PayloadSegments((each) => lost.push(each));
    const broken = newKey();
    let isBroken = true;
    const encipher = broken.encipher.bind(broken);
    broken.encipher = (nonce) => {
      if (isBroken) {
        throw new Error("no cipher");
      }
      return encipher(nonce);
    };
    for (let index = 0; index < groupPayloadsMax; index += 1) {
      add(segments, payloadOf({ day, request: `lost ${index}` }), broken);
    }
    add(segments, payloadOf({ day, request: randomBytes(20_000) }), broken);
    add(segments, payloadOf({ day, request: "kept" }), broken);
    isBroken = false;
    const [segment, ...others] = takeAll(segments);
    expect(others).toEqual([]);
    expect(segment === undefined ? [] : requestsIn(segment, broken)).toEqual(["kept"]);
    expect(lost.map(({ count }) => count)).toEqual([1, groupPayloadsMax]);
    const packed = ["lost 0", "lost 10"].map((request) => packedOf(payloadOf({ day, request })).bytes.length);
    expect(lost[1]?.queuedBytes).toBe(10 * queuedLength(packed[0] ?? 0) + 6 * queuedLength(packed[1] ?? 0));
  });

  test("does not come into being where nothing of it could be encrypted", () => {
    const segments = new PayloadSegments(() => undefined);
    const broken = newKey();
    broken.encipher = () => {
      throw new Error("no cipher");
    };
    add(segments, payloadOf({ day }), broken);
    add(segments, payloadOf({ day, request: randomBytes(segmentBytesMax) }), broken);
    expect(takeAll(segments)).toEqual([]);
    expect(segments.isEmpty).toBe(true);
  });

  test("is full at its number of payloads or its bytes, and a longer payload has its own", () => {
    const segments = newSegments();
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
    const segments = newSegments();
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
    const segments = newSegments();
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
    const segments = newSegments();
    for (let index = 0; index < segmentPayloadsMax; index += 1) {
      add(segments, payloadOf({ day, request: "short" }));
    }
    const segment = segments.take();
    expect(segment?.sealed.buffer.byteLength).toBe(segment?.sealed.length);
  });

  test("can be split into one for each payload, each with its own id", () => {
    const segments = newSegments();
    const long = "x".repeat(20_000);
    for (const request of ["one", long, "three"]) {
      add(segments, payloadOf({ day, request }));
    }
    const singles = takeAll(segments).flatMap(splitSegment);
    expect(singles.flatMap((single) => requestsIn(single))).toEqual([long, "one", "three"]);
    expect(new Set(singles.map(({ segmentId }) => segmentId)).size).toBe(3);
  });
});
