import { asc, eq, isNotNull } from "drizzle-orm";
import { channel, channelProbe } from "../../db/schema/gateway-routing.ts";
import type { Queryable } from "../../platform/db.ts";

/** Calls from before are not looked at, and of those after only the latest. */
const hoursMax = 24;
const callsMax = 20_000;
const rowsMax = 500;

export type ChannelHealthRow = {
  readonly channel_id: bigint;
  readonly channel_name: string;
  readonly model: string;
  readonly attempts: number;
  readonly failed: number;
  readonly answered: number;
  readonly success_rate: number | null;
  readonly first_byte_ms_p50: number | null;
  readonly first_byte_ms_p95: number | null;
  readonly last_failure: string | null;
  readonly last_failed_at: Date | null;
};

export type ChannelProbeRow = {
  readonly channel_id: bigint;
  readonly channel_name: string;
  readonly model: string;
  readonly probed_at: Date;
  readonly is_ok: boolean;
  readonly http_status: number | null;
  readonly latency_ms: number;
  readonly error: string | null;
  readonly failed_in_row: number;
  readonly rested_at: Date | null;
};

export type ChannelHealth = {
  readonly from: Date;
  readonly rows: readonly ChannelHealthRow[];
  readonly probes: readonly ChannelProbeRow[];
};

/** The latest periodic test of each channel that has them, the failed ones first. */
async function readProbes(db: Queryable): Promise<ChannelProbeRow[]> {
  return await db.drizzle
    .select({
      channel_id: channelProbe.channelId,
      channel_name: channel.name,
      model: channelProbe.model,
      probed_at: channelProbe.probedAt,
      is_ok: channelProbe.isOk,
      http_status: channelProbe.httpStatus,
      latency_ms: channelProbe.latencyMs,
      error: channelProbe.error,
      failed_in_row: channelProbe.failedInRow,
      rested_at: channelProbe.restedAt,
    })
    .from(channelProbe)
    .innerJoin(channel, eq(channel.id, channelProbe.channelId))
    .where(isNotNull(channel.probeMinutes))
    .orderBy(asc(channelProbe.isOk), asc(channel.name))
    .limit(rowsMax);
}

/**
 * How the latest attempts at each channel ended, also of calls that another channel answered. A refusal of the request
 * says nothing about its channel. The newest rows are read by the key of the log, so that a long log costs no more.
 */
export async function readChannelHealth(db: Queryable, now: Date): Promise<ChannelHealth> {
  const from = new Date(now.getTime() - hoursMax * 3_600_000);
  const rows = await db.query<ChannelHealthRow>(
    `with recent as (
       select coalesce(u.asked_model, u.model) as model, u.attempts, u.first_byte_ms, u.started_at from usage_log u
       where u.day >= ($1::timestamptz at time zone 'utc')::date and u.started_at >= $1::timestamptz
       order by u.day desc, u.request_id desc limit ${callsMax}
     ), tried as (
       select (a->>'channelId')::bigint as channel_id, a->>'channel' as channel_name, coalesce(a->>'model', r.model, '') as model,
         a->>'result' as result, r.started_at + make_interval(secs => (a->>'startedAtMs')::float8 / 1000) as at,
         r.first_byte_ms - (a->>'startedAtMs')::integer as first_byte_ms,
         coalesce(attempt_end(a) = 'answered', false) as is_answered, coalesce(attempt_end(a) = 'failed', false) as is_failed
       from recent r cross join lateral jsonb_array_elements(usage_attempts(r.attempts)) a
     )
     select channel_id, max(channel_name) as channel_name, model, count(*)::integer as attempts,
       count(*) filter (where is_failed)::integer as failed, count(*) filter (where is_answered)::integer as answered,
       (count(*) filter (where is_answered))::float8
         / nullif(count(*) filter (where is_answered or is_failed), 0) as success_rate,
       (percentile_cont(0.5) within group (order by first_byte_ms) filter (where is_answered))::integer
         as first_byte_ms_p50,
       (percentile_cont(0.95) within group (order by first_byte_ms) filter (where is_answered))::integer
         as first_byte_ms_p95,
       (array_agg(result order by at desc) filter (where is_failed))[1] as last_failure,
       max(at) filter (where is_failed) as last_failed_at
     from tried group by channel_id, model
     order by success_rate nulls last, attempts desc, channel_id, model limit ${rowsMax}`,
    [from],
  );
  return { from, rows, probes: await readProbes(db) };
}
