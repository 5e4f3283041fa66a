import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/db.ts";
import type { Feature } from "../platform/feature.ts";
import { reportEndpoints } from "./reports/routes.ts";
import { settlementEndpoints } from "./settlement/routes.ts";
import type { UsageSettlement } from "./settlement/usage-settlement.ts";
import { usageEndpoints } from "./views/routes.ts";
import { UsageViews } from "./views/usage-views.ts";

export type UsageFeatureDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly settlement: UsageSettlement;
};

/** What users and admins see of the log of calls, its settlement and its sums. */
export function usageFeatures({ db, clock, settlement }: UsageFeatureDeps): Feature[] {
  return [
    { name: "usage", endpoints: usageEndpoints(new UsageViews(db, clock)) },
    { name: "usage-settlement", endpoints: settlementEndpoints({ db, settlement }) },
    { name: "reports", endpoints: reportEndpoints({ db, clock }) },
  ];
}
