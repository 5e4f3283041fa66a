-- What a replica holds of a budget may be spent by it to the last unit while nobody hears of it, and rows of calls that it
-- answered may lie in its spool. So its leases stay set aside until its spool was replayed, and are written off only when
-- somebody says that its host is lost. That is safe when it can let no call in any more: it does so only for as long as its
-- term holds, which it counts by its own clock from before it asked, and we wait until after the end.
ALTER TABLE "budget" ADD COLUMN "written_off" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "replica" ADD COLUMN "term_ends_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "replica" ADD COLUMN "era" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "replica" ADD COLUMN "given_up_at" timestamp with time zone;
--> statement-breakpoint
-- From when on a replica has long noticed that its term is over. Clocks may differ by a quarter. Programs from before there
-- were terms write no end, or leave an old one behind; they go on for five minutes.
CREATE FUNCTION term_is_over_at(p_seen_at timestamptz, p_term_ends_at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_term_ends_at > p_seen_at THEN p_term_ends_at + (p_term_ends_at - p_seen_at) / 4
    ELSE p_seen_at + interval '375 seconds' END
$$;
--> statement-breakpoint
-- Renews the term of a replica, and says in which era it is. Whoever names another era has lost its leases, and is not renewed
-- before it knows. A process that begins holds none, and names no era. live counts the replicas that were heard of lately.
CREATE FUNCTION renew_term(p_replica text, p_era uuid, p_term interval)
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
--> statement-breakpoint
-- Gives back every lease of a replica: at its clean end, and after its spool was replayed.
CREATE OR REPLACE FUNCTION release_leases(p_replica text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_total bigint;
BEGIN
  UPDATE replica SET era = gen_random_uuid() WHERE id = p_replica;
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
-- Gives back the leases of replicas that were given up, once their terms are over. What their calls still cost is charged
-- when it comes; by so much, and no more, a balance may become negative.
CREATE FUNCTION write_off_leases() RETURNS TABLE (replica_id text, budgets bigint, quota bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_replica text;
BEGIN
  -- Not FOR UPDATE: whoever lends holds a budget and then wants a share of this row.
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
--> statement-breakpoint
-- Called by programs of the release before, which took the leases of silent replicas although these might have spent them.
CREATE OR REPLACE FUNCTION reclaim_silent_leases(p_silence interval) RETURNS bigint LANGUAGE sql AS $$
  SELECT 0::bigint
$$;
--> statement-breakpoint
-- Removes leases that were empty for ten minutes, and replicas without leases that were silent for a day. A statement that
-- comes late finds no row then, which is as good as a newer one: nothing is given back, and what it lends is found by the
-- replica's next look at its leases.
CREATE FUNCTION forget_empty_leases(p_limit integer) RETURNS bigint
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
--> statement-breakpoint
-- Of a lease that was written off, calls may still come and cost as much.
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
  SELECT 'a balance is negative only by what was written off, or after a call that cost more than its bound', 'budget ' || b.id,
    (b.granted - (b.used - b.period_base) - b.leased - b.reserved)::text
  FROM budget b
  WHERE b.granted - (b.used - b.period_base) - b.leased - b.reserved < -b.written_off
    AND NOT EXISTS (SELECT 1 FROM usage_log u WHERE b.id IN (u.user_budget_id, u.key_budget_id) AND u.quota > u.quota_held)
    AND NOT EXISTS (SELECT 1 FROM quota_grant g WHERE g.budget_id = b.id AND g.amount < 0 AND g.change_type <> 'usage_quota')
$$;
