import type { Queryable } from "../../platform/db.ts";

/** Of a longer log only the latest calls are looked at. */
const callsMax = 20_000;

/** How the attempts at a channel ended lately. */
export type ErrorCount = {
  readonly channelId: bigint;
  readonly channel: string;
  readonly attempts: number;
  readonly failed: number;
};

/** Counts attempts of the last minutes by channel. A refusal of the request says nothing about its channel. */
export async function countErrors(db: Queryable, minutes: number): Promise<ErrorCount[]> {
  return await db.query<ErrorCount>(
    `with recent as (
       select u.attempts from usage_log u
       where u.day >= ((now() - make_interval(mins => $1::int)) at time zone 'utc')::date
         and u.started_at >= now() - make_interval(mins => $1::int)
       order by u.day desc, u.request_id desc limit ${callsMax}
     ), tried as (
       select (a->>'channelId')::bigint as channel_id, a->>'channel' as channel, attempt_end(a) as ended
       from recent r cross join lateral jsonb_array_elements(usage_attempts(r.attempts)) a where a->>'channelId' is not null
     )
     select channel_id as "channelId", max(channel) as channel, count(*)::integer as attempts,
       (count(*) filter (where ended = 'failed'))::integer as failed
     from tried where ended is not null group by channel_id order by channel_id limit 500`,
    [minutes],
  );
}
