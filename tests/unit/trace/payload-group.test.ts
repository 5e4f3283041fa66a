import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { BrokenSealError, UnknownSealingKeyError } from "@sluice/control-plane/platform/crypto/seal-errors.ts";
import { keyIdOf, SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import type { Payload } from "@sluice/control-plane/trace/model.ts";
import { groupOverheadBytes, isGroup, sealGroupInto } from "@sluice/control-plane/trace/payload-group.ts";
import { openPayload } from "@sluice/control-plane/trace/payload-sealing.ts";
import { olderEntry, sealOlderGroup } from "../../support/trace/older-payloads.ts";
import { groupOf, newRequestId, payloadOf } from "../../support/trace/trace-fixtures.ts";

const day = "2026-11-21";

function newKey(): SealingKey {
  const secret = randomBytes(32);
  return new SealingKey(keyIdOf(secret), secret);
}

const key = newKey();

function sealGroup(...payloads: readonly Payload[]): Uint8Array {
  const group = groupOf(payloads);
  const sealed = new Uint8Array(group.records.length + groupOverheadBytes);
  sealGroupInto(sealed, key, group);
  return sealed;
}

function sealCompressed(...payloads: readonly Payload[]): Uint8Array {
  const { records } = groupOf(payloads);
  const frame = Bun.zstdCompressSync(records);
  const sealed = new Uint8Array(frame.length + groupOverheadBytes);
  sealGroupInto(sealed, key, { records, frame });
  return sealed;
}

function requestOf(sealed: Uint8Array, { requestId, gatewayUserId }: Payload, openingKey = key): string {
  return Buffer.from(openPayload(openingKey, { requestId, gatewayUserId, sealed }).request ?? []).toString();
}

const one = payloadOf({ day, request: "of one", gatewayUserId: 1n });
const other = payloadOf({ day, request: "of another", gatewayUserId: 2n });

const forms = [
  { form: "together", sealedOf: sealGroup, entryOf: (payload: Payload) => groupOf([payload]).records },
  {
    form: "together and compressed",
    sealedOf: sealCompressed,
    entryOf: (payload: Payload) => groupOf([payload]).records,
  },
  {
    form: "together by an older version",
    sealedOf: (...payloads: readonly Payload[]) => sealOlderGroup(key, payloads),
    entryOf: olderEntry,
  },
];

describe.each(forms)("payloads that are encrypted $form", ({ sealedOf, entryOf }) => {
  const sealed = sealedOf(one, other);

  test("open each as the call of its user, in either case of the id, and as nothing else", () => {
    expect(isGroup(sealed)).toBe(true);
    expect([requestOf(sealed, one), requestOf(sealed, other)]).toEqual(["of one", "of another"]);
    expect(requestOf(sealed, { ...one, requestId: one.requestId.toUpperCase() as Payload["requestId"] })).toBe(
      "of one",
    );
    expect(() => requestOf(sealed, { ...one, gatewayUserId: 2n as GatewayUserId })).toThrow(BrokenSealError);
    expect(() => requestOf(sealed, { ...one, requestId: newRequestId() })).toThrow(BrokenSealError);
    expect(() => requestOf(sealed, one, newKey())).toThrow(UnknownSealingKeyError);
  });

  test("do not open once a single bit is another one", () => {
    for (let index = 0; index < sealed.length; index += 1) {
      const altered = Uint8Array.from(sealed);
      altered[index] = (altered[index] ?? 0) ^ 1;
      expect(() => requestOf(altered, one)).toThrow();
    }
    expect(() => requestOf(sealed.subarray(0, -1), one)).toThrow();
  });

  test("can't be forged by a body that looks like the entry of another call", () => {
    const forged = entryOf({ ...other, request: Buffer.from("forged") });
    const forging = payloadOf({ day, request: forged, gatewayUserId: 1n });
    expect(() => requestOf(sealedOf(forging), other)).toThrow(BrokenSealError);
    expect(requestOf(sealedOf(forging, other), other)).toBe("of another");
  });

  test("are not found in an empty group", () => {
    expect(() => requestOf(sealedOf(), one)).toThrow(BrokenSealError);
  });
});
