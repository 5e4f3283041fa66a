import type { GatewayUserId } from "@sluice/contracts/ids";
import type { UsageView } from "@sluice/contracts/usage";
import type { PriceTexts } from "../../models/model.ts";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { Attempt } from "../log/model.ts";
import type { UsageFilter, UsagePart } from "./model.ts";

/** After every row that there can be. */
const beforeAll = { day: "9999-12-31", requestId: "ffffffff-ffff-ffff-ffff-ffffffffffff" };

/** A page of calls of one user, newest first. Reads one partition after the other until the page is full. */
export async function listUsage(
  db: Queryable,
  filter: UsageFilter,
  page: { readonly cursor: { readonly day: string; readonly requestId: string } | null; readonly limit: number },
): Promise<UsageView[]> {
  const { gatewayUserId, fromDay, toDay, zone, keyId, model, outcome } = filter;
  const { day, requestId } = page.cursor ?? beforeAll;
  return await db.sql<UsageView>`
    select u.request_id::text as request_id, u.day::text as day, u.started_at, u.path, u.model, u.api_key_id as key_id,
      coalesce(k.name, '') as key_name, u.outcome, u.http_status, u.error_code, u.is_stream, u.input_tokens,
      u.output_tokens, u.cache_read_tokens, u.cache_write_tokens, u.reasoning_tokens, u.images, u.audio_ms,
      u.usage_source, u.is_implausible, u.quota, u.rate_multiplier, ceil(u.quota * u.rate_multiplier)::bigint as settled_quota,
      u.first_byte_ms, u.duration_ms
    from usage_log u
    left join api_key k on k.id = u.api_key_id
    where u.gateway_user_id = ${gatewayUserId}::bigint
      and u.day between ${fromDay}::date - 1 and least(${toDay}::date + 1, ${day}::date)
      and (u.day, u.request_id) < (${day}::date, ${requestId}::uuid)
      and u.started_at >= ${fromDay}::date::timestamp at time zone ${zone}::text
      and u.started_at < (${toDay}::date + 1)::timestamp at time zone ${zone}::text
      and (${keyId}::bigint is null or u.api_key_id = ${keyId}::bigint)
      and (${model}::text is null or u.model = ${model}::text)
      and (${outcome}::text is null or u.outcome = ${outcome}::text)
    order by u.day desc, u.request_id desc limit ${page.limit}::integer`;
}

/** Sums by day of the zone and by model, and sums by key. */
export async function sumUsage(db: Queryable, filter: UsageFilter): Promise<UsagePart[]> {
  const { gatewayUserId, fromDay, toDay, zone, keyId, model, outcome } = filter;
  return await db.sql<UsagePart>`
    with calls as (
      select (u.started_at at time zone ${zone}::text)::date::text as day, u.model, u.api_key_id as key_id, u.outcome,
        u.input_tokens, u.output_tokens, u.cache_read_tokens, u.cache_write_tokens, u.reasoning_tokens, u.quota,
        ceil(u.quota * u.rate_multiplier) as settled_quota
      from usage_log u
      where u.gateway_user_id = ${gatewayUserId}::bigint
        and u.day between ${fromDay}::date - 1 and ${toDay}::date + 1
        and u.started_at >= ${fromDay}::date::timestamp at time zone ${zone}::text
        and u.started_at < (${toDay}::date + 1)::timestamp at time zone ${zone}::text
        and (${keyId}::bigint is null or u.api_key_id = ${keyId}::bigint)
        and (${model}::text is null or u.model = ${model}::text)
        and (${outcome}::text is null or u.outcome = ${outcome}::text)
    ), sums as (
      select case when grouping(day) = 0 then 'model' else 'key' end as kind, day, model, key_id, count(*) as calls,
        count(*) filter (where outcome = 'completed') as completed_calls, sum(input_tokens)::bigint as input_tokens,
        sum(output_tokens)::bigint as output_tokens, sum(cache_read_tokens)::bigint as cache_read_tokens,
        sum(cache_write_tokens)::bigint as cache_write_tokens, sum(reasoning_tokens)::bigint as reasoning_tokens,
        sum(quota)::bigint as quota, sum(settled_quota)::bigint as settled_quota
      from calls group by grouping sets ((day, model), (key_id))
    )
    select s.*, coalesce(k.name, '') as key_name from sums s left join api_key k on k.id = s.key_id
    order by s.day, s.model`;
}

export type PricedCall = {
  readonly view: UsageView;
  readonly attempts: readonly Attempt[];
  /** The prices at which it was charged; null for a call that never had a model. */
  readonly prices: PriceTexts | null;
};

type PricedRow = UsageView & {
  attempts: readonly Attempt[];
  version: number | null;
  input: string | null;
  output: string | null;
  cache_read: string | null;
  cache_write: string | null;
  reasoning: string | null;
  request: string | null;
  image: string | null;
  second: string | null;
};

/** One call of a user with the prices of its time, looked for on these days. */
export async function findPricedCall(
  db: Queryable,
  gatewayUserId: GatewayUserId,
  requestId: string,
  days: readonly string[],
): Promise<PricedCall | null> {
  const [row] = await db.sql<PricedRow>`
    select u.request_id::text as request_id, u.day::text as day, u.started_at, u.path, u.model, u.api_key_id as key_id,
      coalesce(k.name, '') as key_name, u.outcome, u.http_status, u.error_code, u.is_stream, u.input_tokens,
      u.output_tokens, u.cache_read_tokens, u.cache_write_tokens, u.reasoning_tokens, u.images, u.audio_ms,
      u.usage_source, u.is_implausible, u.quota, u.rate_multiplier, ceil(u.quota * u.rate_multiplier)::bigint as settled_quota,
      u.first_byte_ms, u.duration_ms, u.attempts, p.version, p.input_usd_per_m as input, p.output_usd_per_m as output,
      p.cache_read_usd_per_m as cache_read, p.cache_write_usd_per_m as cache_write, p.reasoning_usd_per_m as reasoning,
      p.request_usd as request, p.image_usd as image, p.second_usd as second
    from usage_log u
    left join api_key k on k.id = u.api_key_id
    left join model_price p on p.model = u.model and p.version = u.price_version
    where u.day = any (${arrayLiteral(days)}::date[]) and u.request_id = ${requestId}::uuid
      and u.gateway_user_id = ${gatewayUserId}::bigint`;
  return row === undefined ? null : toPricedCall(row);
}

function toPricedCall(row: PricedRow): PricedCall {
  const { attempts, version, input, output, cache_read, cache_write, reasoning, request, image, second, ...view } = row;
  if (version === null || input === null || output === null) {
    return { view, attempts, prices: null };
  }
  return {
    view,
    attempts,
    prices: {
      version,
      input,
      output,
      cacheRead: cache_read,
      cacheWrite: cache_write,
      reasoning,
      request: request ?? "0",
      image: image ?? "0",
      second: second ?? "0",
    },
  };
}
