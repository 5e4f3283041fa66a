-- Users see the balance after each of their entries. Entries of an account are numbered in the order in which they were
-- written, since each is written under the lock of the account.
CREATE FUNCTION check_money_entries() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE sql STABLE AS $$
  SELECT 'an entry says the balance after it', 'ledger entry ' || id, balance_after || ' <> ' || total
  FROM (SELECT id, balance_after, sum(amount) OVER (PARTITION BY account_id ORDER BY id) AS total FROM ledger_entry) e
  WHERE balance_after <> total
$$;
