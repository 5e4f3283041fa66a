import type { AdminPlanEntry, PlanEntry, SubscriptionEntry } from "@sluice/contracts/billing";
import type { Decimal } from "@sluice/contracts/money";
import { times } from "@sluice/contracts/price-times";
import type { Plan } from "./plans/plan-store.ts";
import type { NamedSubscription } from "./subscriptions/subscription-store.ts";

const one = "1" as Decimal;

export function planEntry(plan: Plan): PlanEntry {
  return {
    plan_code: plan.planCode,
    name: plan.name,
    kind: plan.kind,
    price_usd: plan.priceUsd,
    currency: "USD",
    quota: plan.quota,
    description: plan.description,
    features: plan.features,
    texts: plan.texts,
    sort_order: plan.sortOrder,
    group:
      plan.groupName === null || plan.groupMultiplier === null
        ? null
        : { name: plan.groupName, multiplier: times(plan.groupMultiplier, one) },
    own_amount:
      plan.amountMinUsd === null || plan.amountMaxUsd === null || plan.amountStepUsd === null
        ? null
        : { min_usd: plan.amountMinUsd, max_usd: plan.amountMaxUsd, step_usd: plan.amountStepUsd },
    renews: plan.renews,
  };
}

export function adminPlanEntry(plan: Plan): AdminPlanEntry {
  return { ...planEntry(plan), status: plan.status, version: plan.version, updated_at: plan.updatedAt };
}

export function subscriptionEntry(subscription: NamedSubscription): SubscriptionEntry {
  return {
    plan_code: subscription.planCode,
    plan_name: subscription.planName,
    plan_names: subscription.planNames,
    status: subscription.status,
    period_start: subscription.periodStart,
    period_end: subscription.periodEnd,
    quota_granted: subscription.quotaGranted,
    is_cancelled_at_end: subscription.isCancelledAtEnd,
    group: subscription.groupName,
    renews: subscription.keptUntil !== null,
  };
}
