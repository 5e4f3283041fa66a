import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { sealOverheadBytes } from "@sluice/control-plane/platform/crypto/seal.ts";
import { BrokenSealError, UnknownSealingKeyError } from "@sluice/control-plane/platform/crypto/seal-errors.ts";
import { keyIdOf, SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import type { Payload } from "@sluice/control-plane/trace/model.ts";
import { blobLength, compressBlob, openPayload, sealPayloadInto } from "@sluice/control-plane/trace/payload-sealing.ts";
import fc from "fast-check";
import { newRequestId, packedOf, payloadOf } from "../../support/trace/trace-fixtures.ts";

const { TEST_FULL } = process.env;
const numRuns = TEST_FULL === "1" ? 5_000 : 300;
const day = "2026-11-21";

function newKey(): SealingKey {
  const secret = randomBytes(32);
  return new SealingKey(keyIdOf(secret), secret);
}

const key = newKey();

function sealWhole(payload: Payload, bodyBytesMax = 262_144) {
  const blob = packedOf(payload, bodyBytesMax);
  const bytes = compressBlob(blob.bytes);
  const sealed = new Uint8Array(bytes.length + sealOverheadBytes);
  sealPayloadInto(sealed, key, payload, bytes);
  return { ...blob, requestId: payload.requestId, gatewayUserId: payload.gatewayUserId, sealed };
}

const body = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  // Text that compresses, so that both forms of the sealed payload occur.
  fc.string({ unit: fc.constantFrom("data: ", "{}", "\n"), maxLength: 200 }).map((text) => Buffer.from(text)),
);

describe("a sealed payload", () => {
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
        const sealed = sealWhole(payload, limit);
        const opened = openPayload(key, sealed);
        expect(opened.request === null).toBe(request === null);
        expect(Buffer.from(opened.request ?? []).equals(request?.subarray(0, limit) ?? Buffer.of())).toBe(true);
        expect(Buffer.from(opened.response).equals(whole.subarray(0, limit))).toBe(true);
        expect(opened.isRequestTruncated).toBe((request?.length ?? 0) > limit);
        expect(opened.isResponseTruncated).toBe(whole.length > limit);
        expect([sealed.isRequestTruncated, sealed.isResponseTruncated]).toEqual([
          opened.isRequestTruncated,
          opened.isResponseTruncated,
        ]);
      }),
      { numRuns },
    );
  });

  test("is marked as cut when less was collected than there was", () => {
    const payload = { ...payloadOf({ day, request: "q", response: "a" }), responseBytes: 2 };
    expect(openPayload(key, sealWhole(payload))).toMatchObject({
      isRequestTruncated: false,
      isResponseTruncated: true,
    });
  });

  test("distinguishes a call without a body from one with an empty body", () => {
    expect(openPayload(key, sealWhole(payloadOf({ day, request: null }))).request).toBeNull();
    expect(openPayload(key, sealWhole(payloadOf({ day, request: "" }))).request?.length).toBe(0);
  });

  test("is a fraction of the bodies when they repeat themselves, and never much longer than they are", () => {
    const stream = packedOf(payloadOf({ day, response: 'data: {"choices":[]}\n\n'.repeat(500) }), 262_144);
    expect(compressBlob(stream.bytes).length).toBeLessThan(stream.bytes.length / 20);
    const noise = packedOf(payloadOf({ day, response: randomBytes(10_000) }), 262_144);
    expect(compressBlob(noise.bytes)).toBe(noise.bytes);
  });

  test("does not open for another call, another user or another key", () => {
    const sealed = sealWhole(payloadOf({ day }));
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
    expect(blob.bytes.length).toBe(blobLength(payload, 1_000));
    expect(blob.bytes.length).toBeLessThan(2_100);
    expect(isReadWhole).toBe(false);
    expect([blob.isRequestTruncated, blob.isResponseTruncated]).toEqual([true, true]);
  });
});
