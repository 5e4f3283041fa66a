-- A statement whose answer was lost may still reach the server long after its replica has given up on it, when a network
-- that was silent delivers what it held back. So the statements on a lease are numbered, and one that comes after a newer
-- one is refused: otherwise a lease could be given back that is being spent.
ALTER TABLE "budget_lease" ADD COLUMN "last_statement" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "budget_lease" ADD CONSTRAINT "budget_lease_is_not_negative" CHECK ("budget_lease"."amount" >= 0);
--> statement-breakpoint
DROP FUNCTION lease_quota(bigint, text, bigint, bigint, bigint);
--> statement-breakpoint
-- Lends a slice of a budget to a replica. A slice is at least what is needed and at most a quarter of what is left, so that
-- other replicas find something too. When too little is left although others hold leases, p_recall = 0 calls their idle
-- leases back and returns the number of that call; asked again with it, is_recall_answered says whether all have answered.
CREATE FUNCTION lease_quota(p_budget bigint, p_replica text, p_need bigint, p_want bigint, p_recall bigint, p_statement bigint)
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
--> statement-breakpoint
DROP FUNCTION return_lease(bigint, text, bigint, bigint);
--> statement-breakpoint
-- Gives idle quota of a lease back; with p_recall > 0 it also answers that call, even when nothing is idle.
CREATE FUNCTION return_lease(p_budget bigint, p_replica text, p_amount bigint, p_recall bigint, p_statement bigint) RETURNS void
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
--> statement-breakpoint
-- What a replica holds of a budget, after every statement with a lower number has either happened or lost its chance.
CREATE FUNCTION read_lease(p_budget bigint, p_replica text, p_statement bigint) RETURNS bigint
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
--> statement-breakpoint
-- Charges the sums of newly written usage rows; a reserve is what their multiplier above 1 still owes. Both eat the lease of the replica first; what the lease does not
-- cover is taken from what remains. Returns how much of each lease was eaten. Locks budgets in the order of their ids. A period that is over ends here too: what is
-- spent out of a lease of its last moments counts for the next one, so that no period's charges exceed what it was granted.
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
    UPDATE budget b SET used = b.used + c.charge, leased = b.leased - c.taken, reserved = b.reserved + c.reserve, updated_at = now(),
      period_base = CASE WHEN b.period <> 'none' AND b.period_ends_at <= now() THEN b.used ELSE b.period_base END,
      period_ends_at = CASE WHEN b.period <> 'none' AND b.period_ends_at <= now() THEN next_period_end(b.period, now()) ELSE b.period_ends_at END
    FROM charge c WHERE b.id = c.budget_id
    RETURNING b.id, c.taken
  )
  SELECT charged.id, charged.taken FROM charged;
END
$$;
--> statement-breakpoint
-- Takes the leases of replicas that were silent for longer than p_silence. Should one of them live after all, it is told, and
-- its spooled usage is still charged, from what remains.
CREATE OR REPLACE FUNCTION reclaim_silent_leases(p_silence interval) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_replica text;
  v_total bigint := 0;
BEGIN
  FOR v_replica IN SELECT id FROM replica WHERE seen_at < now() - p_silence
    AND EXISTS (SELECT 1 FROM budget_lease l WHERE l.replica_id = replica.id) ORDER BY id FOR UPDATE SKIP LOCKED
  LOOP
    v_total := v_total + release_leases(v_replica);
    PERFORM pg_notify('leases_reclaimed', v_replica);
  END LOOP;
  RETURN v_total;
END
$$;
