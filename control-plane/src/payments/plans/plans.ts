import type { Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { proposeTerms } from "../renewals/renewal-store.ts";
import { firstPlanTexts } from "./first-plan-texts.ts";
import { findAmountFault } from "./plan-amount.ts";
import { fillPlanTexts, hasGroup, insertPlan, lockPlan, type NewPlan, type Plan, updatePlan } from "./plan-store.ts";

/**
 * Creates a plan, or changes the one that was loaded as `version`. Existing orders keep their terms; subscriptions that
 * renew keep theirs until their customers were told of the new ones.
 * @throws AppError `conflict` when it exists already, or was changed since it was loaded; `invalid_value` for a group that
 * does not exist, or of a plan without a month to end, and for bounds of an amount that do not fit
 */
export async function savePlan(
  tx: Transaction,
  plan: NewPlan,
  version: number | null,
): Promise<{ readonly before: Plan | null; readonly after: Plan }> {
  await checkGroup(tx, plan);
  const fault = findAmountFault(plan);
  if (fault !== null) {
    throw new AppError("invalid_value", { fields: { [fault.field]: fault.text } });
  }
  const before = await lockPlan(tx, plan.planCode);
  if ((before?.version ?? null) !== version) {
    throw new AppError("conflict");
  }
  if (before?.archivedAt != null) {
    throw new AppError("conflict", { message: "This plan is archived. Restore it first." });
  }
  if (plan.renews && plan.kind !== "monthly") {
    throw new AppError("invalid_value", { fields: { renews: "Only a monthly plan can renew." } });
  }
  if (before === null) {
    // Another request may have created it since our check.
    if (!(await insertPlan(tx, plan))) {
      throw new AppError("conflict");
    }
  } else {
    await updatePlan(tx, plan);
    await proposeTerms(tx, plan.planCode, { ...plan, planName: plan.name });
  }
  const after = await lockPlan(tx, plan.planCode);
  if (after === null) {
    throw new Error(`plan ${plan.planCode} is missing after it was saved`);
  }
  return { before, after };
}

async function checkGroup(tx: Transaction, { groupName, kind }: NewPlan): Promise<void> {
  if (groupName !== null && kind !== "monthly") {
    throw new AppError("invalid_value", { fields: { group_name: "Only a monthly plan can have a group." } });
  }
  if (groupName !== null && !(await hasGroup(tx, groupName))) {
    throw new AppError("invalid_value", {
      fields: { group_name: `The group ${groupName} does not exist. Create it first.` },
    });
  }
}

const fixedPrice = { renews: false, amountMinUsd: null, amountMaxUsd: null, amountStepUsd: null };

const firstPlans: readonly NewPlan[] = [
  {
    planCode: "credit-10",
    name: "Top-up 10",
    kind: "wallet_balance",
    priceUsd: "10.00" as NewPlan["priceUsd"],
    quota: 5_000_000n,
    description: "10 USD of balance that does not expire.",
    features: ["All models", "Pay as you go"],
    texts: firstPlanTexts("credit-10"),
    sortOrder: 10,
    status: "active",
    groupName: null,
    ...fixedPrice,
  },
  {
    planCode: "credit-50",
    name: "Top-up 50",
    kind: "wallet_balance",
    priceUsd: "50.00" as NewPlan["priceUsd"],
    quota: 26_000_000n,
    description: "52 USD of balance for 50 USD.",
    features: ["All models", "Pay as you go"],
    texts: firstPlanTexts("credit-50"),
    sortOrder: 20,
    status: "active",
    groupName: null,
    ...fixedPrice,
  },
  {
    planCode: "monthly-20",
    name: "Monthly 20",
    kind: "monthly",
    priceUsd: "20.00" as NewPlan["priceUsd"],
    quota: 12_000_000n,
    description: "24 USD of balance for a month; the unused part expires.",
    features: ["All models", "Does not renew automatically"],
    texts: firstPlanTexts("monthly-20"),
    sortOrder: 30,
    status: "active",
    groupName: null,
    ...fixedPrice,
  },
  {
    planCode: "credit-any",
    name: "Any amount",
    kind: "wallet_balance",
    priceUsd: "1.00" as NewPlan["priceUsd"],
    quota: 500_000n,
    description: "Balance that does not expire, for the amount that you choose.",
    features: ["All models", "Pay as you go"],
    texts: firstPlanTexts("credit-any"),
    sortOrder: 40,
    status: "active",
    groupName: null,
    amountMinUsd: "5.00" as NewPlan["priceUsd"],
    amountMaxUsd: "1000.00" as NewPlan["priceUsd"],
    amountStepUsd: "1.00" as NewPlan["priceUsd"],
    renews: false,
  },
];

/**
 * The plans of a first start. Existing ones stay as they are, but those that nobody has changed since an earlier release made them get
 * their texts in other languages.
 */
export async function addFirstPlans(tx: Transaction): Promise<void> {
  for (const plan of firstPlans) {
    if (!(await insertPlan(tx, plan))) {
      await fillPlanTexts(tx, plan);
    }
  }
}
