import { expect, test } from "bun:test";
import type { GatewayUserId, RequestId } from "@sluice/contracts/ids";
import { parcelLength, writeParcel } from "@sluice/control-plane/trace/payload-parcel.ts";
import { callMsOf, placeBytes, writePlace } from "@sluice/control-plane/trace/payload-places.ts";
import fc from "fast-check";
import { idEndOf, readPlaces } from "../../support/trace/stored-places.ts";
import { payloadOf } from "../../support/trace/trace-fixtures.ts";

const bodyBytesMax = 4;
const lengthMax = 2 ** 40 - 1;
const length = fc.oneof(fc.constantFrom(0, 5, 2 ** 31, 2 ** 32 - 1, 2 ** 32, lengthMax, lengthMax + 1), fc.nat());

type Changes = {
  readonly requestId: string;
  readonly user: bigint;
  readonly requestBytes: number;
  readonly responseBytes: number;
};

/** A parcel that does not begin where its memory does. */
function recordsOf({ requestId, user, ...lengths }: Changes): Buffer {
  const payload = {
    ...payloadOf({ day: "2026-11-30", request: "request", response: "response" }),
    ...lengths,
    requestId: requestId as RequestId,
    gatewayUserId: user as GatewayUserId,
  };
  const records = Buffer.alloc(8 + parcelLength(payload, bodyBytesMax), 0xee);
  writeParcel(records, 8, payload, bodyBytesMax);
  return records;
}

const changes = fc.record({
  requestId: fc.uuid(),
  user: fc.oneof(fc.constantFrom(1n, 2n ** 32n, 2n ** 48n - 1n), fc.bigInt(0n, 2n ** 48n - 1n)),
  requestBytes: length,
  responseBytes: length,
});

test("the place of a payload says whose it is, how long both bodies were, and its group", () => {
  fc.assert(
    fc.property(fc.array(changes, { minLength: 1, maxLength: 5 }), fc.nat({ max: 2 ** 13 - 1 }), (all, group) => {
      const places = Buffer.alloc(all.length * placeBytes, 0xff);
      const groups = Buffer.alloc((group + 1) * 8);
      groups.writeUInt32BE(group + 1, group * 8 + 4);
      for (const [index, each] of all.entries()) {
        const records = recordsOf(each);
        writePlace(places, index, { records, parcelAt: 8, group });
        expect(callMsOf(records, 8)).toBe(Number.parseInt(each.requestId.replaceAll("-", "").slice(0, 12), 16));
      }
      expect(readPlaces({ places, groups })).toEqual(
        all.map(({ requestId, user, requestBytes, responseBytes }) => ({
          idEnd: idEndOf(requestId),
          gatewayUserId: user as GatewayUserId,
          byteOffset: 0,
          byteLength: group + 1,
          requestBytes: Math.min(requestBytes, lengthMax),
          responseBytes: Math.min(responseBytes, lengthMax),
          isRequestTruncated: requestBytes > bodyBytesMax,
          isResponseTruncated: responseBytes > bodyBytesMax,
        })),
      );
    }),
  );
});

test("a user whose ID has no room in a place is refused", () => {
  for (const user of [2n ** 48n, 2n ** 56n, 2n ** 62n, -1n]) {
    const records = recordsOf({ requestId: crypto.randomUUID(), user, requestBytes: 1, responseBytes: 1 });
    expect(() => writePlace(Buffer.alloc(placeBytes), 0, { records, parcelAt: 8, group: 0 })).toThrow(RangeError);
  }
});
