import type { planListResponse } from "@sluice/contracts/billing";
import type { ResponseOf } from "@sluice/contracts/wire";

export type Plan = ResponseOf<typeof planListResponse>["plans"][number];

/** The queries whose results change when something was credited. */
export const changedByCredit = ["balance", "orders", "ledger", "subscriptions", "renewals", "models", "keys"] as const;
