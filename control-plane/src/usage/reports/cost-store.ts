import type { SaveChannelCostInput } from "@sluice/contracts/reports";
import type { Queryable } from "../../platform/db.ts";
import type { Span } from "./range.ts";
import { piecesTable, pieceValues } from "./usage-sums-store.ts";

export type ChannelCost = Omit<SaveChannelCostInput, never> & {
  readonly channel_name: string;
  readonly updated_at: Date;
};

const columns = `c.channel_id, h.name as channel_name, c.model, c.valid_from::text as valid_from, c.input_usd_per_m,
  c.output_usd_per_m, c.cache_read_usd_per_m, c.cache_write_usd_per_m, c.reasoning_usd_per_m, c.request_usd, c.image_usd,
  c.second_usd, c.updated_at`;

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

/** Enters a cost; false when there is no such channel or model. */
export async function upsertCost(db: Queryable, cost: SaveChannelCostInput): Promise<boolean> {
  const rows = await db.sql`
    insert into channel_cost (channel_id, model, valid_from, input_usd_per_m, output_usd_per_m, cache_read_usd_per_m,
      cache_write_usd_per_m, reasoning_usd_per_m, request_usd, image_usd, second_usd)
    select c.id, m.name, ${cost.valid_from}::text::date, ${cost.input_usd_per_m}::numeric,
      ${cost.output_usd_per_m}::numeric, ${cost.cache_read_usd_per_m}::numeric, ${cost.cache_write_usd_per_m}::numeric,
      ${cost.reasoning_usd_per_m}::numeric, ${cost.request_usd}::numeric, ${cost.image_usd}::numeric,
      ${cost.second_usd}::numeric
    from channel c, model m where c.id = ${cost.channel_id}::bigint and m.name = ${cost.model}
    on conflict (channel_id, model, valid_from) do update set
      input_usd_per_m = excluded.input_usd_per_m, output_usd_per_m = excluded.output_usd_per_m,
      cache_read_usd_per_m = excluded.cache_read_usd_per_m, cache_write_usd_per_m = excluded.cache_write_usd_per_m,
      reasoning_usd_per_m = excluded.reasoning_usd_per_m, request_usd = excluded.request_usd,
      image_usd = excluded.image_usd, second_usd = excluded.second_usd, updated_at = now()
    returning 1`;
  return rows.length > 0;
}

export type MarginSums = {
  readonly calls: bigint;
  readonly charged_usd: string;
  readonly cost_usd: string;
  readonly margin_usd: string;
  readonly calls_without_cost: bigint;
  readonly charged_without_cost_usd: string;
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
 * What calls were charged beside what their providers take, in US dollars with eight places. Sums are multiplied with the
 * cost of their UTC day. A call that delivered nothing costs nothing.
 */
export async function sumMargin(
  db: Queryable,
  span: Span,
  { by, starts }: { readonly by: keyof typeof keys; readonly starts: readonly Date[] },
): Promise<MarginPart[]> {
  const [bar, key, name] = keys[by];
  // Bars are told apart only where they are shown: together they are fewer sums.
  const spans = by === "day" ? starts.map((from, index) => ({ from, to: starts[index + 1] ?? span.to })) : [span];
  return await db.query<MarginPart>(
    `with part as (
       select bar, (starts_at at time zone 'UTC')::date as utc_day, model, channel_id, sum(calls) as calls, sum(completed + aborted) as delivered, sum(input_tokens) as input_tokens,
         sum(output_tokens) as output_tokens, sum(cache_read_tokens) as cache_read, sum(cache_write_tokens) as cache_write,
         sum(reasoning_tokens) as reasoning, sum(images) as images, sum(audio_ms) as audio_ms,
         sum(settled_quota) as settled_quota
       from ${piecesTable} cross join lateral (
         select * from usage_rollup r
         where r.slice = p.slice and r.starts_at >= p.from_at and r.starts_at < p.to_at offset 0
       ) part
       group by 1, 2, 3, 4
     ), costed as (
       select p.*, h.name as channel_name, c.input_usd_per_m is not null or p.delivered = 0 as is_known,
         p.settled_quota::numeric / 500000 as charged,
         coalesce((greatest(p.input_tokens - p.cache_read - p.cache_write, 0) * c.input_usd_per_m
           + p.cache_read * coalesce(c.cache_read_usd_per_m, c.input_usd_per_m)
           + p.cache_write * coalesce(c.cache_write_usd_per_m, c.input_usd_per_m)
           + greatest(p.output_tokens - p.reasoning, 0) * c.output_usd_per_m
           + p.reasoning * coalesce(c.reasoning_usd_per_m, c.output_usd_per_m)) / 1000000
           + p.delivered * c.request_usd + p.images * c.image_usd + p.audio_ms * c.second_usd / 1000, 0) as cost
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
       coalesce(sum(charged) filter (where not is_known), 0)::numeric(30,8)::text as charged_without_cost_usd
     from costed group by 1, 2, 3 order by sum(charged) desc, 2`,
    pieceValues("route", spans),
  );
}
