-- Everything that moves quota is a function, so that each effect is one guarded statement under the lock of its budget row.
-- remaining = granted - (used - period_base) - leased - reserved

CREATE FUNCTION next_period_end(p_period text, p_now timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT CASE p_period
    WHEN 'daily' THEN date_trunc('day', p_now, 'UTC') + interval '1 day'
    WHEN 'weekly' THEN date_trunc('week', p_now, 'UTC') + interval '7 days'
    WHEN 'monthly' THEN date_trunc('month', p_now, 'UTC') + interval '1 month'
  END
$$;
--> statement-breakpoint
-- Lends a slice of a budget to a replica. A slice is at least what is needed and at most a quarter of what is left, so that
-- other replicas find something too. When too little is left although others hold leases, p_recall = 0 calls their idle
-- leases back and returns the number of that call; asked again with it, is_recall_answered says whether all have answered.
CREATE FUNCTION lease_quota(p_budget bigint, p_replica text, p_need bigint, p_want bigint, p_recall bigint)
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
  IF v_budget.period <> 'none' AND v_budget.period_ends_at <= now() THEN
    v_budget.period_base := v_budget.used;
    UPDATE budget SET period_base = used, period_ends_at = next_period_end(period, now()), updated_at = now() WHERE id = p_budget;
  END IF;
  v_remaining := v_budget.granted - (v_budget.used - v_budget.period_base) - v_budget.leased - v_budget.reserved;
  IF v_remaining >= p_need THEN
    v_give := greatest(p_need, least(p_want, v_remaining / 4));
    UPDATE budget SET leased = leased + v_give, updated_at = now() WHERE id = p_budget;
    INSERT INTO budget_lease (budget_id, replica_id, amount) VALUES (p_budget, p_replica, v_give)
      ON CONFLICT (budget_id, replica_id) DO UPDATE SET amount = budget_lease.amount + v_give, updated_at = now();
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
--> statement-breakpoint
-- Gives idle quota of a lease back; with p_recall > 0 it also answers that call, even when nothing is idle.
CREATE FUNCTION return_lease(p_budget bigint, p_replica text, p_amount bigint, p_recall bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM budget WHERE id = p_budget FOR UPDATE;
  UPDATE budget_lease SET amount = amount - p_amount, recall_seen = greatest(recall_seen, p_recall), updated_at = now()
    WHERE budget_id = p_budget AND replica_id = p_replica;
  IF NOT FOUND AND p_amount > 0 THEN RAISE EXCEPTION 'replica % holds no lease of budget %', p_replica, p_budget; END IF;
  IF p_amount > 0 THEN
    UPDATE budget SET leased = leased - p_amount, updated_at = now() WHERE id = p_budget;
  END IF;
  IF p_recall > 0 THEN
    PERFORM pg_notify('lease_returned', p_budget::text);
  END IF;
END
$$;
--> statement-breakpoint
-- Charges the sums of newly written usage rows; a reserve is what their multiplier above 1 still owes. Both eat the lease of the replica first; what the lease does not
-- cover is taken from what remains. Returns how much of each lease was eaten. Locks budgets in the order of their ids.
CREATE FUNCTION charge_budgets(p_replica text, p_budgets bigint[], p_charges bigint[], p_reserves bigint[])
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
    UPDATE budget b SET used = b.used + c.charge, leased = b.leased - c.taken, reserved = b.reserved + c.reserve, updated_at = now()
    FROM charge c WHERE b.id = c.budget_id
    RETURNING b.id, c.taken
  )
  SELECT charged.id, charged.taken FROM charged;
END
$$;
--> statement-breakpoint
-- Gives back every lease of a replica: at its clean end, and after its spool was replayed.
CREATE FUNCTION release_leases(p_replica text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_total bigint;
BEGIN
  PERFORM 1 FROM budget WHERE id IN (SELECT l.budget_id FROM budget_lease l WHERE l.replica_id = p_replica) ORDER BY id FOR UPDATE;
  WITH gone AS (
    DELETE FROM budget_lease WHERE replica_id = p_replica RETURNING budget_id, amount
  ), returned AS (
    UPDATE budget b SET leased = b.leased - g.amount, updated_at = now() FROM gone g WHERE b.id = g.budget_id RETURNING g.amount
  )
  SELECT coalesce(sum(amount), 0) INTO v_total FROM returned;
  RETURN v_total;
END
$$;
--> statement-breakpoint
-- Takes the leases of replicas that were silent for longer than p_silence. Should one of them come back, its spooled usage
-- is still charged, from what remains.
CREATE FUNCTION reclaim_silent_leases(p_silence interval) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_replica text;
  v_total bigint := 0;
BEGIN
  FOR v_replica IN SELECT id FROM replica WHERE seen_at < now() - p_silence
    AND EXISTS (SELECT 1 FROM budget_lease l WHERE l.replica_id = replica.id) ORDER BY id FOR UPDATE SKIP LOCKED
  LOOP
    v_total := v_total + release_leases(v_replica);
  END LOOP;
  RETURN v_total;
END
$$;
--> statement-breakpoint
-- Changes what a budget was granted, once per reference. Returns whether this call did it.
CREATE FUNCTION grant_quota(p_budget bigint, p_amount bigint, p_change_type text, p_reference text) RETURNS boolean
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
--> statement-breakpoint
CREATE FUNCTION quota_grant_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END
$$;
--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON quota_grant FOR EACH STATEMENT EXECUTE FUNCTION quota_grant_is_append_only();
--> statement-breakpoint
-- Every violated invariant of the money as a row; no row means that all hold.
CREATE FUNCTION check_money() RETURNS TABLE (invariant text, subject text, detail text)
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
  SELECT 'reserved equals what usage rows owe above their base', 'budget ' || b.id, b.reserved || ' <> ' || coalesce(u.total, 0)
  FROM budget b LEFT JOIN (
    SELECT user_budget_id AS budget_id, sum(ceil(quota * rate_multiplier) - quota) AS total
    FROM usage_log WHERE rate_multiplier > 1 GROUP BY user_budget_id
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
    AND NOT EXISTS (SELECT 1 FROM quota_grant g WHERE g.budget_id = b.id AND g.amount < 0)
$$;
