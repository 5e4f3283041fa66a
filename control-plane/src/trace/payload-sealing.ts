import { open, sealContext } from "../platform/crypto/seal.ts";
import type { SealingKey } from "../platform/crypto/sealing-key.ts";
import type { OpenedPayload, Payload, SealedPayload } from "./model.ts";
import { isGroup, openFromGroup } from "./payload-group.ts";
import { unpackPayload } from "./payload-packing.ts";

/** A payload that was encrypted by itself can be decrypted only as the payload of this call of this user. */
function contextOf(payload: Pick<Payload, "requestId" | "gatewayUserId">): string {
  return sealContext({
    table: "payload_segment",
    column: "sealed",
    row: payload.requestId,
    owner: payload.gatewayUserId,
  });
}

/**
 * Decrypts a payload: out of the group that it was encrypted in, or by itself, as older versions encrypted long ones. The
 * truncation flags come from the encrypted bytes, not from the row.
 * @throws SealError when it was altered, belongs to another call or user, or needs another key
 */
export function openPayload(keys: SealingKey | readonly SealingKey[], payload: SealedPayload): OpenedPayload {
  const { sealed } = payload;
  const isTogether = isGroup(sealed);
  return unpackPayload(isTogether ? openFromGroup(keys, sealed, payload) : open(keys, sealed, contextOf(payload)));
}
