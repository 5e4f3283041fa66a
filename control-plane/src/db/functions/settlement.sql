-- Settles the next rows of the usage log of one shard, at most p_limit, in the caller's transaction, and moves the
-- shard's checkpoint. `outcome` is `busy` when another caller is doing this, `more` when there may be more to do, else
-- `done`.
--
-- The users are divided into sixteen shards, each with its own checkpoint and its own house account. Users have one
-- shard, so what shards lock is never the same, and they are settled at the same time. Without p_shard, the step is that
-- of the first shard with something to do: previous releases know no shards.
CREATE OR REPLACE FUNCTION settle_usage(p_limit integer, p_is_reconciled boolean DEFAULT false, p_shard integer DEFAULT NULL)
RETURNS TABLE (outcome text, rows_settled integer, base_quota bigint, settled_quota bigint, rows_refused integer, cursor_xid text,
  is_reconciling boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_shard integer;
  v_step record;
  v_is_busy boolean := false;
  v_is_last boolean := true;
BEGIN
  IF p_limit < 1 THEN RAISE EXCEPTION 'a limit must be positive'; END IF;
  IF p_shard IS NOT NULL THEN
    RETURN QUERY SELECT * FROM settle_usage_shard(p_shard, p_limit, p_is_reconciled);
    RETURN;
  END IF;
  IF p_is_reconciled THEN
    PERFORM open_settlement_shards();
    UPDATE settlement_checkpoint SET reconcile_day = '-infinity', reconcile_request_id = '00000000-0000-0000-0000-000000000000'
    WHERE source LIKE 'usage_log:%';
  END IF;
  FOR v_shard IN SELECT generate_series(0, 15) LOOP
    SELECT * INTO v_step FROM settle_usage_shard(v_shard, p_limit, false);
    v_is_busy := v_is_busy OR v_step.outcome = 'busy';
    v_is_last := v_is_last AND v_step.outcome <> 'more';
    IF v_step.rows_settled > 0 OR v_step.rows_refused > 0 THEN
      RETURN QUERY SELECT 'more', v_step.rows_settled, v_step.base_quota, v_step.settled_quota, v_step.rows_refused,
        v_step.cursor_xid, v_step.is_reconciling;
      RETURN;
    END IF;
  END LOOP;
  RETURN QUERY SELECT CASE WHEN NOT v_is_last THEN 'more' WHEN v_is_busy THEN 'busy' ELSE 'done' END, 0, 0::bigint, 0::bigint, 0,
    v_step.cursor_xid, v_step.is_reconciling;
END
$$;

-- A step of one shard.
--
-- A row that makes its step fail is found by taking fewer and fewer rows, and is put into the quarantine; the others
-- are settled. What is not a row's fault fails the step, and the next step tries again.
--
-- When the database was restored on another server, the transaction numbers in the log mean nothing any more: everything is
-- read again by day and id, and the cursor starts over with the rows written from now on. So it is without a checkpoint,
-- and with p_is_reconciled.
CREATE OR REPLACE FUNCTION settle_usage_shard(p_shard integer, p_limit integer, p_is_reconciled boolean)
RETURNS TABLE (outcome text, rows_settled integer, base_quota bigint, settled_quota bigint, rows_refused integer, cursor_xid text,
  is_reconciling boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_source text := 'usage_log:' || p_shard;
  v_nil uuid := '00000000-0000-0000-0000-000000000000';
  v_server text := (SELECT system_identifier::text FROM pg_control_system());
  v_from settlement_checkpoint;
  v_step settlement_step;
  v_limit integer := p_limit;
  v_makes_partitions boolean := false;
  v_partitions_missed integer := 0;
  v_lacks_partition boolean;
  v_are_new boolean;
  v_first uuid;
  v_fault text;
  v_constraint text;
  v_table text;
  v_is_last boolean;
BEGIN
  IF p_shard NOT BETWEEN 0 AND 15 THEN RAISE EXCEPTION 'shard % does not exist', p_shard; END IF;
  SELECT * INTO v_from FROM settlement_checkpoint WHERE source = v_source FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    IF NOT EXISTS (SELECT 1 FROM settlement_checkpoint WHERE source = v_source) THEN
      PERFORM open_settlement_shards();
    END IF;
    -- Another caller may have opened it in the meantime.
    SELECT * INTO v_from FROM settlement_checkpoint WHERE source = v_source FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      RETURN QUERY SELECT 'busy', 0, 0::bigint, 0::bigint, 0, NULL::text, NULL::boolean;
      RETURN;
    END IF;
  END IF;
  IF v_from.system_identifier <> v_server THEN
    v_from.system_identifier := v_server;
    v_from.xid := pg_snapshot_xmin(pg_current_snapshot());
    v_from.request_id := v_nil;
    -- The database may have been on this server before: rows that were written elsewhere may have the numbers of that time.
    v_from.whole_after := coalesce((SELECT max(id) FROM settlement_batch), 0);
    v_from.reconcile_day := '-infinity';
    v_from.reconcile_request_id := v_nil;
  ELSIF p_is_reconciled THEN
    v_from.reconcile_day := '-infinity';
    v_from.reconcile_request_id := v_nil;
  END IF;
  v_are_new := v_from.reconcile_day IS NULL;
  LOOP
    IF v_limit = 1 THEN v_first := (SELECT r.request_id FROM next_usage_rows(v_from, 1) r); END IF;
    BEGIN
      IF v_makes_partitions THEN PERFORM make_settlement_partitions(v_from, v_limit); END IF;
      v_step := settle_usage_step(v_from, v_limit, v_are_new);
      EXIT;
    EXCEPTION
      -- Some rows are settled already. Otherwise no row of the log causes this: a batch number is taken, and the next step gets another.
      WHEN unique_violation THEN
        GET STACKED DIAGNOSTICS v_table = TABLE_NAME;
        IF NOT v_are_new OR (v_table <> 'settled_calls' AND v_table NOT LIKE 'usage\_settlement%') THEN RAISE; END IF;
        v_are_new := false;
        CONTINUE;
      WHEN data_exception OR integrity_constraint_violation THEN
        GET STACKED DIAGNOSTICS v_fault = MESSAGE_TEXT, v_constraint = CONSTRAINT_NAME;
        -- Nor a missing partition: rows of another day may come in after those of these rows were created. A violated check has
        -- the same code but names its constraint.
        v_lacks_partition := SQLSTATE = '23514' AND v_constraint = '';
        v_partitions_missed := v_partitions_missed + v_lacks_partition::integer;
        IF v_partitions_missed > 3 THEN RAISE; END IF;
    END;
    IF v_lacks_partition OR NOT v_makes_partitions THEN
      v_makes_partitions := true;
    ELSIF v_limit > 1 THEN
      v_limit := v_limit / 2;
    ELSE
      v_step := quarantine_usage_row(v_from, v_fault, v_first);
      EXIT WHEN v_step.rows_read = 1;
    END IF;
  END LOOP;
  v_is_last := v_step.rows_read < v_limit;
  IF v_from.reconcile_day IS NULL THEN
    v_from.xid := coalesce(v_step.last_xid, v_from.xid);
    v_from.request_id := coalesce(v_step.last_request_id, v_from.request_id);
  ELSE
    v_from.reconcile_day := CASE WHEN NOT v_is_last THEN v_step.last_day END;
    v_from.reconcile_request_id := CASE WHEN NOT v_is_last THEN v_step.last_request_id END;
    v_is_last := false;
  END IF;
  UPDATE settlement_checkpoint SET xid = v_from.xid, request_id = v_from.request_id,
    system_identifier = v_from.system_identifier, reconcile_day = v_from.reconcile_day,
    reconcile_request_id = v_from.reconcile_request_id, whole_after = v_from.whole_after, updated_at = now()
  WHERE source = v_source;
  RETURN QUERY SELECT CASE WHEN v_is_last THEN 'done' ELSE 'more' END, v_step.rows_settled, v_step.base_quota,
    v_step.settled_quota, v_step.rows_refused, v_from.xid::text, v_from.reconcile_day IS NOT NULL;
END
$$;

-- Creates the checkpoints of all shards. They start where the only checkpoint of earlier releases is, which may lag:
-- a row that is settled already changes nothing.
CREATE OR REPLACE FUNCTION open_settlement_shards() RETURNS void LANGUAGE sql AS $$
  INSERT INTO settlement_checkpoint (source, xid, request_id, system_identifier, reconcile_day, reconcile_request_id, updated_at)
  SELECT 'usage_log:' || shard, coalesce(c.xid, '0'), coalesce(c.request_id, '00000000-0000-0000-0000-000000000000'),
    coalesce(c.system_identifier, ''), c.reconcile_day, c.reconcile_request_id, coalesce(c.updated_at, '-infinity')
  FROM generate_series(0, 15) shard LEFT JOIN settlement_checkpoint c ON c.source = 'usage_log'
  ORDER BY 1 ON CONFLICT DO NOTHING
$$;

-- What a call with this cost and multiplier is settled as.
CREATE OR REPLACE FUNCTION settled_quota_of(p_quota bigint, p_multiplier numeric) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE p_multiplier WHEN 1 THEN p_quota ELSE ceil(p_quota * p_multiplier)::bigint END
$$;

-- Calls of a shard that are settled: at least those among these, which the log has from these transactions, and others that began in
-- the same minutes.
CREATE OR REPLACE FUNCTION settled_near(p_shard integer, p_days date[], p_requests uuid[], p_xids xid8[])
RETURNS TABLE (day date, request_id uuid)
LANGUAGE plpgsql STABLE ROWS 2000 SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT s.day, s.request_id
    FROM unnest(p_days, p_requests) AS c (day, request_id) JOIN usage_settlement s ON s.day = c.day AND s.request_id = c.request_id;
  RETURN QUERY SELECT l.day, unnest(l.calls)
    FROM (
      SELECT DISTINCT l.day, l.minute, l.last_xid, l.batch_id
      FROM (SELECT DISTINCT c.day, left(c.request_id::text, 8) AS minute, c.xid FROM unnest(p_days, p_requests, p_xids) AS c (day, request_id, xid)) m
      JOIN settled_calls l ON l.day = m.day AND l.shard = p_shard AND l.minute = m.minute AND l.last_xid >= m.xid AND l.first_xid <= m.xid
    ) near
    JOIN settled_calls l ON l.day = near.day AND l.shard = p_shard AND l.minute = near.minute AND l.last_xid = near.last_xid
      AND l.batch_id = near.batch_id;
END
$$;

-- Whether a call is settled.
CREATE OR REPLACE FUNCTION is_settled(p_day date, p_user bigint, p_request uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM usage_settlement WHERE day = p_day AND request_id = p_request)
    OR EXISTS (
      SELECT 1 FROM settled_calls
      WHERE day = p_day AND shard = (p_user & 15) AND minute = left(p_request::text, 8) AND p_request = ANY (calls)
    )
$$;

-- Locks the checkpoints of these shards until the transaction ends, so that no two settle a call at the same time.
CREATE OR REPLACE FUNCTION hold_settlement_checkpoints(p_shards bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_held integer;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'calls are settled in transactions that see what others have committed';
  END IF;
  PERFORM 1 FROM settlement_checkpoint WHERE source IN (SELECT 'usage_log:' || shard FROM unnest(p_shards) shard) ORDER BY source FOR UPDATE;
  GET DIAGNOSTICS v_held = ROW_COUNT;
  IF v_held < cardinality(p_shards) THEN RAISE EXCEPTION 'of the shards %, one has no checkpoint', p_shards; END IF;
END
$$;

-- Refuses a list of anything but calls that the log has of its day, shard and minute, from the transactions that it names, and with a
-- multiplier of one; and one with a call that is settled already. The log has a call from one transaction and never changes, so lists
-- that have none in common are not compared.
CREATE OR REPLACE FUNCTION refuse_settled_calls() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_list settled_calls;
  v_logged uuid[];
BEGIN
  PERFORM hold_settlement_checkpoints(ARRAY(SELECT DISTINCT shard FROM written));
  FOR v_list IN SELECT * FROM written LOOP
    SELECT array_agg(DISTINCT u.request_id) INTO v_logged
      FROM usage_log u
      -- The sum keeps the planner from the index by shard. A join would take ten times as long.
      WHERE u.day = v_list.day AND u.request_id = ANY (v_list.calls) AND (u.gateway_user_id & 15) + 0 = v_list.shard
        AND u.rate_multiplier = 1 AND u.xid BETWEEN v_list.first_xid AND v_list.last_xid;
    IF v_logged IS DISTINCT FROM v_list.calls OR left(v_logged[1]::text, 8) <> v_list.minute
      OR left(v_logged[cardinality(v_logged)]::text, 8) <> v_list.minute
    THEN
      RAISE EXCEPTION 'the calls of batch % are not different ones of shard % and the minute %, in order, with a multiplier of one',
        v_list.batch_id, v_list.shard, v_list.minute;
    END IF;
    IF EXISTS (
      SELECT unnest(v_list.calls)
      INTERSECT
      SELECT unnest(o.calls) FROM settled_calls o
      WHERE o.day = v_list.day AND o.shard = v_list.shard AND o.minute = v_list.minute
        AND o.last_xid >= v_list.first_xid AND o.first_xid <= v_list.last_xid
        AND (o.last_xid, o.batch_id) <> (v_list.last_xid, v_list.batch_id)
    ) OR EXISTS (SELECT 1 FROM usage_settlement s WHERE s.day = v_list.day AND s.request_id = ANY (v_list.calls)) THEN
      RAISE EXCEPTION 'a call of batch % is settled already', v_list.batch_id USING ERRCODE = 'unique_violation', TABLE = TG_TABLE_NAME;
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

-- Refuses a row of a call that the log does not have of its user, and one of a call that is in a list. Two rows of a call are refused by
-- their key.
CREATE OR REPLACE FUNCTION refuse_listed_calls() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_day date;
  v_requests uuid[];
  v_users bigint[];
  v_logged bigint[];
  v_xids xid8[];
BEGIN
  PERFORM hold_settlement_checkpoints(ARRAY(SELECT DISTINCT gateway_user_id & 15 FROM written));
  FOR v_day, v_requests, v_users IN
    SELECT day, array_agg(request_id ORDER BY request_id), array_agg(gateway_user_id ORDER BY request_id) FROM written GROUP BY day
  LOOP
    SELECT array_agg(u.gateway_user_id ORDER BY u.request_id), array_agg(u.xid ORDER BY u.request_id) INTO v_logged, v_xids
      FROM usage_log u WHERE u.day = v_day AND u.request_id = ANY (v_requests);
    IF v_logged IS DISTINCT FROM v_users THEN RAISE EXCEPTION 'a row of the settlement is of no call of its user on its day'; END IF;
    IF EXISTS (
      SELECT unnest(v_requests)
      INTERSECT
      SELECT unnest(l.calls)
      FROM (
        SELECT owner & 15 AS shard, left(request_id::text, 8) AS minute, min(xid) AS first_xid, max(xid) AS last_xid
        FROM unnest(v_requests, v_users, v_xids) AS c (request_id, owner, xid) GROUP BY 1, 2
      ) m
      JOIN settled_calls l ON l.day = v_day AND l.shard = m.shard AND l.minute = m.minute
        AND l.last_xid >= m.first_xid AND l.first_xid <= m.last_xid
    ) THEN
      RAISE EXCEPTION 'a call is in a list of settled calls already' USING ERRCODE = 'unique_violation', TABLE = 'settled_calls';
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

-- Settles the next p_limit rows after a checkpoint: calls with a multiplier of one in a list for each minute, others with a row
-- each, one ledger posting with an entry for each delta, and what the multiplier changes in each user's budget. A row that is already
-- settled changes nothing; an invalid one goes to the quarantine. The caller holds the checkpoint and moves it.
--
-- With p_are_new, none is settled already, or the step fails as a whole: nothing is looked up.
--
-- A batch names the span of the log that it has read, in which its rows are found without an index. It also names the server on
-- which that span has no other rows, unless rows were refused or settled before, or the log is read again. No row can join a
-- span later, because its transactions have ended; on another server, other transactions may have their numbers.
CREATE OR REPLACE FUNCTION settle_usage_step(p_from settlement_checkpoint, p_limit integer, p_are_new boolean DEFAULT false)
RETURNS settlement_step
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_batch bigint := nextval(pg_get_serial_sequence('settlement_batch', 'id'));
  v_shard integer := split_part(p_from.source, ':', 2);
  v_step settlement_step;
  v_first_day date;
  v_last_day date;
  v_first_xid xid8;
  v_first_request uuid;
  v_last_xid xid8;
  v_last_request uuid;
  v_users bigint[];
  v_bases bigint[];
  v_deltas bigint[];
  v_reserves bigint[];
  v_requests uuid[];
  v_owners bigint[];
  v_row_deltas bigint[];
BEGIN
  WITH batch AS MATERIALIZED (
    SELECT * FROM next_usage_rows(p_from, p_limit)
  ), known AS MATERIALIZED (
    SELECT k.day, k.request_id
    FROM (SELECT array_agg(day) AS days, array_agg(request_id) AS requests, array_agg(xid) AS xids FROM batch) b
    CROSS JOIN LATERAL settled_near(v_shard, b.days, b.requests, b.xids) k WHERE NOT p_are_new
  ), judged AS MATERIALIZED (
    SELECT r.day, r.request_id, r.gateway_user_id, r.quota, r.rate_multiplier,
      CASE
        WHEN r.quota < 0 THEN 'its cost is negative'
        WHEN r.rate_multiplier < 0 OR r.rate_multiplier = 'NaN' THEN 'its multiplier is not a number of at least zero'
        WHEN b.id IS NULL THEN 'it names a budget that its user does not have'
      END AS fault
    FROM batch r LEFT JOIN budget b ON b.id = r.user_budget_id AND b.gateway_user_id = r.gateway_user_id
    WHERE NOT EXISTS (SELECT 1 FROM known k WHERE k.day = r.day AND k.request_id = r.request_id)
  ), settled AS MATERIALIZED (
    SELECT day, request_id, gateway_user_id, quota AS base_quota, rate_multiplier,
      settled_quota_of(quota, rate_multiplier) AS settled_quota, settled_quota_of(quota, rate_multiplier) - quota AS quota_delta
    FROM judged WHERE fault IS NULL
  ), multiplied AS (
    INSERT INTO usage_settlement (day, request_id, batch_id, gateway_user_id, base_quota, rate_multiplier, settled_quota, quota_delta)
    SELECT day, request_id, v_batch, gateway_user_id, base_quota, rate_multiplier, settled_quota, quota_delta
    FROM settled WHERE rate_multiplier <> 1
  ), listed AS (
    INSERT INTO settled_calls (day, shard, minute, batch_id, calls, first_xid, last_xid)
    SELECT day, v_shard, left(request_id::text, 8) AS minute, v_batch, array_agg(request_id ORDER BY request_id),
      (SELECT min(xid) FROM batch), (SELECT max(xid) FROM batch)
    FROM settled WHERE rate_multiplier = 1 GROUP BY day, minute
  ), refused AS (
    INSERT INTO settlement_quarantine (day, request_id, reason)
    SELECT day, request_id, fault FROM judged WHERE fault IS NOT NULL
    ON CONFLICT DO NOTHING
    RETURNING 1
  ), sums AS (
    SELECT gateway_user_id, count(*) AS rows, sum(base_quota) AS base, sum(settled_quota) AS settled, sum(quota_delta) AS delta,
      coalesce(sum(quota_delta) FILTER (WHERE quota_delta > 0), 0) AS reserve
    FROM settled GROUP BY gateway_user_id
  ), ending AS (
    SELECT xid, day, request_id FROM batch
    ORDER BY CASE WHEN p_from.reconcile_day IS NULL THEN xid END DESC, CASE WHEN p_from.reconcile_day IS NOT NULL THEN day END DESC,
      request_id DESC
    LIMIT 1
  )
  SELECT (SELECT count(*) FROM batch), e.xid, e.day, e.request_id,
    s.rows, s.base, s.settled, (SELECT count(*) FROM refused),
    s.users, s.bases, s.deltas, s.reserves, d.requests, d.owners, d.deltas, days.first_day, days.last_day,
    first.xid, first.request_id, last.xid, last.request_id
  INTO v_step.rows_read, v_step.last_xid, v_step.last_day, v_step.last_request_id, v_step.rows_settled, v_step.base_quota,
    v_step.settled_quota, v_step.rows_refused, v_users, v_bases, v_deltas, v_reserves, v_requests, v_owners, v_row_deltas,
    v_first_day, v_last_day, v_first_xid, v_first_request, v_last_xid, v_last_request
  FROM (
    SELECT coalesce(sum(rows), 0) AS rows, coalesce(sum(base), 0) AS base, coalesce(sum(settled), 0) AS settled,
      array_agg(gateway_user_id ORDER BY gateway_user_id) AS users, array_agg(base ORDER BY gateway_user_id) AS bases,
      array_agg(delta ORDER BY gateway_user_id) AS deltas, array_agg(reserve ORDER BY gateway_user_id) AS reserves
    FROM sums
  ) s LEFT JOIN ending e ON true CROSS JOIN (
    SELECT array_agg(request_id) AS requests, array_agg(gateway_user_id) AS owners, array_agg(quota_delta) AS deltas
    FROM settled WHERE quota_delta <> 0
  ) d CROSS JOIN (SELECT min(day) AS first_day, max(day) AS last_day FROM settled) days
  LEFT JOIN (SELECT xid, request_id FROM batch ORDER BY xid, request_id LIMIT 1) first ON true
  LEFT JOIN (SELECT xid, request_id FROM batch ORDER BY xid DESC, request_id DESC LIMIT 1) last ON true;
  IF v_step.rows_settled > 0 THEN
    INSERT INTO settlement_batch (id, rows, base_quota, settled_quota, deltas, shard, first_day, last_day, first_xid,
      first_request_id, last_xid, last_request_id, whole_on) OVERRIDING SYSTEM VALUE
      VALUES (v_batch, v_step.rows_settled, v_step.base_quota, v_step.settled_quota, coalesce(cardinality(v_requests), 0),
        v_shard, v_first_day, v_last_day, v_first_xid, v_first_request, v_last_xid, v_last_request,
        CASE WHEN p_from.reconcile_day IS NULL AND v_step.rows_settled = v_step.rows_read THEN p_from.system_identifier::bigint END);
    PERFORM settle_budgets(v_batch, v_users, v_deltas, v_reserves);
    IF v_step.base_quota > 0 THEN
      PERFORM post_settlement(v_batch, v_shard, v_step.settled_quota, v_users, v_bases, v_requests, v_owners, v_row_deltas);
    END IF;
  END IF;
  RETURN v_step;
END
$$;

-- The next rows of the usage log of a shard after its checkpoint, in the order of the writing transactions, and only
-- below the oldest one still open: a row that commits late has a number above the cursor. While the whole log is read
-- again, the rows come by day and id instead.
--
-- The planner knows little about a log that has just grown, so plans that don't follow an index are disabled.
CREATE OR REPLACE FUNCTION next_usage_rows(p_from settlement_checkpoint, p_limit integer) RETURNS SETOF unsettled_row
LANGUAGE plpgsql STABLE ROWS 500 SET enable_seqscan = off SET enable_sort = off SET enable_bitmapscan = off AS $$
DECLARE
  v_shard bigint := split_part(p_from.source, ':', 2);
BEGIN
  IF p_from.reconcile_day IS NULL THEN
    RETURN QUERY SELECT u.day, u.request_id, u.xid, u.gateway_user_id, u.user_budget_id, u.quota, u.rate_multiplier::numeric
      FROM usage_log u
      WHERE (u.gateway_user_id & 15) = v_shard AND u.xid >= p_from.xid
        AND (u.xid, u.request_id) > (p_from.xid, p_from.request_id) AND u.xid < pg_snapshot_xmin(pg_current_snapshot())
      ORDER BY u.xid, u.request_id LIMIT p_limit;
  ELSE
    RETURN QUERY SELECT u.day, u.request_id, u.xid, u.gateway_user_id, u.user_budget_id, u.quota, u.rate_multiplier::numeric
      FROM usage_log u
      WHERE (u.gateway_user_id & 15) = v_shard AND (u.day, u.request_id) > (p_from.reconcile_day, p_from.reconcile_request_id)
      ORDER BY u.day, u.request_id LIMIT p_limit;
  END IF;
END
$$;

-- Applies the effect of the multipliers of a batch to the budgets of its users: a grant of the refunded amount, or a
-- negative grant of the amount owed on top, and the release of its reservation. Budgets without changes are not locked:
-- with a multiplier of one, calls in flight don't notice the settlement.
CREATE OR REPLACE FUNCTION settle_budgets(p_batch bigint, p_users bigint[], p_deltas bigint[], p_reserves bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_budgets bigint[];
  v_deltas bigint[];
  v_reserves bigint[];
  v_told integer;
BEGIN
  SELECT array_agg(b.id), array_agg(c.delta), array_agg(c.reserve) INTO v_budgets, v_deltas, v_reserves
  FROM unnest(p_users, p_deltas, p_reserves) AS c (id, delta, reserve) JOIN budget b ON b.gateway_user_id = c.id
  WHERE c.delta <> 0 OR c.reserve <> 0;
  IF v_budgets IS NULL THEN RETURN; END IF;
  PERFORM 1 FROM budget WHERE id = ANY (v_budgets) ORDER BY id FOR UPDATE;
  INSERT INTO quota_grant (budget_id, amount, change_type, reference)
    SELECT id, -delta, 'usage_quota', 'settlement:' || p_batch || ':' || id FROM unnest(v_budgets, v_deltas) AS c (id, delta)
    WHERE delta <> 0;
  WITH changed AS (
    UPDATE budget b SET granted = b.granted - c.delta, reserved = b.reserved - c.reserve, updated_at = now()
    FROM unnest(v_budgets, v_deltas, v_reserves) AS c (id, delta, reserve) WHERE b.id = c.id
    RETURNING b.id, c.reserve - c.delta AS freed
  )
  -- Users who were refused for lack of quota may try again if some was refunded.
  SELECT count(pg_notify('budget_changed', id::text)) INTO v_told FROM changed WHERE freed > 0;
END
$$;

-- Writes the posting of a settlement batch. For each user, it has an entry for each call whose cost the multiplier
-- changed, and then one for what the calls cost before the multiplier. Locks accounts in the order of their ids.
--
-- Each shard has its own house account: one for all would be locked by one batch at a time.
CREATE OR REPLACE FUNCTION post_settlement(p_batch bigint, p_shard integer, p_settled bigint, p_users bigint[], p_bases bigint[], p_requests uuid[],
  p_owners bigint[], p_deltas bigint[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_posting bigint;
  v_house bigint;
BEGIN
  INSERT INTO ledger_posting (change_type, reference) VALUES ('usage_quota', 'settlement:' || p_batch)
    ON CONFLICT (change_type, reference) DO NOTHING RETURNING id INTO v_posting;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'batch % of the settlement is in the ledger already', p_batch USING ERRCODE = 'unique_violation';
  END IF;
  v_house := open_ledger_accounts('usage:' || p_shard, p_users);
  PERFORM 1 FROM ledger_account a
    WHERE a.id = v_house OR a.gateway_user_id IN (SELECT id FROM unnest(p_users, p_bases) AS u (id, base) WHERE base > 0)
    ORDER BY a.id FOR UPDATE;
  WITH delta AS MATERIALIZED (
    SELECT a.id, d.request, -d.delta AS amount
    FROM unnest(p_requests, p_owners, p_deltas) AS d (request, owner, delta) JOIN ledger_account a ON a.gateway_user_id = d.owner
  ), delta_sum AS MATERIALIZED (
    SELECT id, sum(amount)::bigint AS amount FROM delta GROUP BY id
  ), base AS (
    SELECT a.id, -u.base AS amount, s.amount AS delta_amount
    FROM unnest(p_users, p_bases) AS u (id, base) JOIN ledger_account a ON a.gateway_user_id = u.id
    LEFT JOIN delta_sum s ON s.id = a.id WHERE u.base > 0
    UNION ALL
    SELECT v_house, p_settled, NULL WHERE p_settled > 0
  ), changed AS (
    UPDATE ledger_account a SET balance = a.balance + b.amount + coalesce(b.delta_amount, 0)
    FROM base b WHERE a.id = b.id
    RETURNING a.id, b.amount, b.delta_amount, a.balance
  )
  INSERT INTO ledger_entry (posting_id, account_id, amount, balance_after, usage_request_id, delta_amount)
    SELECT v_posting, id, amount, balance, request, delta_amount FROM (
      SELECT id, amount, balance, NULL::uuid AS request, delta_amount FROM changed
      UNION ALL
      SELECT d.id, d.amount, c.balance - c.amount - c.delta_amount
        + sum(d.amount) OVER (PARTITION BY d.id ORDER BY d.request ROWS UNBOUNDED PRECEDING)::bigint, d.request, NULL
      FROM delta d JOIN changed c ON c.id = d.id
    ) entry ORDER BY id, request;
END
$$;

-- Creates the partitions of usage_settlement that the next rows after a checkpoint need: lists need none.
CREATE OR REPLACE FUNCTION make_settlement_partitions(p_from settlement_checkpoint, p_limit integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_day date;
BEGIN
  FOREACH v_day IN ARRAY ARRAY(SELECT DISTINCT r.day FROM next_usage_rows(p_from, p_limit) r WHERE r.rate_multiplier <> 1) LOOP
    -- A day that is too old for a new partition may have one.
    IF NOT EXISTS (
      SELECT 1 FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'public.usage_settlement'::regclass AND c.relname = 'usage_settlement' || to_char(v_day, '"_y"YYYY"m"MM"d"DD')
    ) THEN
      PERFORM ensure_day_partitions('usage_settlement', v_day, 1);
    END IF;
  END LOOP;
  -- A partition of another transaction can be seen here a moment before rows can be written to it; then it has ended.
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('sluice day partitions of usage_settlement', 0));
END
$$;

-- Puts the next row after a checkpoint aside, so that it does not hold up the others. It reads no row if that is not
-- p_request_id: while the log is read again by day and id, a row may have come in before the one that failed.
CREATE OR REPLACE FUNCTION quarantine_usage_row(p_from settlement_checkpoint, p_reason text, p_request_id uuid DEFAULT NULL)
RETURNS settlement_step LANGUAGE plpgsql AS $$
DECLARE
  v_step settlement_step := ROW(0, NULL, NULL, NULL, 0, 0, 0, 0);
BEGIN
  SELECT r.xid, r.day, r.request_id INTO v_step.last_xid, v_step.last_day, v_step.last_request_id FROM next_usage_rows(p_from, 1) r;
  IF v_step.last_request_id <> p_request_id THEN RETURN v_step; END IF;
  v_step.rows_read := 1;
  INSERT INTO settlement_quarantine (day, request_id, reason) VALUES (v_step.last_day, v_step.last_request_id, p_reason)
    ON CONFLICT DO NOTHING;
  IF FOUND THEN v_step.rows_refused := 1; END IF;
  RETURN v_step;
END
$$;

-- How long the next row of the settlement has waited, in the shard where that is longest, and how many rows are in the
-- quarantine.
CREATE OR REPLACE FUNCTION settlement_lag(OUT lag_seconds double precision, OUT rows_quarantined bigint)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_sort = off SET enable_bitmapscan = off AS $$
DECLARE
  v_shard bigint;
  v_from settlement_checkpoint;
  v_rows integer;
  v_days date[];
  v_requests uuid[];
  v_xids xid8[];
  v_lag double precision;
BEGIN
  SELECT count(*) INTO rows_quarantined FROM settlement_quarantine q
  LEFT JOIN usage_log u ON u.day = q.day AND u.request_id = q.request_id
  WHERE NOT is_settled(q.day, u.gateway_user_id, q.request_id);
  lag_seconds := 0;
  FOR v_shard IN SELECT generate_series(0, 15) LOOP
    SELECT * INTO v_from FROM settlement_checkpoint WHERE source = 'usage_log:' || v_shard;
    IF v_from.reconcile_day IS NOT NULL THEN
      v_lag := extract(epoch FROM now() - v_from.updated_at);
    ELSE
      v_lag := NULL;
      v_rows := 10;
      LOOP
        -- More with each step: most often the first row waits, but many may be settled before the checkpoint is moved over them.
        v_rows := least(v_rows * 10, 10000);
        SELECT array_agg(w.day ORDER BY w.xid, w.request_id), array_agg(w.request_id ORDER BY w.xid, w.request_id),
          array_agg(w.xid ORDER BY w.xid, w.request_id), max(w.xid)
          INTO v_days, v_requests, v_xids, v_from.xid
        FROM (
          SELECT u.day, u.request_id, u.xid FROM usage_log u
          WHERE (u.gateway_user_id & 15) = v_shard AND u.xid >= coalesce(v_from.xid, '0')
            AND (u.xid, u.request_id) > (coalesce(v_from.xid, '0'), coalesce(v_from.request_id, '00000000-0000-0000-0000-000000000000'))
            -- Rows above this snapshot come from another server.
            AND u.xid < pg_snapshot_xmax(pg_current_snapshot())
          ORDER BY u.xid, u.request_id LIMIT v_rows
        ) w;
        EXIT WHEN v_days IS NULL;
        v_from.request_id := v_requests[cardinality(v_requests)];
        SELECT extract(epoch FROM now() - (u.started_at + u.duration_ms * interval '1 millisecond')) INTO v_lag
        FROM (
          SELECT day, request_id FROM unnest(v_days, v_requests) WITH ORDINALITY AS w (day, request_id, place)
          WHERE (day, request_id) NOT IN (SELECT s.day, s.request_id FROM settled_near(v_shard::integer, v_days, v_requests, v_xids) s)
            AND NOT EXISTS (SELECT 1 FROM settlement_quarantine q WHERE q.day = w.day AND q.request_id = w.request_id)
          ORDER BY place LIMIT 1
        ) w JOIN usage_log u ON u.day = w.day AND u.request_id = w.request_id;
        EXIT WHEN v_lag IS NOT NULL;
      END LOOP;
    END IF;
    lag_seconds := greatest(lag_seconds, v_lag);
  END LOOP;
END
$$;
