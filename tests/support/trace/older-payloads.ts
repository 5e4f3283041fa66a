import { sealContext, sealInto, sealOverheadBytes } from "@sluice/control-plane/platform/crypto/seal.ts";
import type { SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import type { Payload } from "@sluice/control-plane/trace/model.ts";
import { packedOf } from "./trace-fixtures.ts";

/** A payload that is encrypted by itself, as long ones were before they became groups of one. */
export function sealAlone(key: SealingKey, payload: Payload, bytes: Uint8Array = packedOf(payload)): Uint8Array {
  const { requestId, gatewayUserId } = payload;
  const sealed = new Uint8Array(bytes.length + sealOverheadBytes);
  const place = { table: "payload_segment", column: "sealed", row: requestId, owner: gatewayUserId };
  sealInto(sealed, key, bytes, sealContext(place));
  return sealed;
}

/** The bodies of a payload as they were compressed before groups were: unchanged if that saves nothing. */
export function compressAlone(bytes: Uint8Array): Uint8Array {
  const frame = Bun.zstdCompressSync(bytes as Uint8Array<ArrayBuffer>, { level: 1 });
  return frame.length < bytes.length ? frame : bytes;
}

/** The entry of a payload in a group as it was before groups were pieces of the ring. */
export function olderEntry(payload: Payload): Buffer {
  const bytes = packedOf(payload);
  const header = Buffer.alloc(28);
  header.write(payload.requestId.replaceAll("-", ""), "hex");
  header.writeBigInt64LE(payload.gatewayUserId, 16);
  header.writeUInt32LE(bytes.length, 24);
  return Buffer.concat([header, bytes]);
}

/** Payloads in such a group. */
export function sealOlderGroup(key: SealingKey, payloads: readonly Payload[]): Uint8Array {
  const plain = Buffer.concat(payloads.map(olderEntry));
  const sealed = new Uint8Array(1 + plain.length + sealOverheadBytes);
  sealed[0] = 2;
  const place = { table: "payload_segment", column: "sealed", row: "group", owner: "calls" };
  sealInto(sealed.subarray(1), key, plain, sealContext(place));
  return sealed;
}
