import type { planList } from "@sluice/contracts/admin-lists/billing";
import type { RowOf } from "@sluice/contracts/lists";

export type Plan = RowOf<typeof planList>;

export const plansPath = "/backend/admin/plan/";
