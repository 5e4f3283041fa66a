-- A count of a row, clamped so that billions of rows can be summed: one absurd row must not stop the sums.
CREATE OR REPLACE FUNCTION usage_count(p_count bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT least(greatest(p_count, 0), 1000000000)
$$;

-- The attempts of a usage row as they are stored: lists or objects with names.
CREATE OR REPLACE FUNCTION attempt_list(p_attempts jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE jsonb_typeof(p_attempts) WHEN 'string' THEN (p_attempts #>> '{}')::jsonb ELSE p_attempts END
$$;

-- The attempts of a usage row with the names of their fields. They are stored as lists, in this order, in the text of
-- their JSON, which is shorter than a stored list; rows of earlier releases have lists or the names. One that was answered with
-- the status 200 may be a list of its channel, both times and the name of the channel.
CREATE OR REPLACE FUNCTION usage_attempts(p_attempts jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN jsonb_typeof(list -> 0) = 'array' THEN (
    SELECT jsonb_agg(CASE WHEN jsonb_typeof(a -> 1) = 'number' THEN jsonb_build_object('channelId', a -> 0, 'channel', a -> 3,
        'startedAtMs', a -> 1, 'durationMs', a -> 2, 'status', 200, 'result', 'answered')
      ELSE jsonb_build_object('channelId', a -> 0, 'channel', a -> 1, 'startedAtMs', a -> 2, 'durationMs', a -> 3,
        'status', a -> 4, 'result', a -> 5) || coalesce(a -> 6, '{}')
      END ORDER BY place)
    FROM jsonb_array_elements(list) WITH ORDINALITY AS t (a, place)
  ) ELSE list END
  FROM (SELECT attempt_list(p_attempts) AS list OFFSET 0) stored
$$;

-- What an attempt says about its channel: `answered` or `failed`. Null for a refusal of the request, or a client that left.
CREATE OR REPLACE FUNCTION attempt_end_of(p_result text, p_status text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN p_result = 'answered' THEN 'answered'
    WHEN p_result IN ('credential_refused', 'account_empty') THEN 'failed'
    WHEN p_result = 'client_left' THEN NULL
    WHEN p_status ~ '^4\d\d$' AND p_status NOT IN ('401', '402', '403', '408', '429') THEN NULL
    ELSE 'failed'
  END
$$;

CREATE OR REPLACE FUNCTION attempt_end(p_attempt jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT attempt_end_of(p_attempt ->> 'result', p_attempt ->> 'status')
$$;

-- What each attempt of a usage row says about its channel, read as it is stored: that takes a fifth of the time of usage_attempts.
-- Part of the query that calls it, so that what is not asked for is not read.
CREATE OR REPLACE FUNCTION said_attempts(p_attempts jsonb) RETURNS TABLE (channel text, channel_name text, result text, status text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT said.* FROM jsonb_array_elements(attempt_list(p_attempts)) a CROSS JOIN LATERAL (
    SELECT CASE jsonb_typeof(a) WHEN 'array' THEN a ->> 0 ELSE a ->> 'channelId' END AS channel,
      CASE jsonb_typeof(a) WHEN 'array' THEN CASE jsonb_typeof(a -> 1) WHEN 'number' THEN a ->> 3 ELSE a ->> 1 END
        ELSE a ->> 'channel' END AS channel_name,
      CASE jsonb_typeof(a) WHEN 'array' THEN coalesce(a ->> 5, 'answered') ELSE a ->> 'result' END AS result,
      CASE jsonb_typeof(a) WHEN 'array' THEN a ->> 4 ELSE a ->> 'status' END AS status
  ) said
  WHERE said.channel ~ '^\d{1,18}$'
$$;

-- The sums over the settled usage rows of some batches that began on some UTC days (from p_from to p_to), as they are in
-- usage_rollup. p_batches names the batches; null are all that the sums have reached. Only this function defines what is
-- counted where.
--
-- There are sums by two hours, and of failures by day: a day of a time zone other than UTC is composed of at most
-- nineteen of them.
--
-- Rows are summed once, by everything that tells them apart, and the larger sums are those of these: a batch has many rows
-- of the same users and models.
CREATE OR REPLACE FUNCTION sum_usage(p_batches bigint[], p_from date, p_to date) RETURNS SETOF usage_rollup
LANGUAGE plpgsql STABLE ROWS 1000 AS $$
#variable_conflict use_column
DECLARE
  v_first date := p_from - 1;
  v_last date := p_to + 1;
BEGIN
  SELECT greatest(v_first, min(coalesce(first_day, v_first))), least(v_last, max(coalesce(last_day, v_last)))
    INTO v_first, v_last FROM settlement_batch WHERE id = ANY (p_batches);
  -- The query is built as text, so that each run is planned for its own bounds.
  RETURN QUERY EXECUTE format($query$
    WITH counted AS (
      SELECT date_bin('15 minutes', u.started_at, '2000-01-01 00:00:00+00') AS quarter,
        u.gateway_user_id AS user_id, coalesce(u.model, '') AS model_name, coalesce(u.channel_id, 0) AS channel,
        CASE WHEN u.outcome IN ('failed', 'refused') THEN coalesce(u.error_code, 'unknown') ELSE '' END AS cause,
        u.outcome, u.input_tokens, u.output_tokens, u.cache_read_tokens, u.cache_write_tokens, u.reasoning_tokens, u.images,
        u.audio_ms, u.cache_write_1h_tokens, u.searches, u.provider_cost_usd, u.quota AS base_quota, s.settled_quota, u.started_at,
        u.attempts
      FROM %s
        -- A row's day is the day on which it began, unless a clock was wrong.
      WHERE u.started_at >= ($4::timestamp AT TIME ZONE 'UTC') AND u.started_at < (($5 + 1)::timestamp AT TIME ZONE 'UTC')
    ), base AS (
      SELECT quarter, user_id, model_name, channel, cause, count(*) AS calls,
        count(*) FILTER (WHERE outcome = 'completed') AS completed, count(*) FILTER (WHERE outcome = 'aborted') AS aborted,
        count(*) FILTER (WHERE outcome = 'failed') AS failed, count(*) FILTER (WHERE outcome = 'refused') AS refused,
        sum(usage_count(input_tokens)) AS input_tokens, sum(usage_count(output_tokens)) AS output_tokens,
        sum(usage_count(cache_read_tokens)) AS cache_read_tokens, sum(usage_count(cache_write_tokens)) AS cache_write_tokens,
        sum(usage_count(reasoning_tokens)) AS reasoning_tokens, sum(usage_count(images)) AS images,
        sum(usage_count(audio_ms)) AS audio_ms, sum(base_quota) AS base_quota, sum(settled_quota) AS settled_quota,
        min(started_at) AS first_at, max(started_at) AS last_at, sum(usage_count(cache_write_1h_tokens)) AS cache_write_1h_tokens,
        sum(usage_count(searches)) AS searches, sum(provider_cost_usd) AS provider_cost_usd,
        count(provider_cost_usd) AS provider_cost_calls,
        sum(settled_quota) FILTER (WHERE provider_cost_usd IS NOT NULL) AS provider_cost_quota
      FROM counted GROUP BY quarter, user_id, model_name, channel, cause
    ), summed AS (
      SELECT
        CASE grouping(quarter, hours, utc_day, user_id, model_name, cause)
          WHEN b'011111'::integer THEN 'total'
          WHEN b'011101'::integer THEN 'route' WHEN b'101101'::integer THEN 'route_hours' WHEN b'110101'::integer THEN 'route_day'
          WHEN b'011011'::integer THEN 'user' WHEN b'110011'::integer THEN 'user_day'
          WHEN b'011110'::integer THEN 'error' WHEN b'101110'::integer THEN 'error_hours' WHEN b'110110'::integer THEN 'error_day'
        END AS slice,
        coalesce(quarter, hours, utc_day) AS starts_at, coalesce(user_id, 0) AS user_id, coalesce(model_name, '') AS model_name,
        coalesce(channel, 0) AS channel, coalesce(cause, '') AS cause,
        sum(calls)::bigint, sum(completed)::bigint, sum(aborted)::bigint, sum(failed)::bigint, sum(refused)::bigint,
        sum(input_tokens)::bigint, sum(output_tokens)::bigint, sum(cache_read_tokens)::bigint, sum(cache_write_tokens)::bigint,
        sum(reasoning_tokens)::bigint, sum(images)::bigint, sum(audio_ms)::bigint, sum(base_quota)::bigint,
        sum(settled_quota)::bigint, min(first_at), max(last_at), sum(cache_write_1h_tokens)::bigint, sum(searches)::bigint,
        coalesce(sum(provider_cost_usd), 0)::numeric(30, 12), sum(provider_cost_calls)::bigint,
        coalesce(sum(provider_cost_quota), 0)::bigint
      FROM (
        SELECT *, date_bin('2 hours', quarter, '2000-01-01 00:00:00+00') AS hours,
          date_bin('1 day', quarter, '2000-01-01 00:00:00+00') AS utc_day
        FROM base
      ) of_days
      GROUP BY GROUPING SETS ((quarter), (quarter, model_name, channel), (hours, model_name, channel),
        (utc_day, model_name, channel), (quarter, user_id), (utc_day, user_id), (quarter, cause, channel),
        (hours, cause, channel), (utc_day, cause, channel))
    )
    SELECT * FROM summed WHERE slice NOT IN ('error', 'error_hours', 'error_day') OR cause <> ''
    UNION ALL
    SELECT
      CASE grouping(quarter, hours, utc_day)
        WHEN b'011'::integer THEN 'attempt' WHEN b'101'::integer THEN 'attempt_hours' ELSE 'attempt_day'
      END,
      coalesce(quarter, hours, utc_day), 0, '', channel, '', sum(calls)::bigint,
      coalesce(sum(calls) FILTER (WHERE ended = 'answered'), 0)::bigint, 0, coalesce(sum(calls) FILTER (WHERE ended = 'failed'), 0)::bigint,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, min(first_at), max(last_at), 0, 0, 0::numeric(30, 12), 0, 0
    FROM (
      SELECT quarter, date_bin('2 hours', quarter, '2000-01-01 00:00:00+00') AS hours,
        date_bin('1 day', quarter, '2000-01-01 00:00:00+00') AS utc_day, channel_text::bigint AS channel,
        attempt_end_of(result, status) AS ended, calls, first_at, last_at
      FROM (
        SELECT quarter, said.channel AS channel_text, result, status, count(*) AS calls, min(started_at) AS first_at,
          max(started_at) AS last_at
        FROM counted CROSS JOIN LATERAL said_attempts(attempts) said
        GROUP BY quarter, said.channel, result, status
      ) counted_attempts
    ) tried
    WHERE ended IS NOT NULL
    GROUP BY GROUPING SETS ((quarter, channel), (hours, channel), (utc_day, channel))
  $query$, settled_usage_text(p_batches, 'usage_settlement')) USING p_batches, v_first, v_last, p_from, p_to;
END
$$;

-- Creates the checkpoints of the sums: one for each shard of the settlement, and one that counts the versions.
CREATE OR REPLACE FUNCTION open_rollup_shards() RETURNS void LANGUAGE sql AS $$
  INSERT INTO usage_rollup_checkpoint (source, batch_id)
  SELECT 'usage_settlement', 9223372036854775807 UNION ALL SELECT 'usage_settlement:' || shard, 0 FROM generate_series(0, 15) shard
  ORDER BY 1 ON CONFLICT DO NOTHING
$$;

-- Adds the next batches of a shard to the sums, about p_rows rows and at least one batch, in the caller's transaction.
-- `outcome` is `busy` when another caller is doing this, `more` when there is more to do, else `done`. Without p_shard it
-- is the first shard with something to do: previous releases know no shards.
CREATE OR REPLACE FUNCTION roll_usage_up(p_rows integer, p_shard integer DEFAULT NULL)
RETURNS TABLE (outcome text, batches integer, rows_added bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_shard integer;
  v_step record;
  v_is_busy boolean := false;
BEGIN
  IF p_shard IS NOT NULL THEN
    RETURN QUERY SELECT * FROM roll_shard_up(p_shard, p_rows);
    RETURN;
  END IF;
  FOR v_shard IN SELECT generate_series(0, 15) LOOP
    SELECT * INTO v_step FROM roll_shard_up(v_shard, p_rows);
    v_is_busy := v_is_busy OR v_step.outcome = 'busy';
    IF v_step.rows_added > 0 THEN
      RETURN QUERY SELECT 'more', v_step.batches, v_step.rows_added;
      RETURN;
    END IF;
  END LOOP;
  RETURN QUERY SELECT CASE WHEN v_is_busy THEN 'busy' ELSE 'done' END, 0, 0::bigint;
END
$$;

-- The next batches of a shard after one of them, with about p_rows rows in total and at least one batch; null when there
-- are none.
CREATE OR REPLACE FUNCTION next_settlement_batches(p_shard integer, p_after bigint, p_rows integer, OUT ids bigint[], OUT rows bigint)
LANGUAGE sql STABLE AS $$
  SELECT array_agg(id ORDER BY id), sum(rows)
  FROM (
    SELECT id, rows, sum(rows) OVER (ORDER BY id) - rows AS rows_before
    FROM (SELECT id, rows FROM settlement_batch WHERE shard = p_shard AND id > p_after ORDER BY id LIMIT 500) next
  ) batch WHERE rows_before < p_rows
$$;

-- Takes the next batches of a shard, about p_rows rows, for the sums with this checkpoint, which it moves past them in the
-- caller's transaction. `outcome` is `busy` when another caller is doing this, `done` when these are the last, else `more`;
-- `ids` is null when there are none.
CREATE OR REPLACE FUNCTION take_settlement_batches(p_source text, p_shard integer, p_rows integer,
  OUT outcome text, OUT ids bigint[], OUT rows bigint)
LANGUAGE plpgsql AS $$
DECLARE
  v_from bigint;
  v_last bigint;
BEGIN
  SELECT batch_id INTO v_from FROM usage_rollup_checkpoint WHERE source = p_source FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    outcome := 'busy';
    RETURN;
  END IF;
  SELECT next.ids, next.rows INTO ids, rows FROM next_settlement_batches(p_shard, v_from, p_rows) next;
  v_last := coalesce(ids[cardinality(ids)], v_from);
  outcome := CASE WHEN EXISTS (SELECT 1 FROM settlement_batch WHERE shard = p_shard AND id > v_last) THEN 'more' ELSE 'done' END;
  UPDATE usage_rollup_checkpoint
  SET batch_id = v_last, caught_up_at = CASE outcome WHEN 'done' THEN now() ELSE caught_up_at END
  WHERE source = p_source;
END
$$;

-- A step of one shard.
--
-- The batches of a shard are written one after the other, under the lock of its checkpoint, so that no batch of it
-- appears later with a number below one already seen; and each usage row belongs to exactly one, whenever its own
-- transaction ended. This also holds on a server that was restored from a dump, where transaction numbers would mean
-- nothing.
--
-- Sums by user are those of one shard only. All others are written last, under the lock of the version, so that shards
-- wait for each other only briefly, and versions are committed in their order. The function records which quarter hours
-- have changed.
CREATE OR REPLACE FUNCTION roll_shard_up(p_shard integer, p_rows integer)
RETURNS TABLE (outcome text, batches integer, rows_added bigint)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_source text := 'usage_settlement:' || p_shard;
  v_step record;
  v_sums usage_rollup[];
  v_version bigint;
BEGIN
  IF p_shard NOT BETWEEN 0 AND 15 THEN RAISE EXCEPTION 'shard % does not exist', p_shard; END IF;
  IF NOT EXISTS (SELECT 1 FROM usage_rollup_checkpoint WHERE source = v_source) THEN PERFORM open_rollup_shards(); END IF;
  SELECT * INTO v_step FROM take_settlement_batches(v_source, p_shard, p_rows);
  IF v_step.ids IS NULL THEN
    RETURN QUERY SELECT v_step.outcome, 0, 0::bigint;
    RETURN;
  END IF;
  SELECT array_agg(s ORDER BY slice, starts_at, gateway_user_id, model, channel_id, error_code) INTO v_sums
  FROM sum_usage(v_step.ids, '2000-01-01', '9999-01-01') s;
  PERFORM add_usage_sums(ARRAY(SELECT s FROM unnest(v_sums) s WHERE gateway_user_id <> 0));
  INSERT INTO usage_user AS t
    SELECT gateway_user_id, min(first_at), max(last_at) FROM unnest(v_sums) WHERE slice = 'user_day'
    GROUP BY gateway_user_id ORDER BY gateway_user_id
  ON CONFLICT (gateway_user_id) DO UPDATE SET
    first_at = least(t.first_at, excluded.first_at), last_at = greatest(t.last_at, excluded.last_at);
  UPDATE usage_rollup_checkpoint SET version = version + 1 WHERE source = 'usage_settlement' RETURNING version INTO v_version;
  PERFORM add_usage_sums(ARRAY(SELECT s FROM unnest(v_sums) s WHERE gateway_user_id = 0));
  INSERT INTO usage_change SELECT starts_at, v_version FROM unnest(v_sums) WHERE slice = 'total'
  ON CONFLICT (starts_at) DO UPDATE SET version = excluded.version;
  RETURN QUERY SELECT v_step.outcome, cardinality(v_step.ids), v_step.rows;
END
$$;

-- Adds sums to those of the same keys, in the order in which they are given.
CREATE OR REPLACE FUNCTION add_usage_sums(p_sums usage_rollup[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage_rollup AS r SELECT * FROM unnest(p_sums)
  ON CONFLICT (slice, starts_at, gateway_user_id, model, channel_id, error_code) DO UPDATE SET
    calls = r.calls + excluded.calls, completed = r.completed + excluded.completed, aborted = r.aborted + excluded.aborted,
    failed = r.failed + excluded.failed, refused = r.refused + excluded.refused,
    input_tokens = r.input_tokens + excluded.input_tokens, output_tokens = r.output_tokens + excluded.output_tokens,
    cache_read_tokens = r.cache_read_tokens + excluded.cache_read_tokens,
    cache_write_tokens = r.cache_write_tokens + excluded.cache_write_tokens,
    reasoning_tokens = r.reasoning_tokens + excluded.reasoning_tokens, images = r.images + excluded.images,
    audio_ms = r.audio_ms + excluded.audio_ms,
    cache_write_1h_tokens = r.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
    searches = r.searches + excluded.searches,
    provider_cost_usd = r.provider_cost_usd + excluded.provider_cost_usd,
    provider_cost_calls = r.provider_cost_calls + excluded.provider_cost_calls,
    provider_cost_quota = r.provider_cost_quota + excluded.provider_cost_quota, quota = r.quota + excluded.quota,
    settled_quota = r.settled_quota + excluded.settled_quota,
    first_at = least(r.first_at, excluded.first_at), last_at = greatest(r.last_at, excluded.last_at);
END;
$$;

-- Recomputes the sums of a UTC day, up to the batches that the sums have reached, replacing the old ones. Returns how
-- many sums there are. Days whose log is gone are left to the caller: a missing log can't be summed again.
CREATE OR REPLACE FUNCTION rebuild_usage_day(p_day date) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_sums bigint;
  v_version bigint;
BEGIN
  PERFORM open_rollup_shards();
  PERFORM open_user_sum_shards();
  PERFORM open_label_sum_shards();
  PERFORM 1 FROM usage_rollup_checkpoint WHERE source LIKE ANY ('{usage_settlement:%,usage_user_sum:%,usage_label_sum:%}')
    ORDER BY source FOR UPDATE;
  UPDATE usage_rollup_checkpoint SET version = version + 1 WHERE source = 'usage_settlement' RETURNING version INTO v_version;
  DELETE FROM usage_rollup
  WHERE starts_at >= (p_day::timestamp AT TIME ZONE 'UTC') AND starts_at < ((p_day + 1)::timestamp AT TIME ZONE 'UTC')
    AND slice IN ('total', 'route', 'route_hours', 'route_day', 'user', 'user_day', 'error', 'error_hours', 'error_day',
      'attempt', 'attempt_hours', 'attempt_day');
  INSERT INTO usage_rollup SELECT * FROM sum_usage(NULL, p_day, p_day);
  GET DIAGNOSTICS v_sums = ROW_COUNT;
  INSERT INTO usage_change
    SELECT quarter, v_version
    FROM generate_series(p_day::timestamp AT TIME ZONE 'UTC', (p_day::timestamp + interval '23:45') AT TIME ZONE 'UTC',
      interval '15 minutes') quarter
  ON CONFLICT (starts_at) DO UPDATE SET version = excluded.version;
  INSERT INTO usage_user AS t
    SELECT gateway_user_id, min(first_at), max(last_at) FROM usage_rollup
    WHERE slice = 'user_day' AND starts_at = (p_day::timestamp AT TIME ZONE 'UTC') GROUP BY gateway_user_id
  ON CONFLICT (gateway_user_id) DO UPDATE SET
    first_at = least(t.first_at, excluded.first_at), last_at = greatest(t.last_at, excluded.last_at);
  DELETE FROM usage_user_sum
  WHERE starts_at >= (p_day::timestamp AT TIME ZONE 'UTC') AND starts_at < ((p_day + 1)::timestamp AT TIME ZONE 'UTC');
  INSERT INTO usage_user_sum SELECT * FROM sum_user_usage(NULL, p_day, p_day);
  PERFORM rebuild_label_day(p_day);
  RETURN v_sums;
END
$$;

-- Every sum of a UTC day that differs from the log, up to the batches reached by the sums. Empty when all are right.
CREATE OR REPLACE FUNCTION check_usage_day(p_day date) RETURNS TABLE (slice text, starts_at timestamptz, subject text, detail text)
LANGUAGE sql STABLE AS $$
  WITH expected AS (
    SELECT * FROM sum_usage(NULL, p_day, p_day)
  ), actual AS (
    SELECT * FROM usage_rollup r
    WHERE r.starts_at >= (p_day::timestamp AT TIME ZONE 'UTC') AND r.starts_at < ((p_day + 1)::timestamp AT TIME ZONE 'UTC')
      AND r.slice IN ('total', 'route', 'route_hours', 'route_day', 'user', 'user_day', 'error', 'error_hours', 'error_day',
        'attempt', 'attempt_hours', 'attempt_day')
  )
  SELECT coalesce(e.slice, a.slice), coalesce(e.starts_at, a.starts_at),
    'user ' || coalesce(e.gateway_user_id, a.gateway_user_id) || ', model ' || coalesce(e.model, a.model)
      || ', channel ' || coalesce(e.channel_id, a.channel_id) || ', error ' || coalesce(e.error_code, a.error_code),
    coalesce(a.calls::text, 'no') || ' calls, ' || coalesce(e.calls::text, 'no') || ' in the log'
  FROM expected e FULL JOIN actual a ON (e.slice, e.starts_at, e.gateway_user_id, e.model, e.channel_id, e.error_code)
    = (a.slice, a.starts_at, a.gateway_user_id, a.model, a.channel_id, a.error_code)
  WHERE e IS DISTINCT FROM a
  UNION ALL
  SELECT 'key_' || coalesce(e.grain, a.grain), coalesce(e.starts_at, a.starts_at),
    'user ' || coalesce(e.gateway_user_id, a.gateway_user_id) || ', key ' || coalesce(e.api_key_id, a.api_key_id)
      || ', model ' || coalesce(e.model, a.model) || ', ' || coalesce(e.outcome, a.outcome),
    coalesce(a.calls::text, 'no') || ' calls, ' || coalesce(e.calls::text, 'no') || ' in the log'
  FROM sum_user_usage(NULL, p_day, p_day) e FULL JOIN (
    SELECT * FROM usage_user_sum
    WHERE starts_at >= (p_day::timestamp AT TIME ZONE 'UTC') AND starts_at < ((p_day + 1)::timestamp AT TIME ZONE 'UTC')
  ) a ON (e.gateway_user_id, e.grain, e.starts_at, e.api_key_id, e.model, e.outcome)
    = (a.gateway_user_id, a.grain, a.starts_at, a.api_key_id, a.model, a.outcome)
  WHERE e IS DISTINCT FROM a
  UNION ALL
  SELECT * FROM check_label_day(p_day)
$$;
