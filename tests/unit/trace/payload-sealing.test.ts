import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { BrokenSealError, UnknownSealingKeyError } from "@sluice/control-plane/platform/crypto/seal-errors.ts";
import { keyIdOf, SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import { GroupCompression } from "@sluice/control-plane/trace/group-compression.ts";
import type { Payload } from "@sluice/control-plane/trace/model.ts";
import { groupOverheadBytes, sealGroupInto } from "@sluice/control-plane/trace/payload-group.ts";
import { blobLength } from "@sluice/control-plane/trace/payload-packing.ts";
import { openPayload } from "@sluice/control-plane/trace/payload-sealing.ts";
import fc from "fast-check";
import { compressAlone, sealAlone } from "../../support/trace/older-payloads.ts";
import { groupOf, newRequestId, packedOf, payloadOf } from "../../support/trace/trace-fixtures.ts";

const { TEST_FULL } = process.env;
const numRuns = TEST_FULL === "1" ? 5_000 : 300;
const day = "2026-11-21";

function newKey(): SealingKey {
  const secret = randomBytes(32);
  return new SealingKey(keyIdOf(secret), secret);
}

const key = newKey();

/** A payload as the service seals it, compressed if that makes it shorter. */
function sealWhole(payload: Payload, bodyBytesMax = 262_144) {
  const { records } = groupOf([payload], bodyBytesMax);
  const frame = new GroupCompression().compress(records, true);
  const sealed = new Uint8Array((frame ?? records).length + groupOverheadBytes);
  sealGroupInto(sealed, key, { records, frame });
  return { requestId: payload.requestId, gatewayUserId: payload.gatewayUserId, sealed };
}

/** The same, as older versions sealed a long payload. */
function sealByItself(payload: Payload, bodyBytesMax = 262_144) {
  const sealed = sealAlone(key, payload, compressAlone(packedOf(payload, bodyBytesMax)));
  return { requestId: payload.requestId, gatewayUserId: payload.gatewayUserId, sealed };
}

const body = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  // Text that compresses, so that both forms of the sealed payload occur.
  fc.string({ unit: fc.constantFrom("data: ", "{}", "\n"), maxLength: 200 }).map((text) => Buffer.from(text)),
);

describe.each([
  { form: "payload", seal: sealWhole },
  { form: "payload of an older version", seal: sealByItself },
])("a sealed $form", ({ seal }) => {
  test("opens to the beginnings of both bodies, in however many pieces they came, and says what was cut", () => {
    const anyPayload = fc.record({
      request: fc.option(body),
      response: fc.array(body, { maxLength: 6 }),
      limit: fc.nat(900),
    });
    fc.assert(
      fc.property(anyPayload, ({ request, response, limit }) => {
        const whole = Buffer.concat(response);
        const payload: Payload = {
          ...payloadOf({ day }),
          request,
          response,
          requestBytes: request?.length ?? 0,
          responseBytes: whole.length,
        };
        const opened = openPayload(key, seal(payload, limit));
        expect(opened.request === null).toBe(request === null);
        expect(Buffer.from(opened.request ?? []).equals(request?.subarray(0, limit) ?? Buffer.of())).toBe(true);
        expect(Buffer.from(opened.response).equals(whole.subarray(0, limit))).toBe(true);
        expect(opened.isRequestTruncated).toBe((request?.length ?? 0) > limit);
        expect(opened.isResponseTruncated).toBe(whole.length > limit);
      }),
      { numRuns },
    );
  });

  test("is marked as cut when less was collected than there was", () => {
    const payload = { ...payloadOf({ day, request: "q", response: "a" }), responseBytes: 2 };
    expect(openPayload(key, seal(payload))).toMatchObject({
      isRequestTruncated: false,
      isResponseTruncated: true,
    });
  });

  test("distinguishes a call without a body from one with an empty body", () => {
    expect(openPayload(key, seal(payloadOf({ day, request: null }))).request).toBeNull();
    expect(openPayload(key, seal(payloadOf({ day, request: "" }))).request?.length).toBe(0);
  });

  test("does not open for another call, another user or another key", () => {
    const sealed = seal(payloadOf({ day }));
    expect(() => openPayload(key, { ...sealed, requestId: newRequestId() })).toThrow(BrokenSealError);
    expect(() => openPayload(key, { ...sealed, gatewayUserId: 2n as GatewayUserId })).toThrow(BrokenSealError);
    expect(() => openPayload(newKey(), sealed)).toThrow(UnknownSealingKeyError);
  });
});

describe("packing", () => {
  test("of a body of 32 MB reads no more than its limit", () => {
    const huge = new Uint8Array(32 * 1024 * 1024);
    let isReadWhole = false;
    const watched = new Proxy(huge, {
      get: (target, property) => {
        if (property === "subarray") {
          return (start: number, end: number) => target.subarray(start, end);
        }
        if (property === "length" || property === "byteLength") {
          return target.length;
        }
        isReadWhole = true;
        return Reflect.get(target, property);
      },
    });
    const payload = {
      ...payloadOf({ day }),
      request: watched,
      response: [watched],
      requestBytes: huge.length,
      responseBytes: huge.length,
    };
    const blob = packedOf(payload, 1_000);
    expect(blob.length).toBe(blobLength(payload, 1_000));
    expect(blob.length).toBeLessThan(2_100);
    expect(isReadWhole).toBe(false);
  });
});
