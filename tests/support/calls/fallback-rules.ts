import type { Database } from "@sluice/control-plane/platform/db.ts";
import { arrayLiteral } from "@sluice/control-plane/platform/db-array-literal.ts";

type RuleOptions = { readonly larger?: string; readonly isForEveryKey?: boolean; readonly group?: string };

/** Lets other models answer in place of one. */
export async function addFallbacks(
  db: Database,
  model: string,
  models: readonly string[],
  { larger, isForEveryKey = false, group }: RuleOptions = {},
): Promise<void> {
  await db.sql`
    insert into model_fallback (group_name, model, fallback_models, larger_model, is_for_every_key)
    values (${group ?? null}, ${model}, ${arrayLiteral(models)}::text[], ${larger ?? null}, ${isForEveryKey})`;
}

/** Lets other models answer the calls of a user's keys. */
export async function allowFallbacks(db: Database, gatewayUserId: bigint): Promise<void> {
  await db.sql`update api_key set is_fallback_allowed = true where gateway_user_id = ${gatewayUserId}::bigint`;
}
