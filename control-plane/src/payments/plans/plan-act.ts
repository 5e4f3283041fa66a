import { savePlanInput } from "@sluice/contracts/billing";
import { type Decimal, decimalToScaled, quotaPerUsd } from "@sluice/contracts/money";
import { times } from "@sluice/contracts/price-times";
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
        takesTwo: grantsMore(before, after) || isGroupCheaper(before, after),
        effects: {
          plan_code: after.planCode,
          ...(before === null
            ? {}
            : { price_before_usd: before.priceUsd, grant_before_quota: before.quota.toString() }),
          price_after_usd: after.priceUsd,
          grant_after_quota: after.quota.toString(),
          plan_kind: after.kind,
          ...(after.amountMinUsd === null
            ? {}
            : { amount_from_usd: after.amountMinUsd, amount_to_usd: after.amountMaxUsd ?? "" }),
          plan_status: after.status,
          ...(after.groupName === null ? {} : { group: after.groupName, multiplier_after: multiplierOf(after) }),
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

const multiplierScale = 6;
const one = "1" as Decimal;
const multiplierOf = ({ groupMultiplier }: Plan): Decimal => times(groupMultiplier ?? one, one);

/** Whether calls cost less with the plan than they did before. */
export function isGroupCheaper(before: Plan | null, after: Plan): boolean {
  const scaledOf = (plan: Plan | null) => decimalToScaled(plan?.groupMultiplier ?? one, multiplierScale);
  const isNew = before === null || before.status !== "active";
  return scaledOf(after) < (isNew ? scaledOf(null) : scaledOf(before));
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
    texts: input.texts,
    sortOrder: input.sort_order,
    status: input.status,
    groupName: input.group_name,
    amountMinUsd: input.own_amount?.min_usd ?? null,
    amountMaxUsd: input.own_amount?.max_usd ?? null,
    amountStepUsd: input.own_amount?.step_usd ?? null,
    renews: input.renews,
  };
}
