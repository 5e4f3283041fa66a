import { z } from "zod";
import { waitingResponse } from "./approvals.ts";
import { orderEntry, planCode, planKind, signedQuota } from "./billing.ts";
import { idempotencyKey } from "./idempotency.ts";
import { recordId } from "./keys.ts";
import { choiceOf, exactText, flagText, listContract } from "./lists.ts";
import { momentText } from "./moments.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireInteger, wireMoment } from "./wire.ts";

/** Redemption codes: made in batches by admins, sold or given away, each used once. */

/** The most codes of one batch. */
const codesMax = 10_000;

export const createBatchInput = strictObject(() => ({
  /** What orders of its codes are called; customers see it. */
  name: z.string().trim().min(1).max(100),
  /** For the operator alone, such as the shop that sells them. */
  note: z.string().trim().max(500).default(""),
  /** What each code grants; without it, a plan is required. */
  quota: signedQuota.refine((amount) => amount > 0n, "more than 0").optional(),
  /** The plan with a fixed price that each code grants. */
  plan_code: planCode.optional(),
  count: z.int().min(1).max(codesMax),
  is_once_per_user: z.boolean().default(false),
  expires_at: momentText.nullable().default(null),
  /** The same key with the same content makes one batch. */
  idempotency_key: idempotencyKey.optional(),
}));

export const codeBatchEntry = strictObject(() => ({
  batch_id: wireInteger,
  name: z.string(),
  note: z.string(),
  plan_code: z.string().nullable(),
  plan_kind: planKind,
  quota: wireInteger,
  group_name: z.string().nullable(),
  count: z.int(),
  is_once_per_user: z.boolean(),
  expires_at: wireMoment.nullable(),
  revoked_at: wireMoment.nullable(),
  created_by: z.string(),
  created_at: wireMoment,
}));
export type CodeBatchEntry = Unsent<z.output<typeof codeBatchEntry>>;

/** The batch, or the approval that it waits for. */
export const createBatchOutput = z.union([strictObject(() => ({ batch: codeBatchEntry })), waitingResponse]);

export const batchCodesInput = strictObject(() => ({ batch_id: recordId }));
export const batchCodesResponse = strictObject(() => ({ batch_id: wireInteger, codes: z.array(z.string()) }));

export const revokeBatchInput = strictObject(() => ({ batch_id: recordId, reason: reasonText(500) }));
export const revokedBatchResponse = strictObject(() => ({ batch: codeBatchEntry }));

export const redeemCodeInput = strictObject(() => ({ code: z.string().min(1).max(64) }));
/** `is_new` is false when the same user has redeemed the code before. */
export const redeemedResponse = strictObject(() => ({ order: orderEntry, is_new: z.boolean() }));

const batchStates = ["usable", "expired", "revoked"] as const;

export const codeBatchList = listContract({
  name: "code-batches",
  rowId: "batch_id",
  row: codeBatchEntry.extend({ state: z.enum(batchStates), redeemed: wireInteger }),
  filters: {
    batch_id: recordId,
    state: choiceOf(batchStates),
    plan_code: exactText(64),
    is_once_per_user: flagText,
  },
  sorts: ["created_at"],
  defaultSort: "-created_at",
});
