import { z } from "zod";
import { recordId } from "./keys.ts";
import { priceColumns, priceEffect } from "./priced-units.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireInteger, wireMoment } from "./wire.ts";

/** Acts that may wait for a second super-admin. */
export const actKinds = [
  "quota.adjust",
  "refund.create",
  "refund.close",
  "top_up.close",
  "order.resolve",
  "admin.create",
  "admin.save",
  "admin.password_link",
  "totp.remove",
  "setting.save",
  "secret.save",
  "sign_in_provider.save",
  "registration.save",
  "invitation.create",
  "user.save",
  "user.close",
  "plan.save",
  "code_batch.create",
  "coupon.create",
  "model.save",
  "channel.adopt",
  "group.save",
  "group.assign",
  "group.remove",
] as const;
export type ActKind = (typeof actKinds)[number];

/** The effects of an act, by these names: amounts of quota and money as strings. */
export const effectNames = [
  "user_email",
  "gateway_user_id",
  "amount_quota",
  "balance_before_quota",
  "balance_after_quota",
  "order_no",
  "refund_no",
  "refund_usd",
  "refund_amount_usd",
  "outcome",
  "taken_quota",
  "given_back_quota",
  "credited_quota",
  "decision",
  "username",
  "email",
  "role_before",
  "role_after",
  "setting",
  "value_before",
  "value_after",
  "secret",
  "secret_is",
  "sign_in_provider",
  "sign_in_provider_is",
  "issuer",
  "registration_before",
  "registration_after",
  "domains_before",
  "domains_after",
  "refused_domains_before",
  "refused_domains_after",
  "credit_limits_before",
  "credit_limits_after",
  "proof_before",
  "proof_after",
  "invitation",
  "uses",
  "multiplier_before",
  "multiplier_after",
  "group",
  "visibility",
  "users",
  "balance_lost_quota",
  "closes_at",
  "status_before",
  "status_after",
  "plan_code",
  "plan_kind",
  "plan_status",
  "price_before_usd",
  "price_after_usd",
  "grant_before_quota",
  "grant_after_quota",
  "amount_from_usd",
  "amount_to_usd",
  "codes",
  "coupon",
  "discount",
  "each_quota",
  "model",
  "model_is",
  "channel",
  "new_models",
  ...priceColumns.map(priceEffect),
  "price_long_prompt",
] as const;
export type EffectName = (typeof effectNames)[number];

const effects = z.partialRecord(z.enum(effectNames), z.string());
export type Effects = Readonly<Partial<Record<EffectName, string>>>;

/** An act that a second super-admin has to approve. */
export const approvalEntry = strictObject(() => ({
  approval_id: wireInteger,
  kind: z.enum(actKinds),
  reason: z.string(),
  /** The effects that the act would have had when it was requested. */
  effects,
  requested_by: wireInteger,
  requested_by_name: z.string(),
  status: z.enum(["pending", "approved", "rejected", "expired"]),
  created_at: wireMoment,
  expires_at: wireMoment,
  decided_by_name: z.string().nullable(),
  decided_at: wireMoment.nullable(),
  decision_reason: z.string().nullable(),
}));
export type ApprovalEntry = Unsent<z.output<typeof approvalEntry>>;

/** Replaces the result of an act that another super-admin has to approve. */
export const waitingResponse = strictObject(() => ({ approval: approvalEntry }));

export const approvalListResponse = strictObject(() => ({ approvals: z.array(approvalEntry) }));

export const approvalInput = strictObject(() => ({ approval_id: recordId }));

export const approvalDetailResponse = strictObject(() => ({
  approval: approvalEntry,
  /** The effects that a waiting act would have now, or the reason why it can't be done. */
  foreseen: z.strictObject({ effects, problem: z.string().nullable() }).nullable(),
}));

export const decideApprovalInput = strictObject(() => ({
  approval_id: recordId,
  decision: z.enum(["approve", "reject"]),
  reason: reasonText(500),
}));

export const decidedApprovalResponse = strictObject(() => ({ approval: approvalEntry }));

/** The rights that an act requires now, which predict the response. */
export const demands = ["nothing", "fresh_super_admin", "second_person"] as const;
