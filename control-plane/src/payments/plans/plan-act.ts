import { savePlanInput } from "@sluice/contracts/billing";
import { quotaPerUsd } from "@sluice/contracts/money";
import type { z } from "zod";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import { adminPlanEntry } from "../answers.ts";
import { toCents } from "../model.ts";
import type { NewPlan, Plan } from "./plan-store.ts";
import { savePlan } from "./plans.ts";

export type PlanInput = z.output<typeof savePlanInput>;

/** Creates or changes a plan. A plan that grants more for the same money is a gift to its buyers. */
export function planAct(): Act<PlanInput> {
  return {
    kind: "plan.save",
    schema: savePlanInput,
    reasonOf: () => "",
    perform: async (tx, input, origin) => {
      const { before, after } = await savePlan(tx, planOf(input), input.version ?? null);
      const what = { action: "plan.save", subjectKind: "plan", subjectId: after.planCode };
      await recordAct(tx, origin, { ...what, before, after });
      return {
        isNew: true,
        amount: null,
        takesTwo: grantsMore(before, after),
        effects: {
          plan_code: after.planCode,
          ...(before === null
            ? {}
            : { price_before_usd: before.priceUsd, grant_before_quota: before.quota.toString() }),
          price_after_usd: after.priceUsd,
          grant_after_quota: after.quota.toString(),
          plan_kind: after.kind,
          plan_status: after.status,
        },
        finish: async () => ({ plan: adminPlanEntry(after) }),
      };
    },
  };
}

/**
 * Whether a plan grants more quota per dollar than before. A plan that could not be bought until now, or was of another
 * kind, is compared with the value of a dollar.
 */
export function grantsMore(before: Plan | null, after: NewPlan): boolean {
  const isComparable = before !== null && before.status === "active" && before.kind === after.kind;
  const [quota, cents] = isComparable ? [before.quota, toCents(before.priceUsd)] : [quotaPerUsd, 100n];
  return after.quota * cents > quota * toCents(after.priceUsd);
}

function planOf(input: PlanInput): NewPlan {
  return {
    planCode: input.plan_code,
    name: input.name,
    kind: input.kind,
    priceUsd: input.price_usd,
    quota: input.quota,
    description: input.description,
    features: input.features,
    sortOrder: input.sort_order,
    status: input.status,
  };
}
