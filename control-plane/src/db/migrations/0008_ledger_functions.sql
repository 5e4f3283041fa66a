-- The quota ledger: double entry, append-only. Everything that gives a user quota or takes it writes here, once for each
-- (change_type, reference).
CREATE FUNCTION ledger_account_id(p_code text, p_gateway_user bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_id bigint;
BEGIN
  SELECT id INTO v_id FROM ledger_account WHERE code = p_code;
  IF NOT FOUND THEN
    INSERT INTO ledger_account (code, gateway_user_id) VALUES (p_code, p_gateway_user) ON CONFLICT (code) DO NOTHING;
    SELECT id INTO v_id FROM ledger_account WHERE code = p_code;
  END IF;
  RETURN v_id;
END
$$;
--> statement-breakpoint
-- Writes one posting between users (amounts of quota, signed) and one account of the house, which takes the rest so that
-- the sum is zero. Returns its id, or null when it was written before. Locks accounts in the order of their ids.
CREATE FUNCTION post_ledger(p_change_type text, p_reference text, p_note text, p_house text, p_users bigint[], p_amounts bigint[])
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_posting bigint;
  v_entry record;
  v_balance bigint;
BEGIN
  INSERT INTO ledger_posting (change_type, reference, note) VALUES (p_change_type, p_reference, p_note)
    ON CONFLICT (change_type, reference) DO NOTHING RETURNING id INTO v_posting;
  IF NOT FOUND THEN RETURN NULL; END IF;
  FOR v_entry IN
    SELECT e.account_id, e.amount FROM (
      SELECT ledger_account_id('user:' || u.gateway_user_id, u.gateway_user_id) AS account_id, sum(u.amount)::bigint AS amount
      FROM unnest(p_users, p_amounts) AS u (gateway_user_id, amount) GROUP BY u.gateway_user_id
      UNION ALL
      SELECT ledger_account_id('house:' || p_house, NULL), (SELECT -coalesce(sum(amount), 0) FROM unnest(p_amounts) AS a (amount))::bigint
    ) e WHERE e.amount <> 0 ORDER BY e.account_id
  LOOP
    UPDATE ledger_account SET balance = balance + v_entry.amount WHERE id = v_entry.account_id RETURNING balance INTO v_balance;
    INSERT INTO ledger_entry (posting_id, account_id, amount, balance_after)
      VALUES (v_posting, v_entry.account_id, v_entry.amount, v_balance);
  END LOOP;
  RETURN v_posting;
END
$$;
--> statement-breakpoint
-- Changes what a budget was granted, once per reference. Returns whether this call did it.
CREATE FUNCTION change_granted(p_budget bigint, p_amount bigint, p_change_type text, p_reference text) RETURNS boolean
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
-- The same for what concerns the user's account as well: quota that is given or taken is written into the ledger with it.
-- The budget of a key is a limit and no possession; it has no account.
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
--> statement-breakpoint
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END
$$;
--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_posting FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payment FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- A posting that does not sum to zero can't be committed, whoever writes it.
CREATE FUNCTION refuse_unbalanced_posting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT sum(amount) FROM ledger_entry WHERE posting_id = NEW.posting_id) <> 0 THEN
    RAISE EXCEPTION 'posting % does not sum to zero', NEW.posting_id;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER sums_to_zero AFTER INSERT ON ledger_entry DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION refuse_unbalanced_posting();
--> statement-breakpoint
-- What users were granted before there was a ledger.
SELECT post_ledger('opening', 'budget:' || id, NULL, 'opening', ARRAY[gateway_user_id], ARRAY[granted])
FROM budget WHERE gateway_user_id IS NOT NULL AND granted <> 0;
--> statement-breakpoint
-- check_money() is the union of all functions whose names begin with check_money_: each part of the money has its own.
ALTER FUNCTION check_money() RENAME TO check_money_quota;
--> statement-breakpoint
CREATE FUNCTION check_money_ledger() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE sql STABLE AS $$
  SELECT 'a balance is the sum of its entries', 'ledger account ' || a.code, a.balance || ' <> ' || coalesce(e.total, 0)
  FROM ledger_account a LEFT JOIN (SELECT account_id, sum(amount) AS total FROM ledger_entry GROUP BY account_id) e ON e.account_id = a.id
  WHERE a.balance <> coalesce(e.total, 0)
  UNION ALL
  SELECT 'a posting sums to zero', 'posting ' || posting_id, sum(amount)::text
  FROM ledger_entry GROUP BY posting_id HAVING sum(amount) <> 0
  UNION ALL
  SELECT 'all accounts sum to zero', 'ledger', sum(balance)::text FROM ledger_account HAVING sum(balance) <> 0
  UNION ALL
  SELECT 'an account says what its user was granted and has settled', 'gateway user ' || b.gateway_user_id,
    coalesce(a.balance, 0) || ' <> ' || (b.granted - coalesce(s.base, 0))
  FROM budget b
  LEFT JOIN ledger_account a ON a.gateway_user_id = b.gateway_user_id
  LEFT JOIN (SELECT gateway_user_id, sum(base_quota) AS base FROM usage_settlement GROUP BY gateway_user_id) s
    ON s.gateway_user_id = b.gateway_user_id
  WHERE b.gateway_user_id IS NOT NULL AND coalesce(a.balance, 0) <> b.granted - coalesce(s.base, 0)
$$;
--> statement-breakpoint
CREATE FUNCTION check_money() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_name text;
BEGIN
  FOR v_name IN SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'public' AND p.proname LIKE 'check\_money\_%' ORDER BY 1
  LOOP
    RETURN QUERY EXECUTE format('SELECT * FROM public.%I()', v_name);
  END LOOP;
END
$$;
--> statement-breakpoint
-- Replicas keep the model map in memory.
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON messages_model FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
--> statement-breakpoint
-- The cursor of the settlement walks over the log in the order of the writing transactions.
CREATE INDEX usage_log_xid ON usage_log (xid, request_id);
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT SELECT, INSERT, UPDATE, DELETE ON account_token, session, attempt_counter, shared_admin_credentials, support_profile,
    messages_model, secret, plan, sales_order, refund, subscription, settlement_checkpoint, mail_template, mail_log,
    mail_inbox TO sluice_app;
  GRANT SELECT, INSERT, UPDATE ON ledger_account TO sluice_app;
  -- Written once, never changed.
  GRANT SELECT, INSERT ON audit_log, ledger_posting, ledger_entry, payment, gateway_event, usage_settlement,
    settlement_batch, settlement_quarantine TO sluice_app;
END
$$;
