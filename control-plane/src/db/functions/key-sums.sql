-- The sums of each user by key, model and outcome, from which users' pages are computed. They follow the batches of the
-- settlement like the sums in usage_rollup, with checkpoints of their own: `usage_user_sum:<shard>`.

-- The calls in the lists of these batches. However many they are, the planner expects that a table of them fits into memory.
CREATE OR REPLACE FUNCTION listed_calls(p_batches bigint[]) RETURNS TABLE (batch_id bigint, day date, request_id uuid)
LANGUAGE plpgsql STABLE ROWS 2000 SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT l.batch_id, l.day, unnest(l.calls) FROM settled_calls l WHERE l.batch_id = ANY (p_batches);
END
$$;

-- What sums are taken from: `u`, the rows of the log, and `s`, what they are settled as, of the batches p_batches, or of all that
-- the sums p_sums have reached, on the days from $2 to $3. $1 is p_batches.
--
-- Batches are read in the span of the log that each names, whatever the planner expects of a partition that has just begun. Their
-- lists and rows of the settlement are looked at only where a span may have rows of other batches. Batches of earlier releases name no
-- span: their rows are found by their number, for which the days of that time have an index.
CREATE OR REPLACE FUNCTION settled_usage_text(p_batches bigint[], p_sums text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN p_batches IS NULL THEN format($all$
    settled_call l LEFT JOIN settlement_batch b ON b.id = l.batch_id
    JOIN usage_rollup_checkpoint c ON c.source = %L || coalesce(b.shard, 0) AND c.batch_id >= l.batch_id AND l.day BETWEEN $2 AND $3
    JOIN usage_log u ON u.day = l.day AND u.request_id = l.request_id AND u.day BETWEEN $2 AND $3
    CROSS JOIN LATERAL (SELECT coalesce(l.settled_quota, u.quota) AS settled_quota) s
  $all$, p_sums || ':')
  WHEN EXISTS (SELECT 1 FROM unnest(p_batches) p (id) LEFT JOIN settlement_batch b ON b.id = p.id WHERE b.first_xid IS NULL) THEN $days$
    (
      SELECT day, request_id, settled_quota FROM settled_call WHERE batch_id = ANY ($1) AND day BETWEEN $2 AND $3 OFFSET 0
    ) r CROSS JOIN LATERAL (
      SELECT * FROM usage_log l WHERE l.day = r.day AND l.request_id = r.request_id AND l.day BETWEEN $2 AND $3 OFFSET 0
    ) u CROSS JOIN LATERAL (SELECT coalesce(r.settled_quota, u.quota) AS settled_quota) s
  $days$ ELSE $span$
    (
      SELECT *, coalesce(whole_on = (SELECT system_identifier FROM pg_control_system()), false) AND EXISTS (
        SELECT 1 FROM settlement_checkpoint c WHERE c.source = 'usage_log:' || shard AND c.system_identifier = whole_on::text AND c.whole_after < id
      ) AS is_whole
      FROM settlement_batch WHERE id = ANY ($1) OFFSET 0
    ) b CROSS JOIN LATERAL (
      SELECT * FROM usage_log l
      WHERE (l.gateway_user_id & 15) = b.shard AND l.xid BETWEEN b.first_xid AND b.last_xid AND l.day BETWEEN $2 AND $3
        AND (l.xid, l.request_id) >= (b.first_xid, b.first_request_id) AND (l.xid, l.request_id) <= (b.last_xid, b.last_request_id)
        AND (b.is_whole OR (b.id, l.day, l.request_id) IN (SELECT batch_id, day, request_id FROM listed_calls($1)) OR EXISTS (
          SELECT 1 FROM usage_settlement r
          WHERE r.day = l.day AND r.request_id = l.request_id AND r.batch_id = b.id AND r.day BETWEEN $2 AND $3
        ))
      OFFSET 0
    ) u CROSS JOIN LATERAL (SELECT settled_quota_of(u.quota, u.rate_multiplier) AS settled_quota) s
  $span$ END
$$;

-- The query of the sums over the settled usage rows of some batches, with $1 to $3 as above, that began on the UTC days from $4 to $5.
-- `labelled` is how many of the calls have an end user or tags.
CREATE OR REPLACE FUNCTION user_sums_text(p_batches bigint[]) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT format($query$
    SELECT user_id, CASE grouping(quarter) WHEN 0 THEN 'quarter' ELSE 'hours' END, coalesce(quarter, hours), key_id, model_name,
      outcome, sum(calls)::bigint, sum(input_tokens)::bigint, sum(output_tokens)::bigint, sum(cache_read_tokens)::bigint,
      sum(cache_write_tokens)::bigint, sum(reasoning_tokens)::bigint, sum(cache_write_1h_tokens)::bigint, sum(base_quota)::bigint,
      sum(settled_quota)::bigint, sum(labelled)::bigint
    FROM (
      SELECT *, date_bin('2 hours', quarter, '2000-01-01 00:00:00+00') AS hours
      FROM (
        SELECT date_bin('15 minutes', u.started_at, '2000-01-01 00:00:00+00') AS quarter, u.gateway_user_id AS user_id,
          u.api_key_id AS key_id, coalesce(u.model, '') AS model_name, u.outcome, count(*) AS calls,
          sum(usage_count(u.input_tokens)) AS input_tokens, sum(usage_count(u.output_tokens)) AS output_tokens,
          sum(usage_count(u.cache_read_tokens)) AS cache_read_tokens, sum(usage_count(u.cache_write_tokens)) AS cache_write_tokens,
          sum(usage_count(u.reasoning_tokens)) AS reasoning_tokens,
          sum(usage_count(u.cache_write_1h_tokens)) AS cache_write_1h_tokens, sum(u.quota) AS base_quota,
          sum(s.settled_quota) AS settled_quota, count(coalesce(u.end_user, u.tags[1])) AS labelled
        FROM %s
        WHERE u.started_at >= ($4::timestamp AT TIME ZONE 'UTC') AND u.started_at < (($5 + 1)::timestamp AT TIME ZONE 'UTC')
        GROUP BY 1, 2, 3, 4, 5
      ) by_quarter
    ) counted
    GROUP BY GROUPING SETS ((user_id, key_id, model_name, outcome, quarter), (user_id, key_id, model_name, outcome, hours))
  $query$, settled_usage_text(p_batches, 'usage_user_sum'))
$$;

-- The first and the last UTC day of the rows of these batches, within those that may have rows of the days from p_from to p_to.
CREATE OR REPLACE FUNCTION days_of_batches(p_batches bigint[], p_from date, p_to date, OUT first date, OUT last date)
LANGUAGE sql STABLE AS $$
  SELECT greatest(p_from - 1, min(coalesce(first_day, p_from - 1))), least(p_to + 1, max(coalesce(last_day, p_to + 1)))
  FROM settlement_batch WHERE id = ANY (p_batches)
$$;

-- The sums over the settled usage rows of some batches that began on some UTC days (from p_from to p_to). p_batches
-- names the batches; null are all that these sums have reached.
CREATE OR REPLACE FUNCTION sum_user_usage(p_batches bigint[], p_from date, p_to date) RETURNS SETOF usage_user_sum
LANGUAGE plpgsql STABLE ROWS 1000 AS $$
DECLARE
  v_days record;
BEGIN
  SELECT * INTO v_days FROM days_of_batches(p_batches, p_from, p_to);
  RETURN QUERY EXECUTE format('SELECT c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15 FROM (%s) '
    'sums (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, labelled)', user_sums_text(p_batches))
    USING p_batches, v_days.first, v_days.last, p_from, p_to;
END
$$;

-- Creates the checkpoints of these sums. They begin with the first batch there is: earlier releases had no such sums.
CREATE OR REPLACE FUNCTION open_user_sum_shards() RETURNS void LANGUAGE sql AS $$
  INSERT INTO usage_rollup_checkpoint (source, batch_id) SELECT 'usage_user_sum:' || shard, 0 FROM generate_series(0, 15) shard
  ORDER BY 1 ON CONFLICT DO NOTHING
$$;

-- Adds the next batches of a shard to these sums, as roll_shard_up does to the others, and to those by label, for which their rows are
-- read again only if any has labels, and not too many.
CREATE OR REPLACE FUNCTION add_user_sums(p_shard integer, p_rows integer)
RETURNS TABLE (outcome text, batches integer, rows_added bigint)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_source text := 'usage_user_sum:' || p_shard;
  v_step record;
  v_days record;
  v_labelled bigint;
BEGIN
  IF p_shard NOT BETWEEN 0 AND 15 THEN RAISE EXCEPTION 'shard % does not exist', p_shard; END IF;
  IF NOT EXISTS (SELECT 1 FROM usage_rollup_checkpoint WHERE source = v_source) THEN PERFORM open_user_sum_shards(); END IF;
  IF NOT EXISTS (SELECT 1 FROM usage_rollup_checkpoint WHERE source = 'usage_label_sum:' || p_shard) THEN
    PERFORM open_label_sum_shards();
  END IF;
  SELECT * INTO v_step FROM take_settlement_batches(v_source, p_shard, p_rows);
  IF v_step.ids IS NULL THEN
    RETURN QUERY SELECT v_step.outcome, 0, 0::bigint;
    RETURN;
  END IF;
  SELECT * INTO v_days FROM days_of_batches(v_step.ids, '2000-01-01', '9999-01-01');
  EXECUTE format($query$
    WITH sums (gateway_user_id, grain, starts_at, api_key_id, model, outcome, calls, input_tokens, output_tokens, cache_read_tokens,
      cache_write_tokens, reasoning_tokens, cache_write_1h_tokens, quota, settled_quota, labelled) AS MATERIALIZED (%s),
    added AS (
      INSERT INTO usage_user_sum AS t
      SELECT gateway_user_id, grain, starts_at, api_key_id, model, outcome, calls, input_tokens, output_tokens, cache_read_tokens,
        cache_write_tokens, reasoning_tokens, cache_write_1h_tokens, quota, settled_quota
      -- Ordered, because batches of earlier releases have users of all shards.
      FROM sums ORDER BY gateway_user_id, grain, starts_at, api_key_id, model, outcome
      ON CONFLICT (gateway_user_id, grain, starts_at, api_key_id, model, outcome) DO UPDATE SET
        calls = t.calls + excluded.calls, input_tokens = t.input_tokens + excluded.input_tokens,
        output_tokens = t.output_tokens + excluded.output_tokens, cache_read_tokens = t.cache_read_tokens + excluded.cache_read_tokens,
        cache_write_tokens = t.cache_write_tokens + excluded.cache_write_tokens,
        reasoning_tokens = t.reasoning_tokens + excluded.reasoning_tokens,
        cache_write_1h_tokens = t.cache_write_1h_tokens + excluded.cache_write_1h_tokens, quota = t.quota + excluded.quota,
        settled_quota = t.settled_quota + excluded.settled_quota
    )
    SELECT sum(labelled) FROM sums
  $query$, user_sums_text(v_step.ids)) INTO v_labelled
    USING v_step.ids, v_days.first, v_days.last, '2000-01-01'::date, '9999-01-01'::date;
  PERFORM follow_user_sums(p_shard, v_step.ids, v_labelled);
  RETURN QUERY SELECT v_step.outcome, cardinality(v_step.ids), v_step.rows;
END
$$;

-- Whether every call of a user is either in these sums or returned by unsummed_usage at the same moment. It is not
-- while batches of an earlier release, which have users of all shards, are still to be added, and not while the log is
-- read again by day and id.
CREATE OR REPLACE FUNCTION has_user_sums(p_user bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_first bigint;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM settlement_checkpoint WHERE source = 'usage_log:' || (p_user & 15) AND reconcile_day IS NULL
    AND system_identifier = (SELECT system_identifier::text FROM pg_control_system())) THEN
    RETURN false;
  END IF;
  SELECT batch_id INTO v_first FROM usage_rollup_checkpoint WHERE source = 'usage_user_sum:0';
  RETURN FOUND AND NOT EXISTS (
    SELECT 1 FROM (SELECT first_day FROM settlement_batch WHERE shard = 0 AND id > v_first ORDER BY id LIMIT 1) next
    WHERE first_day IS NULL
  );
END
$$;

-- The calls of a user that began in a span and are in no sum yet: those that are not settled, and those of the
-- batches that were not added. All calls of the span when has_user_sums is false.
--
-- It reads what the user's shard has written since the last run of the settlement, and looks for the user in it: the
-- index by user would lead through all of the user's calls, which is why it is kept from being used.
CREATE OR REPLACE FUNCTION unsummed_usage(p_user bigint, p_from timestamptz, p_to timestamptz) RETURNS SETOF usage_log
LANGUAGE plpgsql STABLE ROWS 100 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_shard bigint := p_user & 15;
  v_settled settlement_checkpoint;
  v_summed bigint;
  v_first_xid xid8;
  v_last_xid xid8;
  v_first date := (p_from AT TIME ZONE 'UTC')::date - 1;
  v_last date := (p_to AT TIME ZONE 'UTC')::date + 1;
  v_batches bigint[];
BEGIN
  IF NOT has_user_sums(p_user) THEN
    RETURN QUERY SELECT u.* FROM usage_log u
      WHERE u.gateway_user_id = p_user AND u.day BETWEEN v_first AND v_last AND u.started_at >= p_from AND u.started_at < p_to;
    RETURN;
  END IF;
  SELECT * INTO v_settled FROM settlement_checkpoint WHERE source = 'usage_log:' || v_shard;
  SELECT batch_id INTO v_summed FROM usage_rollup_checkpoint WHERE source = 'usage_user_sum:' || v_shard;
  RETURN QUERY WITH waiting AS MATERIALIZED (
      SELECT u.* FROM usage_log u
      WHERE (u.gateway_user_id & 15) = v_shard AND u.xid >= v_settled.xid
        AND (u.xid, u.request_id) > (v_settled.xid, v_settled.request_id)
        AND u.xid < pg_snapshot_xmax(pg_current_snapshot())
        AND u.gateway_user_id + 0 = p_user AND u.started_at >= p_from AND u.started_at < p_to
        AND NOT EXISTS (SELECT 1 FROM settlement_quarantine q WHERE q.day = u.day AND q.request_id = u.request_id)
    )
    -- After the log was read again, some of them are settled.
    SELECT w.* FROM waiting w WHERE (w.day, w.request_id) NOT IN (
      SELECT k.day, k.request_id
      FROM (SELECT array_agg(day) AS days, array_agg(request_id) AS requests, array_agg(xid) AS xids FROM waiting) a
      CROSS JOIN LATERAL settled_near(v_shard::integer, a.days, a.requests, a.xids) k
    );
  -- Once over the spans of all batches, and by no day, which would have the planner prefer to read whole days.
  SELECT min(first_xid), max(last_xid), array_agg(id) FILTER (WHERE first_xid IS NOT NULL) INTO v_first_xid, v_last_xid, v_batches
    FROM settlement_batch WHERE shard = v_shard AND id > v_summed;
  RETURN QUERY SELECT u.* FROM usage_log u
    WHERE (u.gateway_user_id & 15) = v_shard AND u.xid >= v_first_xid AND u.xid <= v_last_xid
      AND u.gateway_user_id + 0 = p_user AND u.started_at >= p_from AND u.started_at < p_to
      AND (u.request_id IN (SELECT l.request_id FROM listed_calls(v_batches) l)
        OR EXISTS (SELECT 1 FROM usage_settlement s JOIN settlement_batch b ON b.id = s.batch_id
          WHERE s.day = u.day AND s.request_id = u.request_id AND b.id > v_summed AND b.first_xid IS NOT NULL));
  -- Batches of earlier releases name no span, and have no lists.
  RETURN QUERY SELECT u.* FROM settlement_batch b
    CROSS JOIN LATERAL (
      SELECT day, request_id FROM usage_settlement s
      WHERE s.batch_id = b.id AND s.gateway_user_id = p_user AND s.day BETWEEN b.first_day AND b.last_day OFFSET 0
    ) s
    CROSS JOIN LATERAL (SELECT * FROM usage_log l WHERE l.day = s.day AND l.request_id = s.request_id OFFSET 0) u
    WHERE b.shard = v_shard AND b.id > v_summed AND b.first_xid IS NULL AND u.started_at >= p_from AND u.started_at < p_to;
  RETURN QUERY SELECT u.* FROM settlement_quarantine q
    JOIN usage_log u ON u.day = q.day AND u.request_id = q.request_id
    WHERE u.gateway_user_id + 0 = p_user AND u.started_at >= p_from AND u.started_at < p_to
      AND NOT is_settled(q.day, p_user, q.request_id);
END
$$;
