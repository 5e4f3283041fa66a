-- The sums of each user by end user and by tag, and of all users by tag. They are added together with the sums by key, whose step knows
-- whether any call has labels, so that calls without them cost nothing. Their checkpoints `usage_label_sum:<shard>` say how far they
-- have got: after an upgrade they begin with the first batch, and catch up by themselves.

-- How many end users, and how many tags, of a user have sums of their own on a UTC day. The others of the day are summed as ''.
CREATE OR REPLACE FUNCTION labels_of_day_max() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 10000::bigint
$$;

-- The sums over the settled usage rows with labels of some batches, as sum_user_usage has them, with every label.
CREATE OR REPLACE FUNCTION sum_label_usage(p_batches bigint[], p_from date, p_to date) RETURNS SETOF usage_label_sum
LANGUAGE plpgsql STABLE ROWS 1000 AS $$
DECLARE
  v_days record;
BEGIN
  SELECT * INTO v_days FROM days_of_batches(p_batches, p_from, p_to);
  RETURN QUERY EXECUTE format($query$
    SELECT coalesce(user_id, 0), CASE grouping(label) WHEN 0 THEN kind ELSE kind || 's' END,
      CASE grouping(quarter, hours) WHEN b'01'::integer THEN 'quarter' WHEN b'10'::integer THEN 'hours' ELSE 'day' END,
      coalesce(quarter, hours, utc_day), coalesce(label, ''), coalesce(key_id, 0), coalesce(model_name, ''), outcome,
      sum(calls)::bigint, sum(input_tokens)::bigint, sum(output_tokens)::bigint, sum(cache_read_tokens)::bigint,
      sum(cache_write_tokens)::bigint, sum(reasoning_tokens)::bigint, sum(cache_write_1h_tokens)::bigint, sum(base_quota)::bigint,
      sum(settled_quota)::bigint
    FROM (
      SELECT *, date_bin('2 hours', quarter, '2000-01-01 00:00:00+00') AS hours,
        date_bin('1 day', quarter, '2000-01-01 00:00:00+00') AS utc_day
      FROM (
        SELECT date_bin('15 minutes', u.started_at, '2000-01-01 00:00:00+00') AS quarter, u.gateway_user_id AS user_id,
          named.kind, named.label, u.api_key_id AS key_id, coalesce(u.model, '') AS model_name, u.outcome, count(*) AS calls,
          sum(usage_count(u.input_tokens)) AS input_tokens, sum(usage_count(u.output_tokens)) AS output_tokens,
          sum(usage_count(u.cache_read_tokens)) AS cache_read_tokens, sum(usage_count(u.cache_write_tokens)) AS cache_write_tokens,
          sum(usage_count(u.reasoning_tokens)) AS reasoning_tokens,
          sum(usage_count(u.cache_write_1h_tokens)) AS cache_write_1h_tokens, sum(u.quota) AS base_quota,
          sum(s.settled_quota) AS settled_quota
        FROM %s
        CROSS JOIN LATERAL (
          SELECT 'end_user' AS kind, u.end_user AS label WHERE u.end_user IS NOT NULL
          UNION ALL
          SELECT 'tag', tag FROM unnest(u.tags) tag
        ) named
        WHERE (u.end_user IS NOT NULL OR u.tags IS NOT NULL)
          AND u.started_at >= ($4::timestamp AT TIME ZONE 'UTC') AND u.started_at < (($5 + 1)::timestamp AT TIME ZONE 'UTC')
        GROUP BY 1, 2, 3, 4, 5, 6, 7
      ) by_quarter
    ) counted
    GROUP BY GROUPING SETS (
      (user_id, kind, label, key_id, model_name, outcome, quarter), (user_id, kind, label, key_id, model_name, outcome, hours),
      (user_id, kind, label, key_id, model_name, outcome, utc_day), (user_id, kind, key_id, model_name, outcome, quarter),
      (user_id, kind, key_id, model_name, outcome, hours), (user_id, kind, key_id, model_name, outcome, utc_day),
      (kind, label, outcome, quarter), (kind, label, outcome, hours), (kind, label, outcome, utc_day),
      (kind, outcome, quarter), (kind, outcome, hours), (kind, outcome, utc_day))
    HAVING grouping(user_id) = 0 OR kind = 'tag'
  $query$, settled_usage_text(p_batches, 'usage_label_sum')) USING p_batches, v_days.first, v_days.last, p_from, p_to;
END
$$;

-- The labels in these sums that have no sums on their day yet.
CREATE OR REPLACE FUNCTION new_labels(p_sums usage_label_sum[])
RETURNS TABLE (gateway_user_id bigint, kind text, starts_at timestamptz, label text)
LANGUAGE sql STABLE ROWS 1000 AS $$
  SELECT DISTINCT s.gateway_user_id, s.kind, s.starts_at, s.label FROM unnest(p_sums) s
  WHERE s.grain = 'day' AND s.kind IN ('end_user', 'tag') AND NOT EXISTS (
    SELECT 1 FROM usage_label_sum t
    WHERE t.gateway_user_id = s.gateway_user_id AND t.kind = s.kind AND t.grain = 'day' AND t.starts_at = s.starts_at
      AND t.label = s.label
  )
$$;

-- These sums with the labels that are beyond the most of their day as ''. The row that counts the labels of a day is locked while new ones
-- are added, so that two callers never count the same.
CREATE OR REPLACE FUNCTION fold_labels(p_sums usage_label_sum[]) RETURNS usage_label_sum[]
LANGUAGE plpgsql SET enable_hashjoin = on AS $$
#variable_conflict use_column
DECLARE
  v_users bigint[];
  v_kinds text[];
  v_days timestamptz[];
  v_labels text[];
  v_sums usage_label_sum[];
BEGIN
  INSERT INTO usage_label_count AS c (gateway_user_id, kind, starts_at, labels)
    SELECT DISTINCT n.gateway_user_id, n.kind, n.starts_at, 0 FROM new_labels(p_sums) n ORDER BY 3, 1, 2
  ON CONFLICT (starts_at, gateway_user_id, kind) DO UPDATE SET labels = c.labels;
  IF NOT FOUND THEN
    RETURN p_sums;
  END IF;
  -- Read again, now that nobody else adds labels of these days.
  WITH placed AS MATERIALIZED (
    SELECT n.*, c.labels + row_number() OVER (PARTITION BY n.gateway_user_id, n.kind, n.starts_at ORDER BY n.label) AS place
    FROM new_labels(p_sums) n JOIN usage_label_count c ON (c.starts_at, c.gateway_user_id, c.kind) = (n.starts_at, n.gateway_user_id, n.kind)
  ), counted AS (
    UPDATE usage_label_count c SET labels = n.labels
    FROM (
      SELECT gateway_user_id, kind, starts_at, max(place) AS labels FROM placed WHERE place <= labels_of_day_max() GROUP BY 1, 2, 3
    ) n
    WHERE (c.starts_at, c.gateway_user_id, c.kind) = (n.starts_at, n.gateway_user_id, n.kind)
  )
  SELECT array_agg(gateway_user_id), array_agg(kind), array_agg(starts_at), array_agg(label)
    INTO v_users, v_kinds, v_days, v_labels FROM placed WHERE place > labels_of_day_max();
  IF v_users IS NULL THEN
    RETURN p_sums;
  END IF;
  SELECT array_agg(ROW(f.*)::usage_label_sum) INTO v_sums FROM (
    SELECT s.gateway_user_id, s.kind, s.grain, s.starts_at, CASE WHEN o.label IS NULL THEN s.label ELSE '' END AS label,
      s.api_key_id, s.model, s.outcome, sum(s.calls)::bigint, sum(s.input_tokens)::bigint, sum(s.output_tokens)::bigint,
      sum(s.cache_read_tokens)::bigint, sum(s.cache_write_tokens)::bigint, sum(s.reasoning_tokens)::bigint,
      sum(s.cache_write_1h_tokens)::bigint, sum(s.quota)::bigint, sum(s.settled_quota)::bigint
    FROM unnest(p_sums) s
    LEFT JOIN unnest(v_users, v_kinds, v_days, v_labels) o (gateway_user_id, kind, starts_at, label)
      ON o.gateway_user_id = s.gateway_user_id AND o.kind = s.kind AND o.label = s.label
      AND o.starts_at = date_bin('1 day', s.starts_at, '2000-01-01 00:00:00+00')
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  ) f;
  RETURN v_sums;
END
$$;

-- Adds the calls with labels of these batches on these days.
CREATE OR REPLACE FUNCTION add_label_usage(p_batches bigint[], p_from date, p_to date) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_sums usage_label_sum[];
BEGIN
  SELECT array_agg(s) INTO v_sums FROM sum_label_usage(p_batches, p_from, p_to) s;
  IF v_sums IS NULL THEN
    RETURN;
  END IF;
  -- Rows of all shards meet in the sums of all users, so they are locked in one order.
  INSERT INTO usage_label_sum AS t
    SELECT * FROM unnest(fold_labels(v_sums))
    ORDER BY gateway_user_id, kind, grain, starts_at, label, api_key_id, model, outcome
  ON CONFLICT (gateway_user_id, kind, grain, starts_at, label, api_key_id, model, outcome) DO UPDATE SET
    calls = t.calls + excluded.calls, input_tokens = t.input_tokens + excluded.input_tokens,
    output_tokens = t.output_tokens + excluded.output_tokens, cache_read_tokens = t.cache_read_tokens + excluded.cache_read_tokens,
    cache_write_tokens = t.cache_write_tokens + excluded.cache_write_tokens,
    reasoning_tokens = t.reasoning_tokens + excluded.reasoning_tokens,
    cache_write_1h_tokens = t.cache_write_1h_tokens + excluded.cache_write_1h_tokens, quota = t.quota + excluded.quota,
    settled_quota = t.settled_quota + excluded.settled_quota;
END
$$;

CREATE OR REPLACE FUNCTION open_label_sum_shards() RETURNS void LANGUAGE sql AS $$
  INSERT INTO usage_rollup_checkpoint (source, batch_id) SELECT 'usage_label_sum:' || shard, 0 FROM generate_series(0, 15) shard
  ORDER BY 1 ON CONFLICT DO NOTHING
$$;

-- How many calls with labels are summed at a time, or more only if they are of one batch. Each may have nine labels that no other has, and
-- so 51 sums, all of which are in memory: as many calls take seconds.
CREATE OR REPLACE FUNCTION labelled_calls_at_once() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 2000::bigint
$$;

-- Adds batches to these sums that were just added to those by key, if they are the next ones and have few calls with labels (p_labelled):
-- the sums by key must not fail with those of labels. Otherwise add_label_sums comes to them.
CREATE OR REPLACE FUNCTION follow_user_sums(p_shard integer, p_batches bigint[], p_labelled bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_reached bigint;
BEGIN
  IF p_labelled > labelled_calls_at_once() THEN
    RETURN;
  END IF;
  SELECT batch_id INTO v_reached FROM usage_rollup_checkpoint WHERE source = 'usage_label_sum:' || p_shard FOR UPDATE SKIP LOCKED;
  IF NOT FOUND OR v_reached >= p_batches[1]
    OR EXISTS (SELECT 1 FROM settlement_batch WHERE shard = p_shard AND id > v_reached AND id < p_batches[1]) THEN
    RETURN;
  END IF;
  IF p_labelled > 0 THEN
    PERFORM add_label_usage(p_batches, '2000-01-01', '9999-01-01');
  END IF;
  UPDATE usage_rollup_checkpoint SET batch_id = p_batches[cardinality(p_batches)], caught_up_at = now()
  WHERE source = 'usage_label_sum:' || p_shard;
END
$$;

-- Adds the next batches of a shard that are in the sums by key and not in these: those of earlier releases, and those that follow_user_sums
-- has left.
CREATE OR REPLACE FUNCTION add_label_sums(p_shard integer, p_rows integer)
RETURNS TABLE (outcome text, batches integer, rows_added bigint)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_source text := 'usage_label_sum:' || p_shard;
  v_from bigint;
  v_until bigint;
  v_ids bigint[];
  v_rows bigint;
BEGIN
  IF p_shard NOT BETWEEN 0 AND 15 THEN RAISE EXCEPTION 'shard % does not exist', p_shard; END IF;
  IF NOT EXISTS (SELECT 1 FROM usage_rollup_checkpoint WHERE source = v_source) THEN PERFORM open_label_sum_shards(); END IF;
  SELECT batch_id INTO v_from FROM usage_rollup_checkpoint WHERE source = v_source FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'busy', 0, 0::bigint;
    RETURN;
  END IF;
  SELECT batch_id INTO v_until FROM usage_rollup_checkpoint WHERE source = 'usage_user_sum:' || p_shard;
  SELECT array_agg(id ORDER BY id), sum(rows) INTO v_ids, v_rows FROM (
    SELECT b.id, b.rows, sum(b.rows) OVER (ORDER BY b.id) - b.rows AS rows_before
    FROM (
      SELECT id, rows FROM settlement_batch WHERE shard = p_shard AND id > v_from AND id <= v_until ORDER BY id LIMIT 500
    ) b
  ) next WHERE rows_before < p_rows;
  IF v_ids IS NULL THEN
    RETURN QUERY SELECT 'done', 0, 0::bigint;
    RETURN;
  END IF;
  PERFORM add_label_usage(v_ids, '2000-01-01', '9999-01-01');
  UPDATE usage_rollup_checkpoint SET batch_id = v_ids[cardinality(v_ids)], caught_up_at = now() WHERE source = v_source;
  RETURN QUERY SELECT 'more', cardinality(v_ids), v_rows;
END
$$;

-- Makes the sums of a UTC day again, a few batches at a time: those of a whole day may be more than an array holds. Batches of which
-- nothing but their number is known are read together, because each time takes a look at all calls of the day. The caller has locked
-- all checkpoints.
CREATE OR REPLACE FUNCTION rebuild_label_day(p_day date) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_batches bigint[];
BEGIN
  DELETE FROM usage_label_sum WHERE (starts_at AT TIME ZONE 'UTC')::date = p_day;
  DELETE FROM usage_label_count WHERE starts_at = (p_day::timestamp AT TIME ZONE 'UTC');
  FOR v_batches IN
    SELECT array_agg(batch_id) FROM (
      SELECT l.batch_id,
        CASE WHEN b.id IS NULL THEN -1 ELSE div(sum(l.calls) OVER (ORDER BY l.batch_id) - l.calls, labelled_calls_at_once()) END AS step
      FROM (
        SELECT batch_id, count(*) AS calls FROM settled_call WHERE day BETWEEN p_day - 1 AND p_day + 1 GROUP BY batch_id
      ) l LEFT JOIN settlement_batch b ON b.id = l.batch_id
      JOIN usage_rollup_checkpoint c ON c.source = 'usage_label_sum:' || coalesce(b.shard, 0) AND c.batch_id >= l.batch_id
    ) steps GROUP BY step ORDER BY step
  LOOP
    PERFORM add_label_usage(v_batches, p_day, p_day);
  END LOOP;
END
$$;

-- Whether a shard's sums by label have every batch that those by key have.
CREATE OR REPLACE FUNCTION label_sums_reach(p_shard bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT 1 FROM usage_rollup_checkpoint l JOIN usage_rollup_checkpoint u ON u.source = 'usage_user_sum:' || p_shard
    WHERE l.source = 'usage_label_sum:' || p_shard AND NOT EXISTS (
      SELECT 1 FROM settlement_batch b WHERE b.shard = p_shard AND b.id > l.batch_id AND b.id <= u.batch_id
    )
  )
$$;

-- Whether every call of a user with labels is either in these sums or returned by unsummed_labels at the same moment. Batches of
-- earlier releases, which have users of all shards, are in the first.
CREATE OR REPLACE FUNCTION has_label_sums(p_user bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT has_user_sums(p_user) AND label_sums_reach(p_user & 15) AND label_sums_reach(0)
$$;

-- The calls of a user with labels that began in a span and are in no sum yet; all calls with labels of the span when has_label_sums is
-- false.
CREATE OR REPLACE FUNCTION unsummed_labels(p_user bigint, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (started_at timestamptz, end_user text, tags text[], api_key_id bigint, model text, outcome text, input_tokens bigint,
  output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint, reasoning_tokens bigint, cache_write_1h_tokens bigint,
  quota bigint, rate_multiplier numeric)
LANGUAGE plpgsql STABLE ROWS 100 AS $$
#variable_conflict use_column
BEGIN
  IF has_label_sums(p_user) THEN
    RETURN QUERY SELECT u.started_at, u.end_user, u.tags, u.api_key_id, u.model, u.outcome, u.input_tokens, u.output_tokens,
        u.cache_read_tokens, u.cache_write_tokens, u.reasoning_tokens, u.cache_write_1h_tokens, u.quota, u.rate_multiplier
      FROM unsummed_usage(p_user, p_from, p_to) u WHERE u.end_user IS NOT NULL OR u.tags IS NOT NULL;
    RETURN;
  END IF;
  RETURN QUERY SELECT u.started_at, u.end_user, u.tags, u.api_key_id, u.model, u.outcome, u.input_tokens, u.output_tokens,
      u.cache_read_tokens, u.cache_write_tokens, u.reasoning_tokens, u.cache_write_1h_tokens, u.quota, u.rate_multiplier
    FROM usage_log u
    WHERE u.gateway_user_id = p_user AND (u.end_user IS NOT NULL OR u.tags IS NOT NULL)
      AND u.day BETWEEN (p_from AT TIME ZONE 'UTC')::date - 1 AND (p_to AT TIME ZONE 'UTC')::date + 1
      AND u.started_at >= p_from AND u.started_at < p_to;
END
$$;

-- Every sum of a UTC day that differs from the log. Of a user with more labels than a day has, and on days whose labels are being erased,
-- only those of all labels together can be compared, or none.
CREATE OR REPLACE FUNCTION check_label_day(p_day date) RETURNS TABLE (slice text, starts_at timestamptz, subject text, detail text)
LANGUAGE sql STABLE AS $$
  WITH actual AS (
    SELECT * FROM usage_label_sum s WHERE (s.starts_at AT TIME ZONE 'UTC')::date = p_day
  )
  SELECT 'label_' || coalesce(e.grain, a.grain), coalesce(e.starts_at, a.starts_at),
    'user ' || coalesce(e.gateway_user_id, a.gateway_user_id) || ', ' || coalesce(e.kind, a.kind) || ', key '
      || coalesce(e.api_key_id, a.api_key_id) || ', model ' || coalesce(e.model, a.model) || ', ' || coalesce(e.outcome, a.outcome),
    coalesce(a.calls::text, 'no') || ' calls, ' || coalesce(e.calls::text, 'no') || ' in the log'
  FROM sum_label_usage(NULL, p_day, p_day) e FULL JOIN actual a
    ON (e.gateway_user_id, e.kind, e.grain, e.starts_at, e.label, e.api_key_id, e.model, e.outcome)
    = (a.gateway_user_id, a.kind, a.grain, a.starts_at, a.label, a.api_key_id, a.model, a.outcome)
  WHERE e IS DISTINCT FROM a
    AND p_day >= (SELECT min((s.starts_at AT TIME ZONE 'UTC')::date) FROM usage_label_sum s)
    AND (coalesce(e.gateway_user_id, a.gateway_user_id), coalesce(e.kind, a.kind)) NOT IN (
      SELECT f.gateway_user_id, f.kind FROM actual f WHERE f.label = '' AND f.kind IN ('end_user', 'tag')
    )
$$;
