import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db.ts";
import type { Feature } from "../../platform/feature.ts";
import { analyticsEndpoints } from "./routes.ts";
import { forgetOldEvents, recordPayments } from "./service.ts";

export type CampaignFeatureDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly retentionDays: () => number;
};

/** Which campaigns bring visitors and payments. */
export function campaignFeature({ db, clock, retentionDays }: CampaignFeatureDeps): Feature {
  return {
    name: "analytics",
    endpoints: analyticsEndpoints({ db, clock }),
    jobs: [
      { name: "campaign-payments", pattern: "5 * * * * *", run: recordPayments },
      { name: "old-campaign-events", pattern: "5 33 * * * *", run: (each) => forgetOldEvents(each, retentionDays()) },
    ],
  };
}
