import type { Decimal } from "@sluice/contracts/money";
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
  readonly sortOrder: number;
  readonly status: "active" | "hidden";
};

export type Plan = NewPlan & { readonly version: number; readonly updatedAt: Date };

type PlanRow = {
  plan_code: string;
  name: string;
  kind: PlanKind;
  price_usd: string;
  quota: bigint;
  description: string;
  features: string[];
  sort_order: number;
  status: Plan["status"];
  version: number;
  updated_at: Date;
};

function toPlan(row: PlanRow): Plan {
  return {
    planCode: row.plan_code,
    name: row.name,
    kind: row.kind,
    priceUsd: row.price_usd as Decimal,
    quota: row.quota,
    description: row.description,
    features: row.features,
    sortOrder: row.sort_order,
    status: row.status,
    version: row.version,
    updatedAt: row.updated_at,
  };
}

export async function selectActivePlans(db: Queryable): Promise<Plan[]> {
  const rows = await db.sql<PlanRow>`
    select plan_code, name, kind, price_usd, quota, description, features, sort_order, status, version, updated_at
    from plan where status = 'active' order by sort_order, plan_code limit 500`;
  return rows.map(toPlan);
}

export async function lockPlan(tx: Queryable, planCode: string): Promise<Plan | null> {
  const [row] = await tx.sql<PlanRow>`
    select plan_code, name, kind, price_usd, quota, description, features, sort_order, status, version, updated_at
    from plan where plan_code = ${planCode} for update`;
  return row === undefined ? null : toPlan(row);
}

/** Returns false when the code is taken. */
export async function insertPlan(tx: Queryable, plan: NewPlan): Promise<boolean> {
  const rows = await tx.sql`
    insert into plan (plan_code, name, kind, price_usd, quota, description, features, sort_order, status)
    values (${plan.planCode}, ${plan.name}, ${plan.kind}, ${plan.priceUsd}::numeric, ${plan.quota}::bigint,
      ${plan.description}, ${JSON.stringify(plan.features)}::text::jsonb, ${plan.sortOrder}::int, ${plan.status})
    on conflict (plan_code) do nothing returning 1`;
  return rows.length > 0;
}

export async function updatePlan(tx: Queryable, plan: NewPlan): Promise<void> {
  await tx.sql`
    update plan set name = ${plan.name}, kind = ${plan.kind}, price_usd = ${plan.priceUsd}::numeric,
      quota = ${plan.quota}::bigint, description = ${plan.description},
      features = ${JSON.stringify(plan.features)}::text::jsonb, sort_order = ${plan.sortOrder}::int,
      status = ${plan.status}, version = version + 1, updated_at = now()
    where plan_code = ${plan.planCode}`;
}
