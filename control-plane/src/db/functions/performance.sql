-- How calls went, by model and channel, and by key for the accounts themselves, as histograms over the settled usage rows. They
-- follow the batches of the settlement with checkpoints of their own: `usage_performance:<shard>`.

-- The bucket of a time: four for each doubling of the milliseconds, so that a percentile is right to a tenth. The list has
-- the least milliseconds of each: looking there takes a fraction of what a logarithm takes.
CREATE OR REPLACE FUNCTION performance_bucket(p_ms integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT width_bucket(greatest(p_ms, 1), '{2,2,2,2,3,3,4,4,5,6,7,8,10,12,14,16,20,23,27,32,39,46,54,64,77,91,108,128,153,182,216,256,305,363,431,512,609,725,862,'
    '1024,1218,1449,1723,2048,2436,2897,3445,4096,4871,5793,6889,8192,9742,11586,13778,16384,19484,23171,27555,32768,38968,'
    '46341,55109,65536,77936,92682,110218,131072,155872,185364,220436,262144,311744,370728,440872,524288,623488,741456,'
    '881744,1048576,1246975,1482911,1763488,2097152,2493949,2965821,3526976,4194304,4987897,5931642,7053951,8388608,'
    '9975793,11863284,14107901,16777216,19951585,23726567,28215802,33554432,39903170,47453133,56431604,67108864,79806339,'
    '94906266,112863207,134217728,159612678,189812532,225726413,268435456,319225355,379625063,451452826,536870912,'
    '638450709,759250125,902905651,1073741824,1276901417,1518500250,1805811302}'::integer[])
$$;

CREATE OR REPLACE FUNCTION open_performance_shards() RETURNS void LANGUAGE sql AS $$
  INSERT INTO usage_rollup_checkpoint (source, batch_id) SELECT 'usage_performance:' || shard, 0 FROM generate_series(0, 15) shard
  ORDER BY 1 ON CONFLICT DO NOTHING
$$;

-- Adds the next batches of a shard, as add_user_sums does. Responses of the cache say nothing about a channel. Of a call
-- that ended before a channel was chosen the channel is 0. A failure of the client's own making, which has a status below
-- 500 that is not one of ours, is not counted.
CREATE OR REPLACE FUNCTION add_performance(p_shard integer, p_rows integer)
RETURNS TABLE (outcome text, batches integer, rows_added bigint)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_source text := 'usage_performance:' || p_shard;
  v_step record;
BEGIN
  IF p_shard NOT BETWEEN 0 AND 15 THEN RAISE EXCEPTION 'shard % does not exist', p_shard; END IF;
  IF NOT EXISTS (SELECT 1 FROM usage_rollup_checkpoint WHERE source = v_source) THEN PERFORM open_performance_shards(); END IF;
  SELECT * INTO v_step FROM take_settlement_batches(v_source, p_shard, p_rows);
  IF v_step.ids IS NULL THEN
    RETURN QUERY SELECT v_step.outcome, 0, 0::bigint;
    RETURN;
  END IF;
  EXECUTE format($query$
    WITH counted AS MATERIALIZED (
      SELECT date_bin('1 hour', u.started_at, '2000-01-01 00:00:00+00') AS hour, u.api_key_id AS key_id,
        u.model AS model_name, coalesce(u.channel_id, 0) AS channel, ended.kind, ended.bucket, count(*) AS calls,
        sum(ended.tokens) AS tokens, sum(ended.ms) AS ms
      FROM %s
      CROSS JOIN LATERAL (
        SELECT 'first_byte' AS kind, performance_bucket(u.first_byte_ms) AS bucket, 0::bigint AS tokens, 0::bigint AS ms
        WHERE u.outcome = 'completed' AND u.first_byte_ms IS NOT NULL
        UNION ALL
        SELECT 'total', performance_bucket(u.duration_ms),
          CASE WHEN u.is_stream AND u.duration_ms > u.first_byte_ms THEN usage_count(u.output_tokens) ELSE 0 END,
          CASE WHEN u.is_stream AND u.duration_ms > u.first_byte_ms AND u.output_tokens > 0
            THEN usage_count(u.duration_ms - u.first_byte_ms) ELSE 0 END
        WHERE u.outcome = 'completed'
        UNION ALL
        SELECT 'left', 0, 0, 0 WHERE u.outcome = 'aborted'
        UNION ALL
        SELECT 'failed', 0, 0, 0 WHERE u.outcome = 'failed' AND (u.http_status >= 500 OR u.http_status = 429 OR u.http_status < 300)
      ) ended
      WHERE u.model IS NOT NULL AND u.cache_basis_points IS NULL
      GROUP BY 1, 2, 3, 4, 5, 6
    ), of_keys AS (
      INSERT INTO usage_key_performance AS t (api_key_id, starts_at, model, kind, bucket, calls, output_tokens, output_ms)
      SELECT key_id, date_bin('1 day', hour, '2000-01-01 00:00:00+00'), model_name, kind, bucket, sum(calls)::bigint,
        sum(tokens)::bigint, sum(ms)::bigint
      FROM counted WHERE kind IN ('first_byte', 'total') GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
      ON CONFLICT (api_key_id, starts_at, model, kind, bucket) DO UPDATE SET calls = t.calls + excluded.calls,
        output_tokens = t.output_tokens + excluded.output_tokens, output_ms = t.output_ms + excluded.output_ms
    )
    INSERT INTO usage_performance AS t (grain, starts_at, model, channel_id, kind, bucket, calls, output_tokens, output_ms)
    SELECT CASE grouping(hour) WHEN 0 THEN 'hour' ELSE 'day' END, coalesce(hour, utc_day), model_name, channel, kind, bucket,
      sum(calls)::bigint, sum(tokens)::bigint, sum(ms)::bigint
    FROM (SELECT *, date_bin('1 day', hour, '2000-01-01 00:00:00+00') AS utc_day FROM counted) of_days
    GROUP BY GROUPING SETS ((hour, model_name, channel, kind, bucket), (utc_day, model_name, channel, kind, bucket))
    -- Rows of all shards meet here, so they are locked in one order.
    ORDER BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (grain, starts_at, model, channel_id, kind, bucket) DO UPDATE SET calls = t.calls + excluded.calls,
      output_tokens = t.output_tokens + excluded.output_tokens, output_ms = t.output_ms + excluded.output_ms
  $query$, settled_usage_text(v_step.ids, 'usage_performance')) USING v_step.ids, '2000-01-01'::date, '9999-01-01'::date;
  RETURN QUERY SELECT v_step.outcome, cardinality(v_step.ids), v_step.rows;
END
$$;
