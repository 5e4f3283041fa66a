import type { AdminOperation } from "./admin-rights.ts";

/**
 * Operations whose effect is known before they are carried out: each is done in a transaction that is rolled back. They
 * touch nothing but the database.
 */
export const previewedOperations = [
  "/backend/admin/model/save/",
  "/backend/admin/model/fallbacks/save/",
  "/backend/admin/anthropic/model-map/save/",
  "/backend/admin/channel/save/",
  "/backend/admin/channel/credential/save/",
  "/backend/admin/ability/save/",
  "/backend/admin/exit-node/account/save/",
  "/backend/admin/exit-node/route/save/",
  "/backend/upstream/auth-profiles/save/",
  "/backend/admin/group/save/",
  "/backend/admin/group/assign/",
  "/backend/admin/group/remove/",
  "/backend/admin/plan/save/",
  "/backend/admin/code-batch/create/",
  "/backend/admin/code-batch/revoke/",
  "/backend/admin/coupon/create/",
  "/backend/admin/coupon/revoke/",
  "/backend/admin/invoice/terms/save/",
  "/backend/admin/channel-cost/save/",
  "/backend/admin/limit/save/",
  "/backend/admin/user/save/",
  "/backend/admin/key/save/",
  "/backend/admin/key/lock/",
  "/backend/admin/key/unlock/",
  "/backend/admin/key/revoke/",
  "/backend/admin/organisation/create/",
  "/backend/admin/organisation/save/",
  "/backend/admin/settings/save/",
  "/backend/admin/secret/save/",
  "/backend/admin/sign-in-provider/remove/",
  "/backend/admin/registration/save/",
  "/backend/admin/registration/invitation/create/",
  "/backend/admin/registration/invitation/revoke/",
  "/backend/admin/admin/save/",
  "/backend/admin/incident/create/",
  "/backend/admin/incident/update/",
  "/backend/admin/branding/text/save/",
  "/backend/admin/branding/legal/save/",
  "/backend/admin/mail/template/save/",
  "/backend/admin/lead/save/",
] as const satisfies readonly AdminOperation[];
export type PreviewedOperation = (typeof previewedOperations)[number];

/** The time over which calls are counted, ending now. */
export const consequenceDays = 7;

/** What is affected. Calls, and those who made them, are counted over the last days. */
export const consequenceKinds = [
  "calls",
  "callers",
  "calling_keys",
  "charged_quota",
  "accounts",
  "keys",
  "members",
  "sold_months",
  "renewals",
  "open_orders",
  /** Of a payment gateway that is switched off. */
  "kept_renewals",
  "paused_top_ups",
  "open_checkouts",
  "linked_users",
  "asked_users",
  "sessions",
  /** Names of models that a group can't call any more, or can call now, as `model (group)`. */
  "unreachable",
  "reachable",
] as const;
export type ConsequenceKind = (typeof consequenceKinds)[number];

export const consequenceNamesMax = 5;
