import type { PlanNames } from "@sluice/contracts/plan-texts";
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { plan } from "../../db/schema/billing.ts";

/** Names its table even in a statement with a single one: inside the subquery, the bare name would be a column of the plan. */
const qualified = (column: AnyColumn): SQL => sql`${column.table}.${sql.identifier(column.name)}`;

/** What a plan is called now; its code if it no longer exists. */
export const currentName = (code: AnyColumn): SQL<string> =>
  sql<string>`coalesce((select p.name from ${plan} p where p.plan_code = ${qualified(code)}), ${qualified(code)})`;

const namesOf = (code: AnyColumn, condition: SQL): SQL<PlanNames> => sql<PlanNames>`coalesce((
  select jsonb_object_agg(t.key, t.value -> 'name') from ${plan} p, jsonb_each(p.texts) t
  where p.plan_code = ${qualified(code)} and t.value ? 'name' and ${condition}), '{}'::jsonb)`;

/** What a plan is called now, by language. */
export const currentNames = (code: AnyColumn): SQL<PlanNames> => namesOf(code, sql`true`);

/** By language, what was bought under a name; nothing once the plan is called something else. */
export const namesOfBought = (code: AnyColumn, name: AnyColumn): SQL<PlanNames> =>
  namesOf(code, sql`p.name = ${qualified(name)}`);
