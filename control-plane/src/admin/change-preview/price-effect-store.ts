import type { PriceEffect } from "@sluice/contracts/change-preview";
import { type Decimal, quotaPerUsd } from "@sluice/contracts/money";
import { consequenceNamesMax } from "@sluice/contracts/previewed-operations";
import { countColumns, priceColumns, tokenColumns } from "@sluice/contracts/priced-units";
import { eq } from "drizzle-orm";
import { plan } from "../../db/schema/billing.ts";
import { userGroup } from "../../db/schema/groups.ts";
import { amountPlaces, type PriceTexts } from "../../models/model.ts";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";

export type PriceRow = PriceTexts & { readonly valid_from: Date };

/** The newest versions of a model's price, the newest first. */
export async function readPriceRows(db: Queryable, model: string, max: number): Promise<PriceRow[]> {
  return await db.query<PriceRow>(
    `select version, valid_from, long_prompt, ${priceColumns.join(", ")} from model_price
     where model = $1 and valid_from <= now() order by version desc limit $2`,
    [model, max],
  );
}

/** A version of a price, how long it was valid, and SQL for what counts cost at it. */
export type PricedSpan = {
  readonly version: number;
  /** Null for the oldest one. */
  readonly from: Date | null;
  /** Null for the current one. */
  readonly until: Date | null;
  readonly cost: string;
};

type ModelQuestion = {
  readonly days: number;
  readonly spans: readonly PricedSpan[];
  /** SQL for the cost at the new prices. */
  readonly cost: string;
  /** Whether tokens are all that costs: only then do the sums of accounts have all counts. */
  readonly isByToken: boolean;
};

type Row = {
  readonly name: string | null;
  readonly gateway_user_id: bigint;
  readonly charged: bigint;
  readonly would_charge: bigint;
  readonly all_calls: bigint;
  readonly all_charged: bigint;
  readonly all_would_charge: bigint;
};

type Effect = Omit<PriceEffect, "is_exact">;

const largest = `
  select coalesce(p.email, o.name) as name, e.gateway_user_id, e.charged::bigint, e.would_charge::bigint,
    (sum(e.calls) over ())::bigint as all_calls, (sum(e.charged) over ())::bigint as all_charged,
    (sum(e.would_charge) over ())::bigint as all_would_charge
  from each_account e
  left join user_profile p on p.gateway_user_id = e.gateway_user_id
  left join organisation o on o.gateway_user_id = e.gateway_user_id
  order by abs(e.would_charge - e.charged) desc, e.gateway_user_id limit ${consequenceNamesMax}`;

function toEffect(rows: readonly Row[], hasNames: boolean): Effect {
  const [first] = rows;
  return {
    of: "calls",
    count: first?.all_calls ?? 0n,
    charged: first?.all_charged ?? 0n,
    would_charge: first?.all_would_charge ?? 0n,
    accounts: hasNames
      ? rows
          .filter(({ charged, would_charge: would }) => charged !== would)
          .map(({ name, gateway_user_id: id, charged, would_charge }) => ({
            name: name ?? `account ${id}`,
            ...{ charged, would_charge },
          }))
      : [],
  };
}

/**
 * What the calls of a model were charged, and would have been at other prices: each account's sums cost so many times
 * more or less than at the prices of their time, whatever its multipliers are. Of a model that was free, the price alone.
 */
export async function readModelEffect(db: Queryable, model: string, asked: ModelQuestion): Promise<Effect> {
  const { spans, cost, isByToken, days } = asked;
  const columns = isByToken ? tokenColumns : countColumns;
  const from = isByToken
    ? "usage_user_sum s"
    : "(select *, completed + aborted as delivered from usage_rollup where slice = 'route_hours') s";
  const grain = isByToken ? "s.grain = 'hours' and" : "";
  const was = spans.map((span, index) => `when ${index} then ${span.cost}`).join(" ");
  const rows = await db.query<Row>(
    `with used as (
       select s.gateway_user_id, v.at, sum(s.calls) as calls, sum(s.settled_quota) as settled,
         ${isByToken ? "0" : "sum(s.delivered)"}::numeric as requests,
         ${columns.map((column) => `sum(s.${column})::numeric as ${column}`).join(", ")}
       from ${from}
       join unnest($2::timestamptz[], $3::timestamptz[]) with ordinality v (from_at, until_at, at)
         on s.starts_at >= v.from_at and s.starts_at < v.until_at
       where ${grain} s.model = $1 and s.starts_at >= now() - make_interval(days => $4)
       group by s.gateway_user_id, v.at
     ), costed as (
       select gateway_user_id, calls, settled, case at - 1 ${was} end as was, ${cost} as will from used
     ), each_account as (
       select gateway_user_id, sum(calls) as calls, sum(settled) as charged, sum(case when was > 0
         then div(settled * will + was - 1, was)
         else div(will * ${quotaPerUsd} + 1e${amountPlaces}::numeric - 1, 1e${amountPlaces}::numeric) end) as would_charge
       from costed group by gateway_user_id
     ) ${largest}`,
    [
      model,
      arrayLiteral(spans.map(({ from: at }) => at?.toISOString() ?? "-infinity")),
      arrayLiteral(spans.map(({ until }) => until?.toISOString() ?? "infinity")),
      days,
    ],
  );
  return toEffect(rows, isByToken);
}

export async function readGroupMultiplier(db: Queryable, name: string): Promise<Decimal | null> {
  const [row] = await db.drizzle
    .select({ multiplier: userGroup.multiplier })
    .from(userGroup)
    .where(eq(userGroup.name, name));
  return (row?.multiplier ?? null) as Decimal | null;
}

/**
 * The same of calls with keys that use a group now, at another multiplier.
 * @param asked the multipliers, scaled alike
 */
export async function readGroupEffect(
  db: Queryable,
  group: string,
  asked: { readonly days: number; readonly from: bigint; readonly to: bigint },
): Promise<PriceEffect> {
  const rows = await db.query<Row>(
    `with used as (
       select s.gateway_user_id, k.group_name as key_group, sum(s.calls) as calls, sum(s.settled_quota) as settled,
         sum(s.quota) as base
       from usage_user_sum s join api_key k on k.id = s.api_key_id
       where s.grain = 'hours' and s.starts_at >= now() - make_interval(days => $2)
         and (k.group_name = $1 or (k.group_name is null and s.gateway_user_id in (
           select gateway_user_id from group_of_user where group_name = $1 and source <> 'public')))
       group by s.gateway_user_id, k.group_name
     ), each_account as (
       select u.gateway_user_id, sum(u.calls) as calls, sum(u.settled) as charged, sum(case when $3::numeric > 0
         then div(u.settled * $4::numeric + $3::numeric - 1, $3::numeric)
         else ceil(u.base * a.rate_multiplier * $4::numeric / 1000000) end) as would_charge
       from used u join gateway_user a on a.id = u.gateway_user_id
       cross join lateral key_group(u.gateway_user_id, u.key_group) g
       where g.group_name = $1 group by u.gateway_user_id
     ) ${largest}`,
    [group, asked.days, String(asked.from), String(asked.to)],
  );
  return { ...toEffect(rows, true), is_exact: true };
}

export async function readPlanPrice(db: Queryable, code: string): Promise<Decimal | null> {
  const [row] = await db.drizzle.select({ price: plan.priceUsd }).from(plan).where(eq(plan.planCode, code));
  return (row?.price ?? null) as Decimal | null;
}

/** What purchases of a plan at its price were for, and would have been at another; discounts aside. */
export async function readPlanEffect(
  db: Queryable,
  code: string,
  asked: { readonly days: number; readonly price: Decimal },
): Promise<PriceEffect> {
  const [row] = await db.query<{ count: bigint; charged: bigint; would_charge: bigint }>(
    `select count(*) as count, coalesce(sum(amount_usd) * ${quotaPerUsd}, 0)::bigint as charged,
       (count(*) * $3::numeric * ${quotaPerUsd})::bigint as would_charge
     from sales_order where plan_code = $1 and status = 'settled' and chosen_usd is null and not is_mock
       and pay_channel <> 'code' and settled_at >= now() - make_interval(days => $2)`,
    [code, asked.days, asked.price],
  );
  const { count = 0n, charged = 0n, would_charge = 0n } = row ?? {};
  return { of: "purchases", count, charged, would_charge, is_exact: true, accounts: [] };
}
