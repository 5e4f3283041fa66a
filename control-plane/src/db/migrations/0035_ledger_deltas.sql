DROP INDEX "ledger_entry_account";--> statement-breakpoint
DROP INDEX "ledger_entry_created";--> statement-breakpoint
DROP INDEX "ledger_entry_account_created";--> statement-breakpoint
ALTER TABLE "ledger_entry" ADD COLUMN "usage_request_id" uuid;--> statement-breakpoint
ALTER TABLE "ledger_entry" ADD COLUMN "delta_amount" bigint;--> statement-breakpoint
ALTER TABLE "settlement_batch" ADD COLUMN "deltas" integer;--> statement-breakpoint
CREATE INDEX "ledger_entry_account" ON "ledger_entry" USING btree ("account_id","id") WHERE "ledger_entry"."usage_request_id" is null;--> statement-breakpoint
CREATE INDEX "ledger_entry_created" ON "ledger_entry" USING btree ("created_at","id") WHERE "ledger_entry"."usage_request_id" is null;--> statement-breakpoint
CREATE INDEX "ledger_entry_account_created" ON "ledger_entry" USING btree ("account_id","created_at","id") WHERE "ledger_entry"."usage_request_id" is null;--> statement-breakpoint
-- Opens what is missing of the accounts of users and of one of the house; returns the id of the latter.
CREATE FUNCTION open_ledger_accounts(p_house text, p_users bigint[]) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  -- Not tried for accounts that are there: each try uses up a number.
  INSERT INTO ledger_account (code, gateway_user_id)
    SELECT code, gateway_user_id FROM (
      SELECT DISTINCT 'user:' || id AS code, id AS gateway_user_id FROM unnest(p_users) AS u (id)
      UNION ALL SELECT 'house:' || p_house, NULL
    ) wanted WHERE NOT EXISTS (SELECT 1 FROM ledger_account a WHERE a.code = wanted.code) ORDER BY code
    ON CONFLICT (code) DO NOTHING;
  RETURN (SELECT id FROM ledger_account WHERE code = 'house:' || p_house);
END
$$;
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
  v_house := open_ledger_accounts(p_house, p_users);
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
-- Writes the posting of a batch of the settlement: for each user what the calls cost before the multiplier, and before that
-- an entry for each call whose cost the multiplier changed. Locks accounts in the order of their ids.
CREATE FUNCTION post_settlement(p_batch bigint, p_settled bigint, p_users bigint[], p_bases bigint[], p_requests uuid[],
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
  v_house := open_ledger_accounts('usage', p_users);
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
--> statement-breakpoint
-- Settles the next p_limit rows after a checkpoint: a settlement row each, one ledger posting with an entry for each delta,
-- and what the multiplier changes about the budget of each user. A row that is settled already changes nothing; one that can't be right goes to
-- the quarantine. The caller holds the checkpoint and moves it.
CREATE OR REPLACE FUNCTION settle_usage_step(p_from settlement_checkpoint, p_limit integer) RETURNS settlement_step
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_batch bigint := nextval(pg_get_serial_sequence('settlement_batch', 'id'));
  v_step settlement_step;
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
    RETURNING request_id, gateway_user_id, base_quota, settled_quota, quota_delta
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
    s.users, s.bases, s.deltas, s.reserves, d.requests, d.owners, d.deltas
  INTO v_step.rows_read, v_step.last_xid, v_step.last_day, v_step.last_request_id, v_step.rows_settled, v_step.base_quota,
    v_step.settled_quota, v_step.rows_refused, v_users, v_bases, v_deltas, v_reserves, v_requests, v_owners, v_row_deltas
  FROM (
    SELECT coalesce(sum(rows), 0) AS rows, coalesce(sum(base), 0) AS base, coalesce(sum(settled), 0) AS settled,
      array_agg(gateway_user_id ORDER BY gateway_user_id) AS users, array_agg(base ORDER BY gateway_user_id) AS bases,
      array_agg(delta ORDER BY gateway_user_id) AS deltas, array_agg(reserve ORDER BY gateway_user_id) AS reserves
    FROM sums
  ) s LEFT JOIN ending e ON true CROSS JOIN (
    SELECT array_agg(request_id) AS requests, array_agg(gateway_user_id) AS owners, array_agg(quota_delta) AS deltas
    FROM settled WHERE quota_delta <> 0
  ) d;
  IF v_step.rows_settled > 0 THEN
    INSERT INTO settlement_batch (id, rows, base_quota, settled_quota, deltas) OVERRIDING SYSTEM VALUE
      VALUES (v_batch, v_step.rows_settled, v_step.base_quota, v_step.settled_quota, coalesce(cardinality(v_requests), 0));
    PERFORM settle_budgets(v_batch, v_users, v_deltas, v_reserves);
    IF v_step.base_quota > 0 THEN
      PERFORM post_settlement(v_batch, v_step.settled_quota, v_users, v_bases, v_requests, v_owners, v_row_deltas);
    END IF;
  END IF;
  RETURN v_step;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION check_money_settlement() RETURNS TABLE (invariant text, subject text, detail text)
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
    SELECT batch_id, count(*) AS rows, sum(base_quota) AS base, sum(settled_quota) AS settled,
      count(*) FILTER (WHERE quota_delta <> 0) AS deltas
    FROM usage_settlement GROUP BY batch_id
  ) s ON s.batch_id = b.id
  WHERE (b.rows, b.base_quota, b.settled_quota, coalesce(b.deltas, s.deltas))
    IS DISTINCT FROM (s.rows, s.base, s.settled, s.deltas)
  UNION ALL
  -- Batches of before that was so have their deltas in one entry for each user.
  SELECT 'each delta of a usage row is an entry of the ledger', 'request ' || coalesce(s.request_id, e.usage_request_id),
    coalesce(s.quota_delta, 0) || ' <> ' || coalesce(-e.amount, 0)
  FROM (
    SELECT s.request_id, s.quota_delta FROM usage_settlement s JOIN settlement_batch b ON b.id = s.batch_id
    WHERE s.quota_delta <> 0 AND b.deltas IS NOT NULL
  ) s
  FULL JOIN (
    SELECT usage_request_id, sum(amount) AS amount, count(*) AS entries FROM ledger_entry
    WHERE usage_request_id IS NOT NULL GROUP BY usage_request_id
  ) e ON e.usage_request_id = s.request_id
  WHERE s.quota_delta IS DISTINCT FROM -e.amount OR e.entries <> 1
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
CREATE OR REPLACE FUNCTION check_money_entries() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE sql STABLE AS $$
  SELECT 'an entry says the balance after it', 'ledger entry ' || id, balance_after || ' <> ' || total
  FROM (SELECT id, balance_after, sum(amount) OVER (PARTITION BY account_id ORDER BY id) AS total FROM ledger_entry) e
  WHERE balance_after <> total
  UNION ALL
  -- Lists show both as one entry.
  SELECT 'an entry says what the deltas before it add up to', 'posting ' || coalesce(e.posting_id, d.posting_id),
    coalesce(e.delta_amount::text, 'no entry') || ' <> ' || coalesce(d.amount::text, 'no deltas')
  FROM (SELECT posting_id, account_id, delta_amount FROM ledger_entry WHERE delta_amount IS NOT NULL) e
  FULL JOIN (
    SELECT posting_id, account_id, sum(amount) AS amount FROM ledger_entry WHERE usage_request_id IS NOT NULL
    GROUP BY posting_id, account_id
  ) d ON d.posting_id = e.posting_id AND d.account_id = e.account_id
  WHERE e.delta_amount IS DISTINCT FROM d.amount
$$;
