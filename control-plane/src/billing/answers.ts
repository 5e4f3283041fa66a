import {
  type AdminPlanEntry,
  idempotencyHeader,
  type PlanEntry,
  type SubscriptionEntry,
} from "@sluice/contracts/billing";
import { AppError } from "../platform/errors.ts";
import type { Plan } from "./plan-store.ts";
import type { Subscription } from "./subscription-store.ts";

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
    sort_order: plan.sortOrder,
  };
}

export function adminPlanEntry(plan: Plan): AdminPlanEntry {
  return { ...planEntry(plan), status: plan.status, version: plan.version, updated_at: plan.updatedAt };
}

export function subscriptionEntry(subscription: Subscription): SubscriptionEntry {
  return {
    plan_code: subscription.planCode,
    status: subscription.status,
    period_start: subscription.periodStart,
    period_end: subscription.periodEnd,
    quota_granted: subscription.quotaGranted,
    is_cancelled_at_end: subscription.isCancelledAtEnd,
  };
}

/**
 * The idempotency key of a request: the header, or else the field of the body.
 * @throws AppError `invalid_value` for a bad one, and for two that differ
 */
export function idempotencyKeyOf(request: Request, field: string | undefined): string | null {
  const header = request.headers.get("idempotency-key");
  if (header === null) {
    return field ?? null;
  }
  if (!idempotencyHeader.safeParse(header).success || (field !== undefined && field !== header)) {
    throw new AppError("invalid_value", { fields: { idempotency_key: "8 to 200 visible characters, sent once" } });
  }
  return header;
}

/** @throws AppError `missing_field` without a key */
export function requiredIdempotencyKey(request: Request, field: string | undefined): string {
  const key = idempotencyKeyOf(request, field);
  if (key === null) {
    throw new AppError("missing_field", { fields: { idempotency_key: "has to be sent" } });
  }
  return key;
}
