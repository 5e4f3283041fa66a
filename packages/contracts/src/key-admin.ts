import { z } from "zod";
import { apiKeyView, displayText, keySaveInput, recordId } from "./keys.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { wireInteger } from "./wire.ts";

const reason = reasonText(500);

/** What an operator changes about a key; what its owner has consented to, only the owner changes. */
export const adminKeySaveInput = keySaveInput
  .omit({ is_payload_traced: true, is_response_cached: true, is_fallback_allowed: true, are_labels_kept: true })
  .extend({ reason });

/** Locks a key; the reason is shown to its owner. */
export const adminKeyLockInput = strictObject(() => ({ key_id: recordId, reason: displayText(200) }));
export const adminKeyInput = strictObject(() => ({ key_id: recordId, reason }));

/** A key as its owner sees it, and the groups that it may use. */
export const adminKeyDetail = strictObject(() => ({
  key: apiKeyView,
  gateway_user_id: wireInteger,
  groups: z.array(z.string()),
}));
