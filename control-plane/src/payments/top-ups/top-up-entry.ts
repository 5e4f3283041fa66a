import { usdOfQuota } from "@sluice/contracts/money";
import type { TopUpEntry } from "@sluice/contracts/top-ups";
import type { Database } from "../../platform/db.ts";
import { monthOf } from "./model.ts";
import { sumCharged, type TopUp } from "./top-up-store.ts";

/** An automatic top-up as customers see it, with what it has charged in the month of this moment. */
export async function topUpEntry(db: Database, topUp: TopUp, at: Date): Promise<TopUpEntry> {
  return {
    top_up_no: topUp.topUpNo,
    plan_name: topUp.planName,
    plan_names: topUp.planNames,
    price_usd: topUp.priceUsd,
    threshold_usd: usdOfQuota(topUp.thresholdQuota),
    month_max_usd: topUp.monthMaxUsd,
    charged_usd: await sumCharged(db, topUp.id, monthOf(at)),
    status: topUp.status,
    stop_reason: topUp.stopReason,
  };
}
