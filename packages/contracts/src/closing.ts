import { z } from "zod";
import { rowId, typedCode, typedPassword } from "./accounts.ts";
import { waitingResponse } from "./approvals.ts";
import { recordId } from "./keys.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { wireInteger, wireMoment } from "./wire.ts";

/**
 * What closing an account means for what belongs to it: it is lost, ends, or has to be settled first. Organisations with
 * nobody else end with the account; those with others need another owner first.
 */
export const closingEffects = {
  months: "lost",
  keys: "ends",
  access_tokens: "ends",
  sessions: "ends",
  webhooks: "ends",
  passkeys: "ends",
  sign_ins: "ends",
  memberships: "ends",
  own_organisations: "ends",
  shared_organisations: "blocks",
  renewals: "blocks",
  top_ups: "blocks",
  open_orders: "blocks",
  open_refunds: "blocks",
} as const;
export type ClosingSubject = keyof typeof closingEffects;
const subjects = Object.keys(closingEffects) as [ClosingSubject, ...ClosingSubject[]];

const closingView = strictObject(() => ({
  requested_at: wireMoment,
  /** When the account is closed unless that is undone before. */
  closes_at: wireMoment,
  /** The owner can't undo what the operator has decided. */
  requested_by: z.enum(["owner", "operator"]),
}));

export const closingPreview = strictObject(() => ({
  /** What is left of the balance, in quota, with that of organisations that end: it is lost. */
  balance: wireInteger,
  /** Only what there is any of. */
  effects: z.array(
    z.strictObject({ subject: z.enum(subjects), effect: z.enum(["lost", "ends", "blocks"]), count: wireInteger }),
  ),
  is_possible: z.boolean(),
  /** How long it can be undone. */
  waiting_days: z.int(),
  closing: closingView.nullable(),
}));
export const closingPreviewResponse = strictObject(() => ({ preview: closingPreview }));
export const closingResponse = strictObject(() => ({ closing: closingView }));

const proof = { password: typedPassword.optional(), code: typedCode.optional() };
/** In quota; what was shown, so that nobody loses more than that. No balance has more digits. */
const agreedBalance = z.union([z.int().min(0), z.string().regex(/^\d{1,18}$/)]).transform(BigInt);

export const beginClosingInput = strictObject(() => ({ agreed_balance: agreedBalance, ...proof }));
export const undoClosingInput = z.strictObject(proof);

export const closingQuery = strictObject(() => ({ user_id: recordId }));
export const adminClosingInput = strictObject(() => ({
  user_id: rowId,
  agreed_balance: agreedBalance,
  reason: reasonText(500),
}));
export type AdminClosingInput = z.output<typeof adminClosingInput>;
export const adminUndoClosingInput = strictObject(() => ({ user_id: recordId, reason: reasonText(500) }));
export const adminClosingResponse = z.union([closingResponse, waitingResponse]);
