import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { keyIdOf, SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import type { Payload, PayloadSegment } from "@sluice/control-plane/trace/model.ts";
import { groupPlaceBytes } from "@sluice/control-plane/trace/payload-places.ts";
import { openPayload } from "@sluice/control-plane/trace/payload-sealing.ts";
import {
  PayloadSegments,
  segmentBytesMax,
  segmentPayloadsMax,
  splitSegment,
} from "@sluice/control-plane/trace/payload-segments.ts";
import { viewOf } from "@sluice/http-client/packet-part";
import fc from "fast-check";
import { readPlaces } from "../../support/trace/stored-places.ts";
import { groupOf, payloadOf, type StoredPayload, storedPayloads } from "../../support/trace/trace-fixtures.ts";

const { TEST_FULL } = process.env;
const numRuns = TEST_FULL === "1" ? 300 : 30;
const day = "2026-11-21";

function newKey(): SealingKey {
  const secret = randomBytes(32);
  return new SealingKey(keyIdOf(secret), secret);
}

const key = newKey();

/** Adds payloads that are encrypted together. */
function add(segments: PayloadSegments, payloads: readonly Payload[], sealingKey = key, of = day): void {
  segments.add({ day: of, key: sealingKey }, groupOf(payloads, 4_000_000));
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
    const segments = new PayloadSegments();
    const requests = Array.from({ length: 60 }, (_, index) => "x".repeat(index * 100));
    for (let from = 0; from < requests.length; from += 7) {
      add(
        segments,
        requests.slice(from, from + 7).map((request) => payloadOf({ day, request })),
      );
    }
    const segment = segments.take();
    expect(segments.isEmpty).toBe(true);
    if (segment === null) {
      throw new Error("nothing was collected");
    }
    expect(requestsIn(segment)).toEqual(requests);
    const groups = new Map(readPlaces(segment).map(({ byteOffset, byteLength }) => [byteOffset, byteLength]));
    expect(groups.size).toBe(Math.ceil(60 / 7));
    let end = 0;
    for (const [byteOffset, byteLength] of groups) {
      expect(byteOffset).toBe(end);
      end += byteLength;
    }
    expect(segment.sealed.length).toBe(end);
  });

  test("is read without what is encrypted in other groups, whatever their lengths", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.oneof(fc.nat(3_000), fc.nat(80_000)), { minLength: 1, maxLength: 9 }), { maxLength: 40 }),
        (lengths) => {
          const segments = new PayloadSegments();
          const groups = lengths.map((group, index) =>
            group.map((length, at) =>
              payloadOf({ day, request: Buffer.alloc(length, index + at), gatewayUserId: BigInt(index % 3) }),
            ),
          );
          let queued = 0;
          for (const group of groups) {
            add(segments, group);
            queued += groupOf(group, 4_000_000).records.length;
          }
          const taken = takeAll(segments);
          const stored = new Map(taken.flatMap(storedPayloads).map((each) => [each.requestId, each]));
          const payloads = groups.flat();
          expect(stored.size).toBe(payloads.length);
          for (const payload of payloads) {
            const row = stored.get(payload.requestId) as StoredPayload;
            const opened = openPayload(key, row);
            expect(Buffer.compare(opened.request ?? Buffer.of(), viewOf(payload.request ?? Buffer.of()))).toBe(0);
            expect([row.gatewayUserId, row.requestBytes, row.responseBytes]).toEqual([
              payload.gatewayUserId,
              payload.requestBytes,
              payload.responseBytes,
            ]);
          }
          // What the queue counts when they come is what it forgets when they are written.
          expect(taken.flatMap(({ spans }) => spans).reduce((sum, span) => sum + span, 0)).toBe(queued);
          const shared = taken.filter(
            (segment) => new Set(readPlaces(segment).map(({ byteOffset }) => byteOffset)).size > 1,
          );
          expect(Math.max(0, ...shared.map(({ sealed }) => sealed.length))).toBeLessThanOrEqual(segmentBytesMax);
        },
      ),
      { numRuns },
    );
  });

  test("counts a compressed group as what is left of it, and gives back each payload", () => {
    const segments = new PayloadSegments();
    const payloads = Array.from({ length: 9 }, (_, index) =>
      payloadOf({ day, request: `${"x".repeat(4_000)} ${index}` }),
    );
    const group = groupOf(payloads);
    const frame = Bun.zstdCompressSync(group.records);
    segments.add({ day, key }, { ...group, frame });
    const segment = segments.take() as PayloadSegment;
    expect(segment.spans).toHaveLength(9);
    expect(segment.spans.reduce((sum, span) => sum + span, 0)).toBe(frame.length);
    expect(requestsIn(segment).map((request) => request.slice(4_001))).toEqual(payloads.map((_, index) => `${index}`));
  });

  test("says which bodies were cut", () => {
    const segments = new PayloadSegments();
    const payload = payloadOf({ day, request: "q".repeat(11), response: "a".repeat(10) });
    segments.add({ day, key }, groupOf([payload], 10));
    expect(storedPayloads(segments.take() as PayloadSegment)[0]).toMatchObject({
      isRequestTruncated: true,
      isResponseTruncated: false,
    });
  });

  test("keeps nothing of a group that can't be encrypted, and all others", () => {
    const segments = new PayloadSegments();
    const broken = newKey();
    const encipher = broken.encipher.bind(broken);
    const cipherless = (): never => {
      throw new Error("no cipher");
    };
    add(segments, [payloadOf({ day, request: "before" })], broken);
    broken.encipher = cipherless;
    expect(() => add(segments, [payloadOf({ day, request: "lost" })], broken)).toThrow("no cipher");
    expect(() => add(segments, [payloadOf({ day, request: randomBytes(segmentBytesMax) })], broken)).toThrow(
      "no cipher",
    );
    broken.encipher = encipher;
    add(segments, [payloadOf({ day, request: "after" })], broken);
    expect(takeAll(segments).map((segment) => requestsIn(segment, broken))).toEqual([["before", "after"]]);

    broken.encipher = cipherless;
    expect(() => add(segments, [payloadOf({ day })], broken)).toThrow("no cipher");
    expect([takeAll(segments), segments.isEmpty]).toEqual([[], true]);
  });

  test("keeps nothing of a group with a user whose ID has no room in a place, and all others", () => {
    const segments = new PayloadSegments();
    add(segments, [payloadOf({ day, request: "before" })]);
    const users = [1n, 2n ** 48n, 2n];
    const lost = users.map((gatewayUserId) => payloadOf({ day, request: "lost", gatewayUserId }));
    expect(() => add(segments, lost)).toThrow(RangeError);
    add(segments, [payloadOf({ day, request: "after", gatewayUserId: 2n ** 48n - 1n })]);
    const [segment, ...others] = takeAll(segments);
    expect(others).toEqual([]);
    expect(requestsIn(segment as PayloadSegment)).toEqual(["before", "after"]);
    expect(segment?.groups.length).toBe(2 * groupPlaceBytes);
  });

  test("is full at its number of payloads or its bytes, and a longer payload has its own", () => {
    const segments = new PayloadSegments();
    for (let index = 0; index <= segmentPayloadsMax; index += 1) {
      expect(segments.hasFull).toBe(index >= segmentPayloadsMax);
      add(segments, [payloadOf({ day })]);
    }
    expect(takeAll(segments).map(({ spans }) => spans.length)).toEqual([segmentPayloadsMax, 1]);

    const few = Array.from({ length: 60 }, () => payloadOf({ day }));
    const most = Math.floor(segmentPayloadsMax / few.length) * few.length;
    for (let count = 0; count <= most; count += few.length) {
      add(segments, few);
    }
    expect(takeAll(segments).map(({ spans }) => spans.length)).toEqual([most, few.length]);

    add(segments, [payloadOf({ day, request: "beside" })]);
    add(segments, [payloadOf({ day, request: randomBytes(segmentBytesMax) })]);
    expect(takeAll(segments).map(({ spans }) => spans.length)).toEqual([1, 1]);

    for (let index = 0; index < 6; index += 1) {
      add(segments, [payloadOf({ day, request: randomBytes(200_000) })]);
    }
    const byBytes = takeAll(segments);
    expect(byBytes.map(({ spans }) => spans.length)).toEqual([5, 1]);
    expect(Math.max(...byBytes.map(({ sealed }) => sealed.length))).toBeLessThanOrEqual(segmentBytesMax);
  });

  test("is of one day and one key, even if two days take turns", () => {
    const segments = new PayloadSegments();
    const other = newKey();
    for (let index = 0; index < 10; index += 1) {
      add(segments, [payloadOf({ day, request: "one" })]);
      add(segments, [payloadOf({ day: "2026-11-22", request: "other" })], other, "2026-11-22");
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
        add(segments, [payloadOf({ day, request })]);
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
      add(segments, [payloadOf({ day, request: "short" })]);
    }
    const segment = segments.take();
    expect(segment?.sealed.buffer.byteLength).toBe(segment?.sealed.length);
  });

  test("can be split into its groups, and those into one for each payload, each with its own id", () => {
    const segments = new PayloadSegments();
    const long = "x".repeat(20_000);
    add(segments, [payloadOf({ day, request: "one" }), payloadOf({ day, request: long })]);
    add(segments, [payloadOf({ day, request: "three" })]);
    const groups = takeAll(segments).flatMap(splitSegment);
    expect(groups.map((group) => requestsIn(group))).toEqual([["one", long], ["three"]]);
    const singles = groups.flatMap(splitSegment);
    expect(singles.flatMap((single) => requestsIn(single))).toEqual(["one", long, "three"]);
    expect(new Set(singles.map(({ segmentId }) => segmentId)).size).toBe(3);
  });
});
