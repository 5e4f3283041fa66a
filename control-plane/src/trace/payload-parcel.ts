import type { GatewayUserId, RequestId } from "@sluice/contracts/ids";
import type { Payload, PayloadFacts } from "./model.ts";
import { blobLength, packPayload } from "./payload-sealing.ts";

/*
 * A payload in the form in which it goes to the thread that seals it: request id (36 bytes of text), day (10, then 2
 * unused), id of the day's key (8), id of the user (8), lengths of both bodies (8 each), and the packed bodies.
 */
const dayOffset = 36;
const keyIdOffset = 48;
const userOffset = 56;
const requestBytesOffset = 64;
const responseBytesOffset = 72;
const blobOffset = 80;
const keyIdLength = 8;
const dayLength = 10;

export type Parcel = {
  readonly facts: PayloadFacts;
  readonly keyId: string;
  /** The packed bodies, not copied. */
  readonly blob: Buffer;
};

export function parcelLength(payload: Payload, bodyBytesMax: number): number {
  return blobOffset + blobLength(payload, bodyBytesMax);
}

/** @param target as long as `parcelLength` says */
export function writeParcel(target: Buffer, payload: Payload, keyId: string, bodyBytesMax: number): void {
  target.write(payload.requestId, 0, dayOffset, "latin1");
  target.write(payload.day, dayOffset, dayLength, "latin1");
  target.write(keyId, keyIdOffset, keyIdLength, "latin1");
  target.writeBigInt64LE(payload.gatewayUserId, userOffset);
  target.writeDoubleLE(payload.requestBytes, requestBytesOffset);
  target.writeDoubleLE(payload.responseBytes, responseBytesOffset);
  packPayload(payload, bodyBytesMax, target.subarray(blobOffset));
}

export function readParcel(bytes: Buffer): Parcel {
  return {
    facts: {
      requestId: bytes.toString("latin1", 0, dayOffset) as RequestId,
      day: bytes.toString("latin1", dayOffset, dayOffset + dayLength),
      gatewayUserId: bytes.readBigInt64LE(userOffset) as GatewayUserId,
      requestBytes: bytes.readDoubleLE(requestBytesOffset),
      responseBytes: bytes.readDoubleLE(responseBytesOffset),
    },
    keyId: bytes.toString("latin1", keyIdOffset, keyIdOffset + keyIdLength),
    blob: bytes.subarray(blobOffset),
  };
}
