import type { RequestId } from "@sluice/contracts/ids";
import type { Queryable } from "../platform/db.ts";
import type { OpenedPayload } from "./model.ts";
import type { PayloadKeys } from "./payload-keys.ts";
import { openPayload } from "./payload-sealing.ts";
import { findPayload } from "./store.ts";

/**
 * The bodies of one call, decrypted, or null when none are stored. Users wrote them, so callers that show them to a
 * person must record the access first.
 * @throws DayKeyDestroyedError after the retention; SealError when the row was altered or moved
 */
export async function openStoredPayload(
  db: Queryable,
  keys: PayloadKeys,
  day: string,
  requestId: RequestId,
): Promise<OpenedPayload | null> {
  const sealed = await findPayload(db, day, requestId);
  const key = sealed === null ? null : await keys.read(day);
  return sealed === null ? null : openPayload(key ?? [], sealed);
}
