ALTER TABLE "settlement_checkpoint" ADD COLUMN "reconcile_day" date;--> statement-breakpoint
ALTER TABLE "settlement_checkpoint" ADD COLUMN "reconcile_request_id" uuid;--> statement-breakpoint
-- A posting of the settlement has an entry for each of hundreds of users, so its entries are written with one statement and
-- summed once, by that statement: a check for each entry would sum them all each time. A posting can't be extended later.
DROP TRIGGER sums_to_zero ON ledger_entry;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION refuse_unbalanced_posting() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_posting bigint;
BEGIN
  FOR v_posting IN SELECT DISTINCT posting_id FROM fresh LOOP
    IF (SELECT sum(amount) FROM ledger_entry WHERE posting_id = v_posting) <> 0 THEN
      RAISE EXCEPTION 'posting % does not sum to zero', v_posting;
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER sums_to_zero AFTER INSERT ON ledger_entry REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_unbalanced_posting();
--> statement-breakpoint
-- Writes one posting between users (amounts of quota, signed) and one account of the house, which takes the rest so that
-- the sum is zero. Returns its id, or null when it was written before. Locks accounts in the order of their ids.
CREATE OR REPLACE FUNCTION post_ledger(p_change_type text, p_reference text, p_note text, p_house text, p_users bigint[], p_amounts bigint[])
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_posting bigint;
  v_house bigint;
  v_accounts bigint[];
  v_amounts bigint[];
BEGIN
  INSERT INTO ledger_posting (change_type, reference, note) VALUES (p_change_type, p_reference, p_note)
    ON CONFLICT (change_type, reference) DO NOTHING RETURNING id INTO v_posting;
  IF NOT FOUND THEN RETURN NULL; END IF;
  -- Not tried for accounts that are there: each try uses up a number.
  INSERT INTO ledger_account (code, gateway_user_id)
    SELECT code, gateway_user_id FROM (
      SELECT DISTINCT 'user:' || id AS code, id AS gateway_user_id FROM unnest(p_users) AS u (id)
      UNION ALL SELECT 'house:' || p_house, NULL
    ) wanted WHERE NOT EXISTS (SELECT 1 FROM ledger_account a WHERE a.code = wanted.code) ORDER BY code
    ON CONFLICT (code) DO NOTHING;
  SELECT id INTO v_house FROM ledger_account WHERE code = 'house:' || p_house;
  SELECT array_agg(id), array_agg(amount) INTO v_accounts, v_amounts FROM (
    SELECT a.id, sum(u.amount)::bigint AS amount
    FROM unnest(p_users, p_amounts) AS u (id, amount) JOIN ledger_account a ON a.gateway_user_id = u.id GROUP BY a.id
    UNION ALL
    SELECT v_house, -sum(amount)::bigint FROM unnest(p_amounts) AS u (amount)
  ) change WHERE amount <> 0;
  PERFORM 1 FROM ledger_account WHERE id = ANY (v_accounts) ORDER BY id FOR UPDATE;
  WITH changed AS (
    UPDATE ledger_account a SET balance = a.balance + c.amount
    FROM unnest(v_accounts, v_amounts) AS c (id, amount) WHERE a.id = c.id
    RETURNING a.id, c.amount, a.balance
  )
  INSERT INTO ledger_entry (posting_id, account_id, amount, balance_after)
    SELECT v_posting, id, amount, balance FROM changed ORDER BY id;
  RETURN v_posting;
END
$$;
--> statement-breakpoint
-- What one step of the settlement did. `place` is `cursor` or `reconcile`: which of the two ways through the log it went.
CREATE TYPE settlement_step AS (
  rows_read integer,
  last_xid xid8,
  last_day date,
  last_request_id uuid,
  rows_settled integer,
  base_quota bigint,
  settled_quota bigint,
  rows_refused integer
);
--> statement-breakpoint
-- A row of the usage log, as far as the settlement is concerned.
CREATE TYPE unsettled_row AS (
  day date,
  request_id uuid,
  xid xid8,
  gateway_user_id bigint,
  user_budget_id bigint,
  quota bigint,
  rate_multiplier numeric
);
--> statement-breakpoint
-- The next rows of the usage log after a checkpoint, in the order of the writing transactions, and only below the oldest
-- that is still open: a row that commits late has a number above the cursor. While the whole log is looked at again, the
-- rows come by day and id instead.
--
-- The planner knows little about a log that grew a moment ago, so the ways that don't walk along an index are closed.
CREATE FUNCTION next_usage_rows(p_from settlement_checkpoint, p_limit integer) RETURNS SETOF unsettled_row
LANGUAGE plpgsql STABLE ROWS 500 SET enable_seqscan = off SET enable_sort = off SET enable_bitmapscan = off AS $$
BEGIN
  IF p_from.reconcile_day IS NULL THEN
    RETURN QUERY SELECT u.day, u.request_id, u.xid, u.gateway_user_id, u.user_budget_id, u.quota, u.rate_multiplier::numeric
      FROM usage_log u
      WHERE (u.xid, u.request_id) > (p_from.xid, p_from.request_id) AND u.xid < pg_snapshot_xmin(pg_current_snapshot())
      ORDER BY u.xid, u.request_id LIMIT p_limit;
  ELSE
    RETURN QUERY SELECT u.day, u.request_id, u.xid, u.gateway_user_id, u.user_budget_id, u.quota, u.rate_multiplier::numeric
      FROM usage_log u
      WHERE (u.day, u.request_id) > (p_from.reconcile_day, p_from.reconcile_request_id)
      ORDER BY u.day, u.request_id LIMIT p_limit;
  END IF;
END
$$;
--> statement-breakpoint
-- Settles the next p_limit rows after a checkpoint: a settlement row each, one ledger posting, and what the multiplier
-- changes about the budget of each user. A row that is settled already changes nothing; one that can't be right goes to
-- the quarantine. The caller holds the checkpoint and moves it.
CREATE FUNCTION settle_usage_step(p_from settlement_checkpoint, p_limit integer) RETURNS settlement_step
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_batch bigint := nextval(pg_get_serial_sequence('settlement_batch', 'id'));
  v_step settlement_step;
  v_users bigint[];
  v_settled bigint[];
  v_deltas bigint[];
  v_reserves bigint[];
BEGIN
  WITH batch AS MATERIALIZED (
    SELECT * FROM next_usage_rows(p_from, p_limit)
  ), judged AS (
    SELECT r.day, r.request_id, r.gateway_user_id, r.quota, r.rate_multiplier,
      CASE
        WHEN r.quota < 0 THEN 'its cost is negative'
        WHEN r.rate_multiplier < 0 OR r.rate_multiplier = 'NaN' THEN 'its multiplier is no number of at least zero'
        WHEN b.id IS NULL THEN 'it names a budget that its user does not have'
      END AS fault
    FROM batch r LEFT JOIN budget b ON b.id = r.user_budget_id AND b.gateway_user_id = r.gateway_user_id
  ), settled AS (
    INSERT INTO usage_settlement (day, request_id, batch_id, gateway_user_id, base_quota, rate_multiplier, settled_quota, quota_delta)
    SELECT day, request_id, v_batch, gateway_user_id, quota, rate_multiplier, ceil(quota * rate_multiplier)::bigint,
      ceil(quota * rate_multiplier)::bigint - quota
    FROM judged WHERE fault IS NULL
    ON CONFLICT DO NOTHING
    RETURNING gateway_user_id, base_quota, settled_quota, quota_delta
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
    s.users, s.amounts, s.deltas, s.reserves
  INTO v_step.rows_read, v_step.last_xid, v_step.last_day, v_step.last_request_id, v_step.rows_settled, v_step.base_quota,
    v_step.settled_quota, v_step.rows_refused, v_users, v_settled, v_deltas, v_reserves
  FROM (
    SELECT coalesce(sum(rows), 0) AS rows, coalesce(sum(base), 0) AS base, coalesce(sum(settled), 0) AS settled,
      array_agg(gateway_user_id ORDER BY gateway_user_id) AS users, array_agg(settled ORDER BY gateway_user_id) AS amounts,
      array_agg(delta ORDER BY gateway_user_id) AS deltas, array_agg(reserve ORDER BY gateway_user_id) AS reserves
    FROM sums
  ) s LEFT JOIN ending e ON true;
  IF v_step.rows_settled > 0 THEN
    INSERT INTO settlement_batch (id, rows, base_quota, settled_quota) OVERRIDING SYSTEM VALUE
      VALUES (v_batch, v_step.rows_settled, v_step.base_quota, v_step.settled_quota);
    PERFORM settle_budgets(v_batch, v_users, v_deltas, v_reserves);
    IF v_step.settled_quota > 0 AND post_ledger('usage_quota', 'settlement:' || v_batch, NULL, 'usage', v_users,
      ARRAY(SELECT -a FROM unnest(v_settled) WITH ORDINALITY AS s (a, place) ORDER BY place)) IS NULL
    THEN
      RAISE EXCEPTION 'batch % of the settlement is in the ledger already', v_batch USING ERRCODE = 'unique_violation';
    END IF;
  END IF;
  RETURN v_step;
END
$$;
--> statement-breakpoint
-- What the multipliers of a batch change about the budgets of its users: a grant of what is refunded or, negative, of what
-- is owed on top; and what was reserved for that is free again. Budgets that nothing changes for are not locked: with a
-- multiplier of one the calls in flight don't notice the settlement.
CREATE FUNCTION settle_budgets(p_batch bigint, p_users bigint[], p_deltas bigint[], p_reserves bigint[]) RETURNS void
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
  -- Who was refused for want of quota may try again where some came back.
  SELECT count(pg_notify('budget_changed', id::text)) INTO v_told FROM changed WHERE freed > 0;
END
$$;
--> statement-breakpoint
-- Settles the next rows of the usage log, at most p_limit, in the transaction it is called in, and moves the checkpoint.
-- `outcome` is `busy` when somebody else does just that, `more` when there may be more to do, else `done`.
--
-- A row that makes its step fail is found by taking ever fewer rows, and put into the quarantine; the others go on.
-- When the database runs on another server than before, restored out of a dump, the numbers of transactions in the log
-- mean nothing any more: everything is looked at again by day and id, and the cursor starts over at what is written from
-- now on. The same is done when there is no checkpoint, or when p_is_reconciled asks for it.
CREATE FUNCTION settle_usage(p_limit integer, p_is_reconciled boolean DEFAULT false)
RETURNS TABLE (outcome text, rows_settled integer, base_quota bigint, settled_quota bigint, rows_refused integer, cursor_xid text,
  is_reconciling boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_nil uuid := '00000000-0000-0000-0000-000000000000';
  v_server text := (SELECT system_identifier::text FROM pg_control_system());
  v_from settlement_checkpoint;
  v_step settlement_step;
  v_limit integer := p_limit;
  v_makes_partitions boolean := false;
  v_fault text;
  v_is_last boolean;
BEGIN
  IF p_limit < 1 THEN RAISE EXCEPTION 'a limit must be positive'; END IF;
  SELECT * INTO v_from FROM settlement_checkpoint WHERE source = 'usage_log' FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    IF NOT EXISTS (SELECT 1 FROM settlement_checkpoint WHERE source = 'usage_log') THEN
      INSERT INTO settlement_checkpoint (source, xid, request_id, system_identifier) VALUES ('usage_log', '0', v_nil, '')
        ON CONFLICT DO NOTHING;
      SELECT * INTO v_from FROM settlement_checkpoint WHERE source = 'usage_log' FOR UPDATE SKIP LOCKED;
    END IF;
    IF v_from.source IS NULL THEN
      RETURN QUERY SELECT 'busy', 0, 0::bigint, 0::bigint, 0, NULL::text, NULL::boolean;
      RETURN;
    END IF;
  END IF;
  IF v_from.system_identifier <> v_server THEN
    v_from.system_identifier := v_server;
    v_from.xid := pg_snapshot_xmin(pg_current_snapshot());
    v_from.request_id := v_nil;
    v_from.reconcile_day := '-infinity';
    v_from.reconcile_request_id := v_nil;
  ELSIF p_is_reconciled THEN
    v_from.reconcile_day := '-infinity';
    v_from.reconcile_request_id := v_nil;
  END IF;
  LOOP
    BEGIN
      IF v_makes_partitions THEN PERFORM make_settlement_partitions(v_from, v_limit); END IF;
      v_step := settle_usage_step(v_from, v_limit);
      EXIT;
    EXCEPTION
      -- No row of the log can be the reason: a number of a batch is taken, and the next try has another.
      WHEN unique_violation THEN RAISE;
      WHEN data_exception OR integrity_constraint_violation THEN v_fault := SQLERRM;
    END;
    IF NOT v_makes_partitions THEN
      v_makes_partitions := true;
    ELSIF v_limit > 1 THEN
      v_limit := v_limit / 2;
    ELSE
      v_step := quarantine_usage_row(v_from, v_fault);
      EXIT;
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
    reconcile_request_id = v_from.reconcile_request_id, updated_at = now()
  WHERE source = 'usage_log';
  RETURN QUERY SELECT CASE WHEN v_is_last THEN 'done' ELSE 'more' END, v_step.rows_settled, v_step.base_quota,
    v_step.settled_quota, v_step.rows_refused, v_from.xid::text, v_from.reconcile_day IS NOT NULL;
END
$$;
--> statement-breakpoint
-- Makes the partitions of usage_settlement that the next rows after a checkpoint need.
CREATE FUNCTION make_settlement_partitions(p_from settlement_checkpoint, p_limit integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_day date;
BEGIN
  FOREACH v_day IN ARRAY ARRAY(SELECT DISTINCT r.day FROM next_usage_rows(p_from, p_limit) r) LOOP
    IF to_regclass('public.usage_settlement' || to_char(v_day, '"_y"YYYY"m"MM"d"DD')) IS NULL THEN
      PERFORM ensure_day_partitions('usage_settlement', v_day, 1);
    END IF;
  END LOOP;
END
$$;
--> statement-breakpoint
-- Puts the next row after a checkpoint aside, so that it holds nobody up.
CREATE FUNCTION quarantine_usage_row(p_from settlement_checkpoint, p_reason text) RETURNS settlement_step
LANGUAGE plpgsql AS $$
DECLARE
  v_step settlement_step := ROW(0, NULL, NULL, NULL, 0, 0, 0, 0);
BEGIN
  SELECT r.xid, r.day, r.request_id INTO v_step.last_xid, v_step.last_day, v_step.last_request_id FROM next_usage_rows(p_from, 1) r;
  v_step.rows_read := 1;
  INSERT INTO settlement_quarantine (day, request_id, reason) VALUES (v_step.last_day, v_step.last_request_id, p_reason)
    ON CONFLICT DO NOTHING;
  IF FOUND THEN v_step.rows_refused := 1; END IF;
  RETURN v_step;
END
$$;
--> statement-breakpoint
-- How long the row has waited that is next in the order of the settlement, and how many rows lie in the quarantine.
CREATE FUNCTION settlement_lag(OUT lag_seconds double precision, OUT rows_quarantined bigint)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_sort = off SET enable_bitmapscan = off AS $$
DECLARE
  v_from settlement_checkpoint;
BEGIN
  SELECT count(*) INTO rows_quarantined FROM settlement_quarantine q
  WHERE NOT EXISTS (SELECT 1 FROM usage_settlement s WHERE s.day = q.day AND s.request_id = q.request_id);
  SELECT * INTO v_from FROM settlement_checkpoint WHERE source = 'usage_log';
  IF v_from.reconcile_day IS NOT NULL THEN
    lag_seconds := extract(epoch FROM now() - v_from.updated_at);
    RETURN;
  END IF;
  SELECT extract(epoch FROM now() - (u.started_at + u.duration_ms * interval '1 millisecond')) INTO lag_seconds
  FROM usage_log u
  WHERE (u.xid, u.request_id) > (coalesce(v_from.xid, '0'), coalesce(v_from.request_id, '00000000-0000-0000-0000-000000000000'))
    -- Above it are only rows of another server.
    AND u.xid < pg_snapshot_xmax(pg_current_snapshot())
    AND NOT EXISTS (SELECT 1 FROM usage_settlement s WHERE s.day = u.day AND s.request_id = u.request_id)
    AND NOT EXISTS (SELECT 1 FROM settlement_quarantine q WHERE q.day = u.day AND q.request_id = u.request_id)
  ORDER BY u.xid, u.request_id LIMIT 1;
  lag_seconds := greatest(coalesce(lag_seconds, 0), 0);
END
$$;
--> statement-breakpoint
-- What a row reserved is taken by its settlement; a grant of the settlement explains no balance below zero.
CREATE OR REPLACE FUNCTION check_money_quota() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE sql STABLE AS $$
  SELECT 'granted equals the sum of grants', 'budget ' || b.id, b.granted || ' <> ' || coalesce(g.total, 0)
  FROM budget b LEFT JOIN (SELECT budget_id, sum(amount) AS total FROM quota_grant GROUP BY budget_id) g ON g.budget_id = b.id
  WHERE b.granted <> coalesce(g.total, 0)
  UNION ALL
  SELECT 'used equals the sum of usage rows', 'budget ' || b.id, b.used || ' <> ' || coalesce(u.total, 0)
  FROM budget b LEFT JOIN (
    SELECT budget_id, sum(quota) AS total FROM (
      SELECT user_budget_id AS budget_id, quota FROM usage_log
      UNION ALL SELECT key_budget_id, quota FROM usage_log WHERE key_budget_id IS NOT NULL
    ) rows GROUP BY budget_id
  ) u ON u.budget_id = b.id
  WHERE b.used <> coalesce(u.total, 0)
  UNION ALL
  SELECT 'reserved equals what unsettled rows owe above their base', 'budget ' || b.id, b.reserved || ' <> ' || coalesce(u.total, 0)
  FROM budget b LEFT JOIN (
    SELECT user_budget_id AS budget_id, sum(ceil(quota * rate_multiplier) - quota) AS total
    FROM usage_log l
    WHERE rate_multiplier > 1
      AND NOT EXISTS (SELECT 1 FROM usage_settlement s WHERE s.day = l.day AND s.request_id = l.request_id)
    GROUP BY user_budget_id
  ) u ON u.budget_id = b.id
  WHERE b.reserved <> coalesce(u.total, 0)
  UNION ALL
  SELECT 'leased equals the sum of leases', 'budget ' || b.id, b.leased || ' <> ' || coalesce(l.total, 0)
  FROM budget b LEFT JOIN (SELECT budget_id, sum(amount) AS total FROM budget_lease GROUP BY budget_id) l ON l.budget_id = b.id
  WHERE b.leased <> coalesce(l.total, 0)
  UNION ALL
  SELECT 'a balance is negative only after a call that cost more than its bound', 'budget ' || b.id,
    (b.granted - (b.used - b.period_base) - b.leased - b.reserved)::text
  FROM budget b
  WHERE b.granted - (b.used - b.period_base) - b.leased - b.reserved < 0
    AND NOT EXISTS (SELECT 1 FROM usage_log u WHERE b.id IN (u.user_budget_id, u.key_budget_id) AND u.quota > u.quota_held)
    AND NOT EXISTS (SELECT 1 FROM quota_grant g WHERE g.budget_id = b.id AND g.amount < 0 AND g.change_type <> 'usage_quota')
$$;
--> statement-breakpoint
CREATE FUNCTION check_money_settlement() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE sql STABLE AS $$
  SELECT 'a usage row is settled once', 'request ' || request_id, count(*)::text
  FROM usage_settlement GROUP BY request_id HAVING count(*) > 1
  UNION ALL
  SELECT 'what is settled is a usage row, with its cost, its multiplier and its user', 'request ' || s.request_id,
    coalesce(u.quota || ' x ' || u.rate_multiplier, 'no row')
  FROM usage_settlement s LEFT JOIN usage_log u ON u.day = s.day AND u.request_id = s.request_id
  WHERE u.request_id IS NULL OR (u.quota, u.rate_multiplier, u.gateway_user_id)
    IS DISTINCT FROM (s.base_quota, s.rate_multiplier, s.gateway_user_id)
  UNION ALL
  SELECT 'settled is base times multiplier, rounded up', 'request ' || request_id,
    base_quota || ' x ' || rate_multiplier || ' <> ' || settled_quota
  FROM usage_settlement WHERE settled_quota <> ceil(base_quota * rate_multiplier) OR quota_delta <> settled_quota - base_quota
  UNION ALL
  SELECT 'what a user settled is in the ledger', 'gateway user ' || coalesce(s.gateway_user_id, e.gateway_user_id),
    coalesce(s.total, 0) || ' <> ' || coalesce(-e.total, 0)
  FROM (SELECT gateway_user_id, sum(settled_quota) AS total FROM usage_settlement GROUP BY gateway_user_id) s
  FULL JOIN (
    SELECT a.gateway_user_id, sum(e.amount) AS total
    FROM ledger_posting p JOIN ledger_entry e ON e.posting_id = p.id JOIN ledger_account a ON a.id = e.account_id
    WHERE p.change_type = 'usage_quota' AND a.gateway_user_id IS NOT NULL GROUP BY a.gateway_user_id
  ) e ON e.gateway_user_id = s.gateway_user_id
  WHERE coalesce(s.total, 0) <> coalesce(-e.total, 0)
  UNION ALL
  SELECT 'what a multiplier changed was granted or taken', 'budget ' || b.id, coalesce(s.total, 0) || ' <> ' || coalesce(-g.total, 0)
  FROM budget b
  LEFT JOIN (SELECT gateway_user_id, sum(quota_delta) AS total FROM usage_settlement GROUP BY gateway_user_id) s
    ON s.gateway_user_id = b.gateway_user_id
  LEFT JOIN (SELECT budget_id, sum(amount) AS total FROM quota_grant WHERE change_type = 'usage_quota' GROUP BY budget_id) g
    ON g.budget_id = b.id
  WHERE coalesce(s.total, 0) <> coalesce(-g.total, 0)
  UNION ALL
  SELECT 'a batch says what its rows say', 'batch ' || coalesce(b.id, s.batch_id),
    coalesce(b.rows || ', ' || b.base_quota || ', ' || b.settled_quota, 'no batch')
  FROM settlement_batch b
  FULL JOIN (
    SELECT batch_id, count(*) AS rows, sum(base_quota) AS base, sum(settled_quota) AS settled FROM usage_settlement GROUP BY batch_id
  ) s ON s.batch_id = b.id
  WHERE (b.rows, b.base_quota, b.settled_quota) IS DISTINCT FROM (s.rows, s.base, s.settled)
  UNION ALL
  -- What is above the cursor is reached later, unless its number comes from another server.
  SELECT 'no unsettled row is out of the reach of the cursor', 'request ' || u.request_id, u.xid || ', cursor ' || c.xid
  FROM settlement_checkpoint c JOIN usage_log u
    ON (u.xid, u.request_id) <= (c.xid, c.request_id)
    OR (u.xid >= pg_snapshot_xmax(pg_current_snapshot()) AND u.xid IS DISTINCT FROM pg_current_xact_id_if_assigned())
  WHERE c.source = 'usage_log' AND c.reconcile_day IS NULL
    AND c.system_identifier = (SELECT system_identifier::text FROM pg_control_system())
    AND NOT EXISTS (SELECT 1 FROM usage_settlement s WHERE s.day = u.day AND s.request_id = u.request_id)
    AND NOT EXISTS (SELECT 1 FROM settlement_quarantine q WHERE q.day = u.day AND q.request_id = u.request_id)
$$;
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  EXECUTE 'GRANT USAGE ON SEQUENCE ' || pg_get_serial_sequence('settlement_batch', 'id') || ' TO sluice_app';
END
$$;
