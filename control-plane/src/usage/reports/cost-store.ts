import {
  countColumns,
  dearerThan,
  type PricedUnit,
  partsOf,
  priceColumns,
  pricedUnits,
  unitMeasures,
  wholeOf,
} from "@sluice/contracts/priced-units";
import type { SaveChannelCostInput } from "@sluice/contracts/reports";
import type { Queryable } from "../../platform/db.ts";
import type { Span } from "./range.ts";
import { piecesTable, pieceValues } from "./usage-sums-store.ts";

export type ChannelCost = Omit<SaveChannelCostInput, never> & {
  readonly channel_name: string;
  readonly updated_at: Date;
};

const columns = `c.channel_id, h.name as channel_name, c.model, c.valid_from::text as valid_from,
  ${priceColumns.map((price) => `c.${price}`).join(", ")}, c.updated_at`;

/** All costs that were ever entered, the newest of each channel and model first. */
export async function listCosts(db: Queryable): Promise<ChannelCost[]> {
  return await db.query<ChannelCost>(
    `select ${columns} from channel_cost c join channel h on h.id = c.channel_id
     order by h.name, c.model, c.valid_from desc limit 10000`,
    [],
  );
}

export async function findCost(
  db: Queryable,
  { channel_id, model, valid_from }: Pick<SaveChannelCostInput, "channel_id" | "model" | "valid_from">,
): Promise<ChannelCost | null> {
  const [row] = await db.query<ChannelCost>(
    `select ${columns} from channel_cost c join channel h on h.id = c.channel_id
     where c.channel_id = $1::bigint and c.model = $2 and c.valid_from = $3::text::date`,
    [channel_id, model, valid_from],
  );
  return row ?? null;
}

const enterCost = `
  insert into channel_cost (channel_id, model, valid_from, ${priceColumns.join(", ")})
  select c.id, m.name, $3::text::date, ${priceColumns.map((_, index) => `$${index + 4}::numeric`).join(", ")}
  from channel c, model m where c.id = $1::bigint and m.name = $2
  on conflict (channel_id, model, valid_from) do update set
    ${priceColumns.map((price) => `${price} = excluded.${price}`).join(", ")}, updated_at = now()
  returning 1`;

/** Enters a cost; false when the channel or model does not exist. */
export async function upsertCost(db: Queryable, cost: SaveChannelCostInput): Promise<boolean> {
  const prices = priceColumns.map((price) => cost[price]);
  const rows = await db.query(enterCost, [cost.channel_id, cost.model, cost.valid_from, ...prices]);
  return rows.length > 0;
}

export type MarginSums = {
  readonly calls: bigint;
  readonly charged_usd: string;
  readonly cost_usd: string;
  readonly margin_usd: string;
  readonly calls_without_cost: bigint;
  readonly charged_without_cost_usd: string;
  readonly calls_with_reported_cost: bigint;
  readonly reported_cost_usd: string;
  readonly charged_beyond_reported_usd: string;
};

export type MarginPart = MarginSums & {
  readonly bar: number | null;
  readonly key: string | null;
  readonly name: string | null;
};

const keys = {
  day: ["bar", "null::text", "null::text"],
  model: ["null::integer", "nullif(model, '')", "nullif(model, '')"],
  provider: ["null::integer", "nullif(channel_id, 0)::text", "channel_name"],
} as const;

/**
 * What a unit's counts `p` cost at the prices `c`. Its parts are counted separately; only what was delivered is paid.
 */
function costSql(unit: PricedUnit): string {
  const parts = partsOf(unit).map((part) => ` - p.${part.count}`);
  const plain = unit.count === null ? "p.delivered" : `p.${unit.count}`;
  const count = parts.length === 0 ? plain : `greatest(${plain}${parts.join("")}, 0)`;
  const other = dearerThan(unit);
  // The greater of two prices is the one that is there, if only one is.
  const whole = other === null ? `c.${wholeOf(unit).price}` : `greatest(c.${wholeOf(unit).price}, c.${other.price})`;
  const price = unit.unpriced === "as_whole" ? `coalesce(c.${unit.price}, ${whole})` : `c.${unit.price}`;
  return `${count} * ${price} / ${unitMeasures[unit.measure].perPrice}`;
}

/**
 * What calls were charged compared with what their providers charge, in US dollars with eight places. Sums are
 * multiplied by the cost of their UTC day. A call that delivered nothing costs nothing, nor does one that no provider
 * served, such as a response from the cache.
 */
export async function sumMargin(
  db: Queryable,
  span: Span,
  { by, starts }: { readonly by: keyof typeof keys; readonly starts: readonly Date[] },
): Promise<MarginPart[]> {
  const [bar, key, name] = keys[by];
  // Separate bars are queried only where they are shown, because fewer sums have to be read without them.
  const spans = by === "day" ? starts.map((from, index) => ({ from, to: starts[index + 1] ?? span.to })) : [span];
  return await db.query<MarginPart>(
    `with part as (
       select bar, (starts_at at time zone 'UTC')::date as utc_day, model, channel_id, sum(calls) as calls,
         sum(completed + aborted) as delivered, ${countColumns.map((count) => `sum(${count}) as ${count}`).join(", ")},
         sum(settled_quota) as settled_quota, sum(provider_cost_usd) as provider_cost_usd,
         sum(provider_cost_calls) as provider_cost_calls, sum(provider_cost_quota) as provider_cost_quota
       from ${piecesTable} cross join lateral (
         select * from usage_rollup r
         where r.slice = p.slice and r.starts_at >= p.from_at and r.starts_at < p.to_at offset 0
       ) part
       group by 1, 2, 3, 4
     ), costed as (
       select p.*, h.name as channel_name, c.input_usd_per_m is not null or p.delivered = 0 or p.channel_id = 0 as is_known,
         p.settled_quota::numeric / 500000 as charged,
         coalesce(${pricedUnits.map(costSql).join(" + ")}, 0) as cost
       from part p
       left join channel h on h.id = p.channel_id
       left join lateral (
         select * from channel_cost c where c.channel_id = p.channel_id and c.model = p.model and c.valid_from <= p.utc_day
         order by c.valid_from desc limit 1
       ) c on true
     )
     select ${bar} as bar, ${key} as key, ${name} as name, sum(calls)::bigint as calls,
       sum(charged)::numeric(30,8)::text as charged_usd, sum(cost)::numeric(30,8)::text as cost_usd,
       (coalesce(sum(charged) filter (where is_known), 0)::numeric(30,8) - sum(cost)::numeric(30,8))::text as margin_usd,
       coalesce(sum(delivered) filter (where not is_known), 0)::bigint as calls_without_cost,
       coalesce(sum(charged) filter (where not is_known), 0)::numeric(30,8)::text as charged_without_cost_usd,
       sum(provider_cost_calls)::bigint as calls_with_reported_cost,
       sum(provider_cost_usd)::numeric(30,8)::text as reported_cost_usd,
       ((sum(provider_cost_quota)::numeric / 500000)::numeric(30,8) - sum(provider_cost_usd)::numeric(30,8))::text
         as charged_beyond_reported_usd
     from costed group by 1, 2, 3 order by sum(charged) desc, 2`,
    pieceValues("route", spans),
  );
}
