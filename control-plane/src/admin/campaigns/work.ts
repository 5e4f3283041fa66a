import type { Work } from "../../platform/feature.ts";
import { forgetOldEvents, recordPayments } from "./service.ts";

/** The jobs that record which campaigns bring payments, and forget old visits. */
export function campaignWork(retentionDays: () => number): Work {
  return {
    jobs: [
      { name: "campaign-payments", pattern: "5 * * * * *", run: recordPayments },
      { name: "old-campaign-events", pattern: "5 33 * * * *", run: (each) => forgetOldEvents(each, retentionDays()) },
    ],
  };
}
