import type { Decimal } from "@sluice/contracts/money";
import type { PlanTexts } from "@sluice/contracts/plan-texts";
import { and, asc, eq } from "drizzle-orm";
import { now, plusOne } from "../../db/expressions.ts";
import { plan } from "../../db/schema/billing.ts";
import { userGroup } from "../../db/schema/groups.ts";
import type { Queryable } from "../../platform/db.ts";
import type { PlanKind } from "../model.ts";

export type NewPlan = {
  readonly planCode: string;
  readonly name: string;
  readonly kind: PlanKind;
  readonly priceUsd: Decimal;
  readonly quota: bigint;
  readonly description: string;
  readonly features: readonly string[];
  /** In other languages; without it they stay as they are, and a new plan has none. */
  readonly texts?: PlanTexts | undefined;
  readonly sortOrder: number;
  readonly status: "active" | "hidden";
  /** For a monthly plan: the group of its buyers while their month lasts. */
  readonly groupName: string | null;
  /** Where buyers choose the amount: its bounds, and the amount that it is a multiple of. All of them or none. */
  readonly amountMinUsd: Decimal | null;
  readonly amountMaxUsd: Decimal | null;
  readonly amountStepUsd: Decimal | null;
  /** Whether the card gateway can charge for it every month. */
  readonly renews: boolean;
};

export type Plan = NewPlan & {
  readonly texts: PlanTexts;
  readonly groupMultiplier: Decimal | null;
  readonly version: number;
  readonly archivedAt: Date | null;
  readonly updatedAt: Date;
};

const columns = {
  planCode: plan.planCode,
  name: plan.name,
  kind: plan.kind,
  priceUsd: plan.priceUsd,
  quota: plan.quota,
  description: plan.description,
  features: plan.features,
  texts: plan.texts,
  sortOrder: plan.sortOrder,
  status: plan.status,
  groupName: plan.groupName,
  groupMultiplier: userGroup.multiplier,
  amountMinUsd: plan.amountMinUsd,
  amountMaxUsd: plan.amountMaxUsd,
  amountStepUsd: plan.amountStepUsd,
  renews: plan.renews,
  version: plan.version,
  archivedAt: plan.archivedAt,
  updatedAt: plan.updatedAt,
};

const selectPlans = (db: Queryable) =>
  db.drizzle.select(columns).from(plan).leftJoin(userGroup, eq(userGroup.name, plan.groupName));

export async function selectActivePlans(db: Queryable): Promise<Plan[]> {
  const rows = await selectPlans(db)
    .where(eq(plan.status, "active"))
    .orderBy(asc(plan.sortOrder), asc(plan.planCode))
    .limit(500);
  return rows as Plan[];
}

/** The plan under this code, if it can be bought. */
export async function findActivePlan(db: Queryable, planCode: string): Promise<Plan | null> {
  const [row] = await selectPlans(db).where(and(eq(plan.planCode, planCode), eq(plan.status, "active")));
  return (row ?? null) as Plan | null;
}

export async function lockPlan(tx: Queryable, planCode: string): Promise<Plan | null> {
  const [row] = await selectPlans(tx).where(eq(plan.planCode, planCode)).for("update", { of: plan });
  return (row ?? null) as Plan | null;
}

export async function hasGroup(tx: Queryable, name: string): Promise<boolean> {
  const rows = await tx.drizzle.select({ name: userGroup.name }).from(userGroup).where(eq(userGroup.name, name));
  return rows.length > 0;
}

/** Returns false when the code is taken. */
export async function insertPlan(tx: Queryable, made: NewPlan): Promise<boolean> {
  const rows = await tx.drizzle
    .insert(plan)
    .values({ ...made })
    .onConflictDoNothing({ target: plan.planCode })
    .returning({ id: plan.id });
  return rows.length > 0;
}

const firstVersion = 1;

/** Gives a plan its texts in other languages, if it has none and was never changed. */
export async function fillPlanTexts(tx: Queryable, { planCode, texts, kind, priceUsd, quota }: NewPlan): Promise<void> {
  await tx.drizzle
    .update(plan)
    .set({ texts, updatedAt: now })
    .where(
      and(
        eq(plan.planCode, planCode),
        eq(plan.version, firstVersion),
        eq(plan.texts, {}),
        eq(plan.kind, kind),
        eq(plan.priceUsd, priceUsd),
        eq(plan.quota, quota),
      ),
    );
}

export async function updatePlan(tx: Queryable, { planCode, ...to }: NewPlan): Promise<void> {
  await tx.drizzle
    .update(plan)
    .set({ ...to, version: plusOne(plan.version), updatedAt: now })
    .where(eq(plan.planCode, planCode));
}
