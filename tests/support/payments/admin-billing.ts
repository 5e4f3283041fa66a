import { superAdmins } from "@sluice/control-plane/accounts/admins/super-admins.ts";
import type { AmountRules } from "@sluice/control-plane/admin/approvals/model.ts";
import { approvalEndpoints } from "@sluice/control-plane/admin/approvals/routes.ts";
import { Approvals, type KeptAct } from "@sluice/control-plane/admin/approvals/service.ts";
import type { MailQueue } from "@sluice/control-plane/mail/model.ts";
import { billingActs, keptActs } from "@sluice/control-plane/payments/admin/admin-acts.ts";
import { billingAdminEndpoints } from "@sluice/control-plane/payments/admin/admin-routes.ts";
import type { BillingDeps, RefundDeps } from "@sluice/control-plane/payments/port.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import type { AnyEndpoint } from "@sluice/control-plane/platform/endpoint/model.ts";
import { masterKeyBytes } from "../service/sluice.ts";

/** As in the settings. */
export const usualRules: AmountRules = {
  adjust: { usdMax: 20, usdPerDayMax: 100 },
  refund: { usdMax: 100, usdPerDayMax: 500 },
  secondPersonAboveUsd: 0,
};

/** The admin acts on money, with their amount limits and approvals. */
export function adminBillingEndpoints(
  deps: BillingDeps & RefundDeps,
  rules: () => AmountRules = () => usualRules,
): AnyEndpoint[] {
  const { db } = deps;
  const acts = billingActs({ ...deps, masterKey: new MasterKey(masterKeyBytes) });
  const approvals = openApprovals(db, deps.mail, { acts: keptActs(acts), rules });
  return [...billingAdminEndpoints({ db, approvals, acts }), ...approvalEndpoints(approvals)];
}

/** These acts, done at once or by two people as the rules require. */
export function openApprovals(
  db: Database,
  mails: MailQueue,
  { acts, rules = () => usualRules }: { readonly acts: readonly KeptAct[]; readonly rules?: () => AmountRules },
): Approvals {
  return new Approvals({
    db,
    masterKey: new MasterKey(masterKeyBytes),
    acts,
    rules: async () => rules(),
    admins: superAdmins,
    mails,
    baseUrl: "https://sluice.test",
  });
}
