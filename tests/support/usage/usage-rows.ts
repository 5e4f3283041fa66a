import type { ApiKeyId, BudgetId, GatewayUserId, RequestId } from "@sluice/contracts/ids";
import type { Decimal, Quota } from "@sluice/contracts/money";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { type EncodedUsageRow, encodeUsageRow } from "@sluice/control-plane/usage/log/row-codec.ts";

/** A user with an API key, and the budgets of both. */
export type Customer = {
  readonly gatewayUserId: GatewayUserId;
  readonly apiKeyId: ApiKeyId;
  readonly userBudgetId: BudgetId;
  readonly keyBudgetId: BudgetId;
};

/** Creates a customer whose budgets were granted this much. */
export async function createCustomer(db: Database, granted: bigint): Promise<Customer> {
  const digest = crypto.getRandomValues(new Uint8Array(32));
  const [made] = await db.sql<{
    user_id: GatewayUserId;
    key_id: ApiKeyId;
    user_budget: BudgetId;
    key_budget: BudgetId;
  }>`
    with gateway_user as (insert into gateway_user default values returning id),
      api_key as (
        insert into api_key (gateway_user_id, key_hash, key_prefix, key_last_four, name)
        select id, ${digest}, 'sk-test', 'test', 'test' from gateway_user returning id
      ),
      user_budget as (insert into budget (gateway_user_id) select id from gateway_user returning id),
      key_budget as (insert into budget (api_key_id) select id from api_key returning id)
    select gateway_user.id as user_id, api_key.id as key_id, user_budget.id as user_budget, key_budget.id as key_budget
    from gateway_user, api_key, user_budget, key_budget`;
  if (made === undefined) {
    throw new Error("no customer was made");
  }
  for (const budgetId of [made.user_budget, made.key_budget]) {
    await db.sql`select grant_quota(${budgetId}::bigint, ${granted}::bigint, 'manual_adjust', ${`grant ${budgetId}`})`;
  }
  return {
    gatewayUserId: made.user_id,
    apiKeyId: made.key_id,
    userBudgetId: made.user_budget,
    keyBudgetId: made.key_budget,
  };
}

/** An ordinary call finished now, with a test's changes. */
export function usageRow(customer: Customer, changes: Partial<UsageRow> = {}): UsageRow {
  const startedAtMs = changes.startedAtMs ?? Date.now();
  return {
    ...customer,
    requestId: Bun.randomUUIDv7() as RequestId,
    day: utcDay(startedAtMs),
    groupName: "default",
    path: "/v1/chat/completions",
    model: "gpt-4o-mini",
    channelId: null,
    outcome: "completed",
    httpStatus: 200,
    errorCode: null,
    isStream: true,
    units: {
      ...noUnits,
      inputTokens: 1_200,
      outputTokens: 340,
    },
    usageSource: "provider",
    providerCost: null,
    cacheBasisPoints: null,
    askedModel: null,
    endUser: null,
    tags: [],
    sharedBudgetIds: [],
    isImplausible: false,
    priceVersion: 1,
    rateMultiplier: "1.0000" as Decimal,
    quota: 10n as Quota,
    quotaHeld: 1_000n as Quota,
    attempts: [
      { channelId: "3", channel: "primary", startedAtMs: 1, durationMs: 523, status: 200, result: "answered" },
    ],
    firstByteMs: 120,
    durationMs: 540,
    startedAtMs,
    ...changes,
  };
}

export function encoded(...rows: readonly UsageRow[]): EncodedUsageRow[] {
  return rows.map((row) => ({ row, json: encodeUsageRow(row) }));
}
