-- What accounts spend per UTC day, and what operators let them spend per day and month. A lease is never larger than what
-- a limit leaves (lease_quota), so no call is admitted that could exceed it; what was leased before a limit was
-- lowered, calls that cost more than their bound, and calls that are open at midnight, which count for the day on which
-- they began, are the only ways past it.

-- The largest sum that account_spend.spent holds.
CREATE OR REPLACE FUNCTION spend_max() RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT 99999999999999999999999999999999999999';

-- Adds usage rows to the days of their accounts, in the transaction that writes them. What counts is the
-- cost with the multiplier, as the settlement will charge it, up to the largest number that the column holds: whether a
-- cost can be right is for the settlement to judge, and must not keep the row out of the log.
CREATE OR REPLACE FUNCTION note_spend() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account_spend AS s (gateway_user_id, day, spent)
    SELECT gateway_user_id, day, least(sum(ceil(quota * rate_multiplier)), spend_max()) FROM written
    WHERE quota > 0 AND rate_multiplier > 0 AND rate_multiplier <> 'NaN'
    GROUP BY gateway_user_id, day ORDER BY gateway_user_id, day
    ON CONFLICT (gateway_user_id, day) DO UPDATE SET spent = least(s.spent + excluded.spent, spend_max());
  RETURN NULL;
END
$$;

-- What an account has spent in the current UTC day or month.
CREATE OR REPLACE FUNCTION spent_since(p_user bigint, p_period text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- A sum that no amount of quota could be would overflow what it is compared with.
  RETURN (
    SELECT least(coalesce(sum(s.spent), 0), 4611686018427387904)::bigint FROM account_spend s
    WHERE s.gateway_user_id = p_user
      AND s.day >= date_trunc(CASE p_period WHEN 'daily' THEN 'day' ELSE 'month' END, now() AT TIME ZONE 'UTC')::date
  );
END
$$;

-- What operators limit for an account because a month of a plan runs for it, with the plans and the first of their
-- ends; no row without such a plan. Of several plans the most generous value counts: who buys another plan buys more.
CREATE OR REPLACE FUNCTION plan_limits_of(p_user bigint)
RETURNS TABLE (
  plans text[], requests_per_minute integer, tokens_per_minute integer, concurrency_max integer, spend_per_day bigint,
  spend_per_month bigint, ends_at timestamptz
) LANGUAGE plpgsql STABLE ROWS 1 AS $$
#variable_conflict use_column
BEGIN
  -- Most services limit no plan, and each lease asks.
  IF NOT EXISTS (SELECT 1 FROM account_limit WHERE plan_code IS NOT NULL) THEN
    RETURN;
  END IF;
  RETURN QUERY
  SELECT array_agg(a.plan_code ORDER BY a.plan_code), max(a.requests_per_minute), max(a.tokens_per_minute), max(a.concurrency_max),
    max(a.spend_per_day), max(a.spend_per_month), min(greatest(s.period_end, s.kept_until))
  FROM subscription s JOIN account_limit a ON a.scope = 'plan' AND a.plan_code = s.plan_code
  WHERE s.gateway_user_id = p_user AND s.status = 'active' AND greatest(s.period_end, s.kept_until) > now()
  HAVING count(*) > 0;
END
$$;

-- The limit of an account per day and the one per month, as far as there are any, with what it has spent. A group's own
-- value replaces the default, and so does a plan's; of group, plan and account the strictest counts. The group is the one
-- of calls whose key names none.
CREATE OR REPLACE FUNCTION spend_limits_of(p_user bigint)
RETURNS TABLE (period text, quota bigint, scope text, group_name text, spent bigint, resets_at timestamptz) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH limits AS (
    SELECT a.scope, a.group_name, a.spend_per_day, a.spend_per_month FROM account_limit a
    WHERE (a.spend_per_day IS NOT NULL OR a.spend_per_month IS NOT NULL) AND (
      a.scope = 'default' OR (a.scope = 'user' AND a.gateway_user_id = p_user)
      OR (a.scope = 'group' AND a.group_name = (SELECT c.group_name FROM key_group(p_user, NULL) c))
    )
    UNION ALL
    SELECT 'plan', NULL, p.spend_per_day, p.spend_per_month FROM plan_limits_of(p_user) p
  ), values_of AS (
    SELECT 'daily' AS period, l.spend_per_day AS quota, l.scope, l.group_name FROM limits l WHERE l.spend_per_day IS NOT NULL
    UNION ALL
    SELECT 'monthly', l.spend_per_month, l.scope, l.group_name FROM limits l WHERE l.spend_per_month IS NOT NULL
  ), strictest AS (
    SELECT DISTINCT ON (v.period) v.* FROM values_of v
    WHERE NOT (v.scope = 'default' AND EXISTS (SELECT 1 FROM values_of g WHERE g.scope IN ('group', 'plan') AND g.period = v.period))
    ORDER BY v.period, v.quota, v.scope
  )
  SELECT t.period, t.quota, t.scope, t.group_name, spent_since(p_user, t.period), next_period_end(t.period, now()) FROM strictest t;
END
$$;

-- Calls back what replicas have idle, of one account or of all, so that a lowered limit holds from now on.
CREATE OR REPLACE FUNCTION recall_user_leases(p_user bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_budgets bigint[];
BEGIN
  SELECT array_agg(b.id ORDER BY b.id) INTO v_budgets FROM budget b
    WHERE b.leased > 0 AND b.gateway_user_id IS NOT NULL AND (p_user IS NULL OR b.gateway_user_id = p_user);
  PERFORM 1 FROM budget WHERE id = ANY (v_budgets) ORDER BY id FOR UPDATE;
  UPDATE budget SET recall_sequence = recall_sequence + 1 WHERE id = ANY (v_budgets);
  RETURN (SELECT count(pg_notify('lease_recall', id || ':' || recall_sequence)) FROM budget WHERE id = ANY (v_budgets));
END
$$;
