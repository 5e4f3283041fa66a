import type { tokenListResponse } from "@sluice/contracts/management-tokens";
import type { AdminTokenScope } from "@sluice/contracts/token-scopes";
import type { ResponseOf } from "@sluice/contracts/wire";
import { t } from "../../translate.ts";

export type Token = ResponseOf<typeof tokenListResponse>["tokens"][number];

export const tokensPath = "/backend/admin/token/list/";

export const scopeTexts: Readonly<Record<AdminTokenScope, { readonly label: string; readonly hint: string }>> = {
  usage: { label: t("Usage"), hint: t("Reads calls, traces without contents, reports and the health of channels.") },
  keys: { label: t("Keys"), hint: t("Reads and changes the API keys of customers.") },
  billing: {
    label: t("Billing"),
    hint: t("Reads orders, payments and the ledger; adjusts and refunds within your limits."),
  },
  users: { label: t("Users"), hint: t("Reads and changes users, their groups and limits.") },
  upstreams: { label: t("Channels"), hint: t("Reads and changes channels, models, prices and exit nodes.") },
  everything: {
    label: t("Everything"),
    hint: t("All of the above, and mail, leads, the audit log and what waits for approval."),
  },
  sensitive: {
    label: t("What requires a recent login"),
    hint: t("Also what otherwise requires a recent login, within the scopes above. For super-admins, 90 days at most."),
  },
};
