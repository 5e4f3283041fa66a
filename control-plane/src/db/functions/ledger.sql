-- The quota ledger: double entry, append-only. Everything that gives quota to a user or takes it away writes here, once
-- for each (change_type, reference).

-- Opens the missing accounts of users and of one house account; returns the id of the latter.
CREATE OR REPLACE FUNCTION open_ledger_accounts(p_house text, p_users bigint[]) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  -- Existing accounts are skipped, because each attempt uses up a number.
  INSERT INTO ledger_account (code, gateway_user_id)
    SELECT code, gateway_user_id FROM (
      SELECT DISTINCT 'user:' || id AS code, id AS gateway_user_id FROM unnest(p_users) AS u (id)
      UNION ALL SELECT 'house:' || p_house, NULL
    ) wanted WHERE NOT EXISTS (SELECT 1 FROM ledger_account a WHERE a.code = wanted.code) ORDER BY code
    ON CONFLICT (code) DO NOTHING;
  RETURN (SELECT id FROM ledger_account WHERE code = 'house:' || p_house);
END
$$;

-- Writes one posting between users (amounts of quota, signed) and one house account, which takes the rest so that the
-- sum is zero. Returns its id, or null when it was written before. Locks accounts in the order of their ids.
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

CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END
$$;

-- No writer can commit a posting that does not sum to zero. A settlement posting has an entry for each of hundreds of
-- users, so its entries are written with one statement and summed once, by that statement: a check for each entry would
-- sum them all each time. A posting can't be extended later.
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
