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
     ), said as (
       select s.channel, max(s.channel_name) as channel_name, s.result, s.status, count(*) as attempts
       from recent r cross join lateral said_attempts(r.attempts) s group by s.channel, s.result, s.status
     ), tried as (
       select channel::bigint as channel_id, channel_name, attempts, attempt_end_of(result, status) as ended from said
     )
     select channel_id as "channelId", max(channel_name) as channel, sum(attempts)::integer as attempts,
       coalesce(sum(attempts) filter (where ended = 'failed'), 0)::integer as failed
     from tried where ended is not null group by channel_id order by channel_id limit 500`,
    [minutes],
  );
}
