-- Everything that moves quota is a function, so that each effect is one guarded statement under the lock of its budget
-- row. remaining = granted - (used - period_base) - leased - reserved
--
-- A replica may spend what it has leased of a budget to the last unit without reporting it, and rows of calls that it
-- served may still be in its spool. So its leases stay set aside until its spool was replayed, and are written off only
-- when an operator declares its host lost. That is safe once the replica can no longer admit calls: it admits them only
-- during its term, which it counts by its own clock from before it asked, and the database waits until the term is
-- over.

CREATE OR REPLACE FUNCTION next_period_end(p_period text, p_now timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT CASE p_period
    WHEN 'daily' THEN date_trunc('day', p_now, 'UTC') + interval '1 day'
    WHEN 'weekly' THEN date_trunc('week', p_now, 'UTC') + interval '7 days'
    WHEN 'monthly' THEN date_trunc('month', p_now, 'UTC') + interval '1 month'
  END
$$;

-- Lends a slice of a budget to a replica. A slice is at least what is needed and at most a quarter of what is left, so
-- that something is left for other replicas. When too little is left although others hold leases, p_recall = 0 recalls
-- their idle leases and returns the number of that recall; asked again with it, is_recall_answered says whether all
-- have answered.
--
-- A statement whose response was lost may still reach the server long after its replica has given up on it, when a
-- silent network delivers its late packets. So the statements on a lease are numbered, and one that arrives after a
-- newer one is refused: otherwise a lease could be given back while it is being spent.
CREATE OR REPLACE FUNCTION lease_quota(p_budget bigint, p_replica text, p_need bigint, p_want bigint, p_recall bigint, p_statement bigint)
RETURNS TABLE (leased_now bigint, remaining_after bigint, recall bigint, is_recall_answered boolean)
LANGUAGE plpgsql AS $$
DECLARE
  v_budget budget;
  v_remaining bigint;
  v_give bigint;
BEGIN
  IF p_need < 0 THEN RAISE EXCEPTION 'a need must not be negative'; END IF;
  SELECT * INTO v_budget FROM budget WHERE id = p_budget FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'budget % does not exist', p_budget; END IF;
  IF EXISTS (SELECT 1 FROM budget_lease WHERE budget_id = p_budget AND replica_id = p_replica AND last_statement >= p_statement) THEN
    RAISE EXCEPTION 'statement % on the lease of budget % came late', p_statement, p_budget;
  END IF;
  IF v_budget.period <> 'none' AND v_budget.period_ends_at <= now() THEN
    v_budget.period_base := v_budget.used;
    UPDATE budget SET period_base = used, period_ends_at = next_period_end(period, now()), updated_at = now() WHERE id = p_budget;
  END IF;
  v_remaining := v_budget.granted - (v_budget.used - v_budget.period_base) - v_budget.leased - v_budget.reserved;
  IF v_budget.gateway_user_id IS NOT NULL THEN
    v_remaining := least(v_remaining, (SELECT min(l.quota - l.spent) - v_budget.leased FROM spend_limits_of(v_budget.gateway_user_id) l));
  END IF;
  IF v_remaining >= p_need THEN
    v_give := greatest(p_need, least(p_want, v_remaining / 4));
    UPDATE budget SET leased = leased + v_give, updated_at = now() WHERE id = p_budget;
    INSERT INTO budget_lease (budget_id, replica_id, amount, last_statement) VALUES (p_budget, p_replica, v_give, p_statement)
      ON CONFLICT (budget_id, replica_id)
      DO UPDATE SET amount = budget_lease.amount + v_give, last_statement = p_statement, updated_at = now();
    RETURN QUERY SELECT v_give, v_remaining - v_give, 0::bigint, true;
    RETURN;
  END IF;
  IF NOT EXISTS (
    SELECT 1 FROM budget_lease l JOIN replica r ON r.id = l.replica_id
    WHERE l.budget_id = p_budget AND l.replica_id <> p_replica AND l.amount > 0 AND r.seen_at > now() - interval '15 seconds'
  ) THEN
    RETURN QUERY SELECT 0::bigint, v_remaining, p_recall, true;
    RETURN;
  END IF;
  IF p_recall = 0 THEN
    UPDATE budget SET recall_sequence = recall_sequence + 1 WHERE id = p_budget RETURNING recall_sequence INTO v_budget.recall_sequence;
    PERFORM pg_notify('lease_recall', p_budget || ':' || v_budget.recall_sequence);
    RETURN QUERY SELECT 0::bigint, v_remaining, v_budget.recall_sequence, false;
    RETURN;
  END IF;
  RETURN QUERY SELECT 0::bigint, v_remaining, p_recall, NOT EXISTS (
    SELECT 1 FROM budget_lease l JOIN replica r ON r.id = l.replica_id
    WHERE l.budget_id = p_budget AND l.replica_id <> p_replica AND l.amount > 0 AND l.recall_seen < p_recall
      AND r.seen_at > now() - interval '15 seconds'
  );
END
$$;

-- Gives idle quota of a lease back; with p_recall > 0 it also answers that recall, even when nothing is idle.
CREATE OR REPLACE FUNCTION return_lease(p_budget bigint, p_replica text, p_amount bigint, p_recall bigint, p_statement bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM budget WHERE id = p_budget FOR UPDATE;
  UPDATE budget_lease
    SET amount = amount - p_amount, recall_seen = greatest(recall_seen, p_recall), last_statement = p_statement, updated_at = now()
    WHERE budget_id = p_budget AND replica_id = p_replica AND last_statement < p_statement AND amount >= p_amount;
  IF NOT FOUND AND p_amount > 0 THEN
    RAISE EXCEPTION 'replica % has not % to give back of budget %, or says so late', p_replica, p_amount, p_budget;
  END IF;
  IF p_amount > 0 THEN
    UPDATE budget SET leased = leased - p_amount, updated_at = now() WHERE id = p_budget;
  END IF;
  IF p_recall > 0 THEN
    PERFORM pg_notify('lease_returned', p_budget::text);
  END IF;
END
$$;

-- The amount of a budget that a replica has leased. By then, every statement with a lower number has either taken
-- effect or been ruled out.
CREATE OR REPLACE FUNCTION read_lease(p_budget bigint, p_replica text, p_statement bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_amount bigint;
BEGIN
  PERFORM 1 FROM budget WHERE id = p_budget FOR UPDATE;
  UPDATE budget_lease SET last_statement = greatest(last_statement, p_statement)
    WHERE budget_id = p_budget AND replica_id = p_replica RETURNING amount INTO v_amount;
  RETURN coalesce(v_amount, 0);
END
$$;

-- Charges the sums of newly written usage rows; a reserve is what their multiplier above 1 still owes. Both are taken
-- from the replica's lease first; what the lease does not cover is taken from what remains. Returns how much of each
-- lease was taken. Locks budgets in the order of their ids. An expired period ends here too: what is spent out of a
-- lease of its last moments counts for the next one, so that no period's charges exceed what it was granted.
--
-- A charge leaves updated_at as it is, which is for changes that somebody makes: then only adjacent columns are logged.
CREATE OR REPLACE FUNCTION charge_budgets(p_replica text, p_budgets bigint[], p_charges bigint[], p_reserves bigint[])
RETURNS TABLE (budget_id bigint, taken bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM 1 FROM budget WHERE id = ANY (p_budgets) ORDER BY id FOR UPDATE;
  RETURN QUERY
  WITH charge AS (
    SELECT c.budget_id, c.charge, c.reserve, least(coalesce(l.amount, 0), c.charge + c.reserve) AS taken
    FROM unnest(p_budgets, p_charges, p_reserves) AS c (budget_id, charge, reserve)
    LEFT JOIN budget_lease l ON l.budget_id = c.budget_id AND l.replica_id = p_replica
  ), eaten AS (
    UPDATE budget_lease l SET amount = l.amount - c.taken, updated_at = now()
    FROM charge c WHERE l.budget_id = c.budget_id AND l.replica_id = p_replica
  ), charged AS (
    UPDATE budget b SET used = b.used + c.charge, leased = b.leased - c.taken, reserved = b.reserved + c.reserve,
      period_base = CASE WHEN b.period <> 'none' AND b.period_ends_at <= now() THEN b.used ELSE b.period_base END,
      period_ends_at = CASE WHEN b.period <> 'none' AND b.period_ends_at <= now() THEN next_period_end(b.period, now()) ELSE b.period_ends_at END
    FROM charge c WHERE b.id = c.budget_id
    RETURNING b.id, c.taken
  )
  SELECT charged.id, charged.taken FROM charged;
END
$$;

-- The time at which a replica has certainly noticed the end of its term. Clocks may differ by a quarter. Programs that
-- predate terms write no end, or leave an old one; they continue for five minutes.
CREATE OR REPLACE FUNCTION term_is_over_at(p_seen_at timestamptz, p_term_ends_at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_term_ends_at > p_seen_at THEN p_term_ends_at + (p_term_ends_at - p_seen_at) / 4
    ELSE p_seen_at + interval '375 seconds' END
$$;

-- Renews the term of a replica, and returns its era. A replica that names another era has lost its leases, and its term
-- is not renewed until it knows that. A starting process holds none, and names no era. live counts the replicas seen
-- lately.
CREATE OR REPLACE FUNCTION renew_term(p_replica text, p_era uuid, p_term interval)
RETURNS TABLE (current_era uuid, is_renewed boolean, live integer)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO replica AS r (id, term_ends_at) VALUES (p_replica, now() + p_term)
    ON CONFLICT (id) DO UPDATE SET seen_at = now(), term_ends_at = now() + p_term, given_up_at = NULL
    WHERE p_era IS NULL OR r.era = p_era
    RETURNING r.era INTO current_era;
  is_renewed := FOUND;
  IF NOT is_renewed THEN
    SELECT r.era INTO current_era FROM replica r WHERE r.id = p_replica;
  END IF;
  SELECT count(*) + 1 INTO live FROM replica r WHERE r.seen_at > now() - interval '15 seconds' AND r.id <> p_replica;
  RETURN NEXT;
END
$$;

-- Gives back every lease of a replica: at its clean shutdown, and after its spool was replayed. p_owed names the cost
-- of rows that the database refused for now, each budget at most once; that much remains leased to the replica until
-- the rows are written.
CREATE OR REPLACE FUNCTION release_leases(p_replica text, p_budgets bigint[] DEFAULT '{}', p_owed bigint[] DEFAULT '{}') RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_total bigint;
BEGIN
  UPDATE replica SET era = gen_random_uuid() WHERE id = p_replica;
  PERFORM 1 FROM budget WHERE id IN (SELECT l.budget_id FROM budget_lease l WHERE l.replica_id = p_replica) ORDER BY id FOR UPDATE;
  WITH share AS (
    SELECT l.budget_id, l.amount, least(l.amount, coalesce(o.owed, 0)) AS kept
    FROM budget_lease l LEFT JOIN unnest(p_budgets, p_owed) AS o(budget_id, owed) ON o.budget_id = l.budget_id
    WHERE l.replica_id = p_replica
  ), gone AS (
    DELETE FROM budget_lease l USING share s WHERE l.replica_id = p_replica AND l.budget_id = s.budget_id AND s.kept = 0
  ), cut AS (
    UPDATE budget_lease l SET amount = s.kept, updated_at = now() FROM share s
    WHERE l.replica_id = p_replica AND l.budget_id = s.budget_id AND s.kept > 0
  ), returned AS (
    UPDATE budget b SET leased = b.leased - (s.amount - s.kept), updated_at = now() FROM share s
    WHERE b.id = s.budget_id RETURNING s.amount - s.kept AS amount
  )
  SELECT coalesce(sum(amount), 0) INTO v_total FROM returned;
  RETURN v_total;
END
$$;

-- Gives back the leases of replicas that were given up, once their terms are over. The cost of their outstanding calls
-- is charged when it arrives; by that much, and no more, a balance may become negative.
CREATE OR REPLACE FUNCTION write_off_leases() RETURNS TABLE (replica_id text, budgets bigint, quota bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_replica text;
BEGIN
  -- Not FOR UPDATE: a lender locks a budget and then wants a share lock on this row.
  FOR v_replica IN SELECT r.id FROM replica r
    WHERE r.given_up_at IS NOT NULL AND now() > term_is_over_at(r.seen_at, r.term_ends_at)
      AND EXISTS (SELECT 1 FROM budget_lease l WHERE l.replica_id = r.id)
    ORDER BY r.id FOR NO KEY UPDATE SKIP LOCKED
  LOOP
    UPDATE replica SET era = gen_random_uuid() WHERE id = v_replica;
    PERFORM 1 FROM budget WHERE id IN (SELECT l.budget_id FROM budget_lease l WHERE l.replica_id = v_replica) ORDER BY id FOR UPDATE;
    RETURN QUERY
    WITH gone AS (
      DELETE FROM budget_lease l WHERE l.replica_id = v_replica RETURNING l.budget_id, l.amount
    ), written_off AS (
      UPDATE budget b SET leased = b.leased - g.amount, written_off = b.written_off + g.amount, updated_at = now()
      FROM gone g WHERE b.id = g.budget_id AND g.amount > 0 RETURNING g.amount
    )
    SELECT v_replica, count(*), coalesce(sum(w.amount), 0)::bigint FROM written_off w;
  END LOOP;
END
$$;

-- Removes leases that were empty for ten minutes, and replicas without leases that were silent for a day. A late
-- statement then finds no row, which has the same effect as a newer row: nothing is given back, and the replica finds a
-- late loan when it next reads its leases.
CREATE OR REPLACE FUNCTION forget_empty_leases(p_limit integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_count bigint;
BEGIN
  DELETE FROM budget_lease WHERE ctid = ANY (ARRAY(
    SELECT l.ctid FROM budget_lease l WHERE l.amount = 0 AND l.updated_at < now() - interval '10 minutes'
    LIMIT p_limit FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  DELETE FROM replica r WHERE r.seen_at < now() - interval '1 day'
    AND NOT EXISTS (SELECT 1 FROM budget_lease l WHERE l.replica_id = r.id);
  RETURN v_count;
END
$$;

-- Changes what a budget was granted, once per reference, and writes it into the ledger when the budget is a user's: the
-- budget of a key is only a limit, and has no account. Returns whether this call did it.
CREATE OR REPLACE FUNCTION grant_quota(p_budget bigint, p_amount bigint, p_change_type text, p_reference text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_user bigint;
BEGIN
  IF NOT change_granted(p_budget, p_amount, p_change_type, p_reference) THEN RETURN false; END IF;
  SELECT gateway_user_id INTO v_user FROM budget WHERE id = p_budget;
  IF v_user IS NOT NULL THEN
    PERFORM post_ledger(p_change_type, p_reference, NULL, p_change_type, ARRAY[v_user], ARRAY[p_amount]);
  END IF;
  RETURN true;
END
$$;

-- The part of grant_quota that concerns the budget alone.
CREATE OR REPLACE FUNCTION change_granted(p_budget bigint, p_amount bigint, p_change_type text, p_reference text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM budget WHERE id = p_budget FOR UPDATE;
  INSERT INTO quota_grant (budget_id, amount, change_type, reference) VALUES (p_budget, p_amount, p_change_type, p_reference)
    ON CONFLICT (reference) DO NOTHING;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE budget SET granted = granted + p_amount, updated_at = now() WHERE id = p_budget;
  PERFORM pg_notify('budget_changed', p_budget::text);
  RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION quota_grant_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END
$$;
