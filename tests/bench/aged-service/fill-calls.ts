import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import type { Queryable } from "@sluice/control-plane/platform/db.ts";
import type { AgedSizes } from "./sizes.ts";

/** Roughly the size of a settlement batch. */
const rowsOfBatch = 2_000;

export const channels = 40;
export const models = 200;

/** SQL for who makes call `i`, with which key, and for the number of its model. */
type Population = { readonly user: string; readonly key: string; readonly model: string };

/** A tenth of the calls is one user's. */
const evenPopulation = ({ callers }: AgedSizes): Population => ({
  user: `case when i % 10 = 0 then 1 else 1 + floor(${callers} * random() * random())::bigint end`,
  key: "user_id",
  model: "1 + floor(20 * chance)",
});

/** How many users call all the time; each of the others does so in one quarter hour of 32. */
const steadyCallers = 50;
/** With which the first user calls; one more is never used. */
export const keysOfFirst = 10;

/**
 * A fifth of the calls is one user's, who has ten keys for four models each. The others are a long tail: the n-th makes a
 * share of 1/n of the rest, with five models.
 */
const longTail = ({ callers, users }: AgedSizes, count: number, index: number): Population => {
  const rank = `(1 + floor(exp(chance_of_user * ln(${callers})))::bigint)`;
  const turn = `((i::bigint * 96 / ${count}) * 11 + ${index * 5}) % 32`;
  const nth = "(i / 5 % 10)";
  return {
    user: `case when i % 5 = 0 then 1 when ${rank} <= ${steadyCallers} then ${rank} else ${rank} - ${rank} % 32 + ${turn} end`,
    key: `case when user_id = 1 and ${nth} > 0 then ${users} + ${nth} else user_id end`,
    model: `case user_id when 1 then 1 + (${nth} * 2 + floor(4 * chance * chance)::bigint) % 20
      else 1 + (user_id * 3 + floor(5 * chance * chance)::bigint) % 20 end`,
  };
};

/**
 * The calls of a UTC day, settled. A tenth of them is one user's, as in real life, and few of the others make most of
 * the rest; twenty models have nearly all of them and each day a few calls use a rare one; one call in fifty fails. One in sixteen names
 * its attempts, one in twenty an end user.
 */
export async function fillDay(db: Queryable, sizes: AgedSizes, day: string, index: number) {
  const count = Math.ceil(sizes.calls / sizes.days);
  const { user, key, model } = sizes.spans === 1 ? evenPopulation(sizes) : longTail(sizes, count, index);
  for (const table of ["usage_log", "usage_settlement"] as const) {
    await createMissingPartitions(db, table, [day]);
  }
  await db.query(
    `with chosen as (
       select i, random() as chance, random() as chance_of_user from generate_series(0, ${count} - 1) i
     ), call as (
       select i, chance, '${day}'::timestamp at time zone 'UTC' + interval '1 day' * (i::float8 / ${count}) as at,
         ${user} as user_id, i % 50 = 3 as has_failed
       from chosen
     ), logged as (
       insert into usage_log (day, request_id, gateway_user_id, api_key_id, user_budget_id, group_name, path, model, channel_id,
         outcome, http_status, error_code, is_stream, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
         reasoning_tokens, images, audio_ms, usage_source, price_version, rate_multiplier, quota, quota_held, attempts,
         first_byte_ms, duration_ms, started_at, end_user, tags)
       select '${day}', (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(i::text), 1, 3)
           || '8' || substr(md5(i::text), 4, 15))::uuid,
         user_id, ${key}, user_id, 'default', '/v1/chat/completions',
         case when i % 50000 = 7 then 'model-${models}' else 'model-' || (${model}) end, i % 6 + 1,
         case when has_failed then 'failed' else 'completed' end, case when has_failed then 502 else 200 end,
         case when has_failed then (array['upstream_error', 'upstream_timeout', 'no_upstream'])[1 + i % 3] end, true,
         (chance * 4000)::bigint, (chance * 900)::bigint, 0, 0, 0, 0, 0, 'provider', 1, 1, (chance * 900)::bigint, 2000,
         case when i % 16 = 0 then jsonb_build_array(jsonb_build_object('channelId', (i % 6 + 1)::text, 'channel', 'channel',
           'startedAtMs', 1, 'durationMs', 2000, 'status', 200, 'result', 'answered')) else '[]' end,
         300, 2000, at, case when i % 20 = 0 then 'end user ' || i % 1000 end, case when i % 20 = 0 then array['team=search'] end
       -- Nobody has called in the rest of today.
       from call where at < now() order by i
       returning day, request_id, gateway_user_id, quota
     )
     insert into usage_settlement (day, request_id, batch_id, gateway_user_id, base_quota, rate_multiplier, settled_quota,
       quota_delta)
     select day, request_id, ${index * 1_000_000} + row_number() over () / ${rowsOfBatch} + 1, gateway_user_id, null, null,
       quota, null
     from logged`,
    [],
  );
}

/** Traces of one in sixteen calls of the day; `bench trace-search` has one of each. */
export async function fillTraces(db: Queryable, day: string): Promise<void> {
  await createMissingPartitions(db, "trace_record", [day]);
  await db.query(
    `insert into trace_record (day, request_id, user_id, gateway_user_id, api_key_id, method, path, model, status, error_code, http_status,
       is_stream, input_tokens, output_tokens, first_token_ms, duration_ms, client_ip, user_agent, payload, started_at)
     select day, request_id, gateway_user_id, gateway_user_id, api_key_id, 'POST', path, model, outcome, error_code, http_status,
       is_stream, input_tokens, output_tokens, first_byte_ms, duration_ms, '192.0.2.1', 'bench', 'none', started_at
     from usage_log where day = $1::text::date and left(md5(request_id::text), 1) = '0'`,
    [day],
  );
}
