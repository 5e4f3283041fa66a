import { superAdmins } from "@sluice/control-plane/accounts/service.ts";
import type { AmountRules } from "@sluice/control-plane/admin/approvals/model.ts";
import { approvalEndpoints } from "@sluice/control-plane/admin/approvals/routes.ts";
import { Approvals } from "@sluice/control-plane/admin/approvals/service.ts";
import { billingActs, keptActs } from "@sluice/control-plane/payments/admin/admin-acts.ts";
import { billingAdminEndpoints } from "@sluice/control-plane/payments/admin/admin-routes.ts";
import type { BillingParts, RefundParts } from "@sluice/control-plane/payments/port.ts";
import type { AnyEndpoint } from "@sluice/control-plane/platform/endpoint/model.ts";

/** As the settings come. */
export const usualRules: AmountRules = {
  adjust: { usdMax: 20, usdPerDayMax: 100 },
  refund: { usdMax: 100, usdPerDayMax: 500 },
  secondPersonAboveUsd: 0,
};

/** What admins do with money, with the limits of their amounts and what waits for a second one. */
export function adminBillingEndpoints(
  parts: BillingParts & RefundParts,
  rules: () => AmountRules = () => usualRules,
): AnyEndpoint[] {
  const { db } = parts;
  const acts = billingActs(parts);
  const approvals = new Approvals({
    db,
    acts: keptActs(acts),
    rules: async () => rules(),
    admins: superAdmins,
    mails: parts.mail,
    baseUrl: "https://sluice.test",
  });
  return [...billingAdminEndpoints({ db, approvals, acts }), ...approvalEndpoints(approvals)];
}
