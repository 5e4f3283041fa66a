import type { tokenListResponse } from "@sluice/contracts/management-tokens";
import type { AdminTokenScope } from "@sluice/contracts/token-scopes";
import type { ResponseOf } from "@sluice/contracts/wire";

export type Token = ResponseOf<typeof tokenListResponse>["tokens"][number];

export const tokensPath = "/backend/admin/token/list/";

export const scopeTexts: Readonly<Record<AdminTokenScope, { readonly label: string; readonly hint: string }>> = {
  usage: { label: "Usage", hint: "Reads calls, traces without contents, reports and the health of channels." },
  keys: { label: "Keys", hint: "Reads and changes the API keys of customers." },
  billing: { label: "Billing", hint: "Reads orders, payments and the ledger; adjusts and refunds within your limits." },
  users: { label: "Users", hint: "Reads and changes users, their groups and limits." },
  upstreams: { label: "Upstreams", hint: "Reads and changes channels, models, prices and exit nodes." },
  everything: {
    label: "Everything",
    hint: "All of the above, and mail, leads, the audit log and what waits for approval.",
  },
  sensitive: {
    label: "What takes a fresh login",
    hint: "Also what otherwise requires a recent login, within the scopes above. For super-admins, 90 days at most.",
  },
};
