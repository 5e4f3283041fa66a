-- Every violated money invariant as a row; no row means that all hold. It is the union of all functions whose names
-- begin with check_money_: each area of the money has its own.
CREATE OR REPLACE FUNCTION check_money() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_name text;
BEGIN
  FOR v_name IN SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'public' AND p.proname LIKE 'check\_money\_%' ORDER BY 1
  LOOP
    -- Not in FROM: there the text of a function becomes part of this statement, which is planned at each call instead of once.
    RETURN QUERY EXECUTE format('SELECT (found).* FROM (SELECT public.%I() AS found) each', v_name);
  END LOOP;
END
$$;

-- Budgets: what was granted, used, lent and reserved. What a row reserved is taken by its settlement; a grant of the
-- settlement explains no balance below zero. Calls on a lease that was written off may still arrive, and cost up to its
-- amount.
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
      UNION ALL SELECT unnest(shared_budget_ids), ceil(quota * rate_multiplier) FROM usage_log WHERE shared_budget_ids IS NOT NULL
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
    AND NOT EXISTS (SELECT 1 FROM usage_log u WHERE (b.id IN (u.user_budget_id, u.key_budget_id) OR b.id = ANY (u.shared_budget_ids)) AND u.quota > u.quota_held)
    AND NOT EXISTS (SELECT 1 FROM quota_grant g WHERE g.budget_id = b.id AND g.amount < 0 AND g.change_type <> 'usage_quota')
$$;

-- What limits of spending are checked against.
CREATE OR REPLACE FUNCTION check_money_spend() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT 'what an account has spent in a day is the cost of its usage rows', 'gateway user ' || coalesce(s.gateway_user_id, u.gateway_user_id)
    || ' ' || coalesce(s.day, u.day), coalesce(s.spent, 0) || ' <> ' || coalesce(u.total, 0)
  FROM account_spend s FULL JOIN (
    SELECT gateway_user_id, day, least(sum(ceil(quota * rate_multiplier)), spend_max()) AS total FROM usage_log
    WHERE quota > 0 AND rate_multiplier > 0 AND rate_multiplier <> 'NaN' GROUP BY gateway_user_id, day
  ) u ON u.gateway_user_id = s.gateway_user_id AND u.day = s.day
  WHERE coalesce(s.spent, 0) <> coalesce(u.total, 0);
END
$$;

-- What each batch has settled of each user. Calls in lists cost what the log says.
CREATE OR REPLACE FUNCTION settled_sums()
RETURNS TABLE (batch_id bigint, gateway_user_id bigint, rows numeric, base numeric, settled numeric, delta numeric, deltas numeric)
LANGUAGE sql STABLE AS $$
  SELECT batch_id, gateway_user_id, count(*), sum(base), sum(settled_quota), sum(delta), count(*) FILTER (WHERE delta <> 0)
  FROM (
    SELECT batch_id, gateway_user_id, coalesce(base_quota, settled_quota) AS base, settled_quota, coalesce(quota_delta, 0) AS delta
    FROM usage_settlement
    UNION ALL
    SELECT l.batch_id, u.gateway_user_id, u.quota, u.quota, 0
    FROM (SELECT day, batch_id, unnest(calls) AS request_id FROM settled_calls) l
    JOIN usage_log u ON u.day = l.day AND u.request_id = l.request_id
  ) call GROUP BY batch_id, gateway_user_id
$$;

-- The ledger: accounts, postings and budgets agree.
CREATE OR REPLACE FUNCTION check_money_ledger() RETURNS TABLE (invariant text, subject text, detail text)
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
  LEFT JOIN (SELECT gateway_user_id, sum(base) AS base FROM settled_sums() GROUP BY gateway_user_id) s
    ON s.gateway_user_id = b.gateway_user_id
  WHERE b.gateway_user_id IS NOT NULL AND coalesce(a.balance, 0) <> b.granted - coalesce(s.base, 0)
$$;

-- Users see the balance after each of their entries. An account's entries are numbered in the order in which they were
-- written, since each is written under the account's lock.
CREATE OR REPLACE FUNCTION check_money_entries() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE sql STABLE AS $$
  SELECT 'an entry says the balance after it', 'ledger entry ' || id, balance_after || ' <> ' || total
  FROM (SELECT id, balance_after, sum(amount) OVER (PARTITION BY account_id ORDER BY id) AS total FROM ledger_entry) e
  WHERE balance_after <> total
  UNION ALL
  -- Lists show both deltas as one entry.
  SELECT 'an entry says what the deltas before it add up to', 'posting ' || coalesce(e.posting_id, d.posting_id),
    coalesce(e.delta_amount::text, 'no entry') || ' <> ' || coalesce(d.amount::text, 'no deltas')
  FROM (SELECT posting_id, account_id, delta_amount FROM ledger_entry WHERE delta_amount IS NOT NULL) e
  FULL JOIN (
    SELECT posting_id, account_id, sum(amount) AS amount FROM ledger_entry WHERE usage_request_id IS NOT NULL
    GROUP BY posting_id, account_id
  ) d ON d.posting_id = e.posting_id AND d.account_id = e.account_id
  WHERE e.delta_amount IS DISTINCT FROM d.amount
$$;

-- Orders and their effects. A paid order is settled or refunded; it is credited once it has an owner.
CREATE OR REPLACE FUNCTION check_money_orders() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE sql STABLE AS $$
  WITH credit AS (
    SELECT p.reference, count(*) AS entries, sum(e.amount) AS amount, min(p.change_type) AS change_type,
      min(a.gateway_user_id) AS gateway_user_id
    FROM ledger_posting p JOIN ledger_entry e ON e.posting_id = p.id JOIN ledger_account a ON a.id = e.account_id
    WHERE p.change_type IN ('order_credit', 'subscription_grant') AND a.gateway_user_id IS NOT NULL
    GROUP BY p.reference
  ), paid AS (
    SELECT o.*, o.status IN ('settled', 'refunded') AS is_paid, coalesce(g.gateway_user_id, u.gateway_user_id) AS owner
    FROM sales_order o LEFT JOIN user_profile u ON u.id = o.user_id LEFT JOIN organisation g ON g.id = o.organisation_id
  ), refunded AS (
    SELECT r.order_id, sum(r.amount_usd) FILTER (WHERE r.status <> 'failed') AS amount_usd,
      sum(r.amount_usd) FILTER (WHERE r.status = 'done') AS done_usd,
      count(*) FILTER (WHERE r.status = 'done') AS done,
      sum(r.quota) FILTER (WHERE r.status <> 'failed') AS quota
    FROM refund r GROUP BY r.order_id
  )
  SELECT 'a paid order has one payment, an unpaid one none', 'order ' || o.order_no,
    o.status || ', payment ' || coalesce(p.transaction_id, 'none')
  FROM paid o LEFT JOIN payment p ON p.order_id = o.id WHERE o.is_paid <> (p.id IS NOT NULL)
  UNION ALL
  SELECT 'a payment is what its order asked for', 'order ' || o.order_no,
    p.gateway || ' ' || p.amount_usd || ' ' || p.currency || ' for ' || o.pay_channel || ' ' || o.amount_usd || ' ' || o.currency
  FROM paid o JOIN payment p ON p.order_id = o.id
  WHERE o.resolution IS NULL AND (p.amount_usd <> o.amount_usd OR p.currency <> o.currency
    OR o.is_mock <> (p.gateway = 'mock') OR p.gateway NOT IN ('mock', o.pay_channel))
  UNION ALL
  SELECT 'a paid order with an owner has one credit of its quota', 'order ' || o.order_no,
    coalesce(c.entries, 0) || ' of ' || coalesce(c.amount, 0) || ' for ' || o.quota
  FROM paid o LEFT JOIN credit c ON c.reference = 'order:' || o.order_no
  WHERE o.is_paid AND o.owner IS NOT NULL AND o.quota > 0 AND o.resolution IS DISTINCT FROM 'refund' AND (c.entries, c.amount, c.gateway_user_id, c.change_type)
    IS DISTINCT FROM (1::bigint, o.quota::numeric, o.owner,
      CASE o.plan_kind WHEN 'monthly' THEN 'subscription_grant' ELSE 'order_credit' END)
  UNION ALL
  SELECT 'no other order has a credit', c.reference, coalesce(o.status, 'no such order')
  FROM credit c LEFT JOIN paid o ON c.reference = 'order:' || o.order_no
  WHERE o.is_paid IS NOT TRUE OR o.owner IS NULL OR o.resolution = 'refund'
  UNION ALL
  SELECT 'only a paid order can be paid late', 'order ' || order_no, status FROM paid WHERE is_paid_late AND NOT is_paid
  UNION ALL
  SELECT 'refunds are never more than the payment', 'order ' || o.order_no,
    r.amount_usd || ' of ' || coalesce(p.amount_usd, 0) || ', quota ' || r.quota || ' of ' || o.quota
  FROM refunded r JOIN paid o ON o.id = r.order_id LEFT JOIN payment p ON p.order_id = o.id
  WHERE r.amount_usd > coalesce(p.amount_usd, 0) OR r.quota > o.quota
  UNION ALL
  SELECT 'an order is refunded when all of its payment went back', 'order ' || o.order_no,
    o.status || ', ' || coalesce(r.done_usd, 0) || ' of ' || p.amount_usd
  FROM paid o JOIN payment p ON p.order_id = o.id LEFT JOIN refunded r ON r.order_id = o.id
  WHERE (o.status = 'refunded') <> (coalesce(r.done, 0) > 0 AND r.done_usd = p.amount_usd)
  UNION ALL
  SELECT 'what a refund took back is in the ledger', 'refund ' || r.refund_no,
    coalesce(l.amount, 0) || ' for ' || r.status || ' ' || r.quota
  FROM refund r LEFT JOIN (
    SELECT split_part(p.reference, ':', 2) AS refund_no, sum(e.amount) AS amount
    FROM ledger_posting p JOIN ledger_entry e ON e.posting_id = p.id JOIN ledger_account a ON a.id = e.account_id
    WHERE p.change_type IN ('refund', 'refund_failed') AND a.gateway_user_id IS NOT NULL
    GROUP BY split_part(p.reference, ':', 2)
  ) l ON l.refund_no = r.refund_no
  WHERE coalesce(l.amount, 0) <> CASE r.status WHEN 'failed' THEN 0 ELSE -r.quota END
  UNION ALL
  SELECT 'a subscription that is over is not paid out twice', 'subscription ' || s.id, s.quota_granted::text
  FROM subscription s WHERE s.quota_granted < 0
$$;

-- Redemption codes: each pays at most one order, which is on the terms of its batch.
CREATE OR REPLACE FUNCTION check_money_codes() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT 'a used code settled one order on the terms of its batch', 'code ' || c.id, 'order ' || o.order_no
  FROM code_redemption r
  JOIN redemption_code c ON c.id = r.code_id
  JOIN code_batch b ON b.id = c.batch_id
  JOIN sales_order o ON o.id = r.order_id
  LEFT JOIN payment p ON p.order_id = o.id
  WHERE o.status NOT IN ('settled', 'refunded')
    OR (r.batch_id, o.pay_channel, o.amount_usd, o.quota, o.plan_kind, o.user_id, p.gateway, p.transaction_id)
    IS DISTINCT FROM (b.id, 'code', 0::numeric, b.quota, b.plan_kind, r.user_id, 'code', c.id::text)
  UNION ALL
  SELECT 'an order without a price was granted by a code', 'order ' || o.order_no, o.status
  FROM sales_order o WHERE o.pay_channel = 'code' AND NOT EXISTS (SELECT 1 FROM code_redemption r WHERE r.order_id = o.id)
  UNION ALL
  SELECT 'a batch has the codes that it was made with', 'batch ' || b.id, coalesce(c.codes, 0) || ' of ' || b.count
  FROM code_batch b LEFT JOIN (SELECT batch_id, count(*) AS codes FROM redemption_code GROUP BY batch_id) c ON c.batch_id = b.id
  WHERE coalesce(c.codes, 0) <> b.count;
END
$$;

-- Coupons: uses are counted exactly and within the limits, and each follows the state of its order, whose price is lower by
-- the discount. Where tax is added, it is added to the rest.
CREATE OR REPLACE FUNCTION check_money_coupons() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT 'a coupon counts its uses', 'coupon ' || c.code, c.uses || ' for ' || coalesce(u.uses, 0)
  FROM coupon c LEFT JOIN (
    SELECT coupon_id, count(*) AS uses FROM coupon_use WHERE state <> 'released' AND NOT is_extra GROUP BY coupon_id
  ) u ON u.coupon_id = c.id
  WHERE c.uses <> coalesce(u.uses, 0)
  UNION ALL
  SELECT 'a user has as many uses of a coupon as it allows', 'coupon ' || c.code, 'user ' || u.user_id || ': ' || count(*)
  FROM coupon_use u JOIN coupon c ON c.id = u.coupon_id
  WHERE u.state <> 'released' AND NOT u.is_extra AND c.uses_per_user IS NOT NULL
  GROUP BY c.code, c.uses_per_user, u.user_id HAVING count(*) > c.uses_per_user
  UNION ALL
  SELECT 'a use beyond the limits of its coupon was decided by a person', 'order ' || o.order_no, coalesce(o.resolution, 'none')
  FROM coupon_use u JOIN sales_order o ON o.id = u.order_id
  WHERE u.is_extra AND u.state = 'consumed' AND o.resolution IS DISTINCT FROM 'settle'
  UNION ALL
  SELECT 'the use of a coupon has the state of its order', 'order ' || o.order_no, u.state || ' for ' || o.status
  FROM coupon_use u JOIN sales_order o ON o.id = u.order_id
  WHERE CASE
    WHEN o.status = 'review' THEN u.state = 'consumed'
    WHEN o.status = 'pending' THEN u.state <> 'reserved'
    WHEN o.status IN ('settled', 'refunded') AND o.resolution IS DISTINCT FROM 'refund' THEN u.state <> 'consumed'
    ELSE u.state <> 'released' END
  UNION ALL
  SELECT 'an order costs its price less its discount', 'order ' || o.order_no,
    o.amount_usd || ' for ' || u.price_usd || ' - ' || u.discount_usd
  FROM coupon_use u JOIN sales_order o ON o.id = u.order_id
  WHERE o.amount_usd NOT IN (u.price_usd - u.discount_usd,
      round((u.price_usd - u.discount_usd) * (100 + coalesce(o.tax_rate, 0)) / 100, 2))
    OR o.user_id IS DISTINCT FROM u.user_id OR o.quota <= u.bonus_quota;
END
$$;

-- Referrals: what both get is one posting each, and so is what is taken back.
CREATE OR REPLACE FUNCTION check_money_referrals() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY
  WITH owed AS (
    SELECT t.change_type, t.what || ':' || r.id || ':' || w.who AS reference, u.gateway_user_id,
      CASE WHEN r.state IN ('rewarded', 'taken_back') AND (t.change_type = 'referral_reward' OR r.state = 'taken_back')
        THEN t.sign * CASE w.who WHEN 'inviter' THEN r.inviter_quota ELSE r.invited_quota END ELSE 0 END AS amount
    FROM referral r
    CROSS JOIN (VALUES ('inviter'), ('invited')) w (who)
    CROSS JOIN (VALUES ('referral_reward', 'referral', 1), ('referral_taken_back', 'referral_taken_back', -1)) t (change_type, what, sign)
    JOIN user_profile u ON u.id = CASE w.who WHEN 'inviter' THEN r.inviter_id ELSE r.invited_id END
  ), posted AS (
    SELECT p.change_type, p.reference, a.gateway_user_id, e.amount
    FROM ledger_posting p JOIN ledger_entry e ON e.posting_id = p.id JOIN ledger_account a ON a.id = e.account_id
    WHERE p.change_type IN ('referral_reward', 'referral_taken_back') AND a.gateway_user_id IS NOT NULL
  )
  SELECT 'a reward for inviting is one posting to its user', coalesce(o.reference, p.reference),
    coalesce(p.amount, 0) || ' for ' || coalesce(o.amount, 0)
  FROM owed o FULL JOIN posted p ON (p.change_type, p.reference, p.gateway_user_id) = (o.change_type, o.reference, o.gateway_user_id)
  WHERE coalesce(p.amount, 0) <> coalesce(o.amount, 0)
  UNION ALL
  SELECT 'a reward for inviting is for a payment of the invited person', 'referral ' || r.id, coalesce(o.order_no, 'none')
  FROM referral r LEFT JOIN sales_order o ON o.id = r.order_id
  WHERE r.state IN ('rewarded', 'taken_back')
    AND (o.user_id IS DISTINCT FROM r.invited_id OR o.status NOT IN ('settled', 'refunded'));
END
$$;

-- Automatic top-ups: each charge is an order of its wallet for the price agreed to, and a month costs at most what was allowed.
CREATE OR REPLACE FUNCTION check_money_top_ups() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT 'a charge of a saved method is an order of its wallet', 'order ' || o.order_no, o.amount_usd || ' for ' || t.price_usd
  FROM top_up_attempt a JOIN auto_top_up t ON t.id = a.top_up_id JOIN sales_order o ON o.id = a.order_id
  WHERE (o.user_id, o.organisation_id, o.plan_code, o.amount_usd, o.pay_channel, o.sender)
    IS DISTINCT FROM (t.user_id, t.organisation_id, t.plan_code, t.price_usd, 'cardpay', t.account)
  UNION ALL
  SELECT 'a paid charge has settled its order', 'order ' || o.order_no, o.status
  FROM top_up_attempt a JOIN sales_order o ON o.id = a.order_id
  WHERE a.state = 'paid' AND o.status NOT IN ('settled', 'refunded', 'review')
  UNION ALL
  SELECT 'a month of top-ups costs at most what was allowed', 'top-up ' || t.top_up_no, sum(o.amount_usd) || ' of ' || t.month_max_usd
  FROM top_up_attempt a JOIN auto_top_up t ON t.id = a.top_up_id JOIN sales_order o ON o.id = a.order_id
  WHERE o.status IN ('settled', 'refunded') AND NOT o.is_paid_late
  GROUP BY t.top_up_no, t.month_max_usd, date_trunc('month', a.created_at AT TIME ZONE 'UTC')
  HAVING sum(o.amount_usd) > t.month_max_usd;
END
$$;

-- Free credit of registrations: one posting each, once for an address, and no invitation is used more often than it allows.
CREATE OR REPLACE FUNCTION check_money_registration() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT 'credit of a registration is one posting of its amount to its user',
    coalesce('user ' || r.user_id, 'posting ' || c.posting_id), coalesce(c.amount, 0) || ' for ' || coalesce(r.credit_quota, 0)
  FROM (
    SELECT n.user_id, n.credit_quota, p.gateway_user_id
    FROM user_registration n JOIN user_profile p ON p.id = n.user_id WHERE n.credit_quota > 0
  ) r
  FULL JOIN (
    SELECT p.id AS posting_id, p.reference, e.amount, a.gateway_user_id
    FROM ledger_posting p JOIN ledger_entry e ON e.posting_id = p.id JOIN ledger_account a ON a.id = e.account_id
    WHERE p.change_type = 'registration_credit' AND a.gateway_user_id IS NOT NULL
  ) c ON c.reference = 'registration:' || r.user_id AND c.gateway_user_id = r.gateway_user_id
  WHERE c.amount IS DISTINCT FROM r.credit_quota
  UNION ALL
  SELECT 'an address is paid credit of a registration once', 'user ' || min(r.user_id), count(*)::text
  FROM user_registration r WHERE r.credit_quota > 0 GROUP BY r.address_key HAVING count(*) > 1
  UNION ALL
  SELECT 'an invitation was used as often as accounts came by it', 'invitation ' || i.id, i.uses || ' for ' || coalesce(u.users, 0)
  FROM registration_invitation i LEFT JOIN (
    SELECT invitation_id, count(*) AS users FROM user_registration WHERE decided_at IS NOT NULL GROUP BY invitation_id
  ) u ON u.invitation_id = i.id
  WHERE i.uses <> coalesce(u.users, 0) OR i.uses > i.uses_max;
END
$$;

-- Accounts that were closed: what was left is taken in one posting. An organisation is closed with its last member.
CREATE OR REPLACE FUNCTION check_money_closing() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT 'what was taken with a closing is taken once, from a closed account', 'gateway user ' || a.gateway_user_id,
    p.reference || ', ' || e.amount
  FROM ledger_posting p
  JOIN ledger_entry e ON e.posting_id = p.id
  JOIN ledger_account a ON a.id = e.account_id
  LEFT JOIN user_profile u ON u.gateway_user_id = a.gateway_user_id
  WHERE p.change_type = 'account_closed' AND a.gateway_user_id IS NOT NULL
    AND (e.amount > 0 OR p.reference <> 'account_closed:' || a.gateway_user_id OR u.status <> 'closed');
END
$$;

-- Accounts from other gateways: their opening balances are what was moved, also in several runs and from several gateways.
CREATE OR REPLACE FUNCTION check_money_moving() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT 'an account was given the balances that were moved to it', 'gateway user ' || coalesce(m.gateway_user_id, g.gateway_user_id),
    coalesce(g.amount, 0) || ' for ' || coalesce(m.quota, 0)
  FROM (SELECT i.gateway_user_id, sum(i.moved_quota) AS quota FROM import_item i
    WHERE i.moved_quota IS NOT NULL GROUP BY i.gateway_user_id) m
  FULL JOIN (
    SELECT a.gateway_user_id, sum(e.amount) AS amount
    FROM ledger_posting p JOIN ledger_entry e ON e.posting_id = p.id JOIN ledger_account a ON a.id = e.account_id
    WHERE p.change_type = 'import_opening' AND a.gateway_user_id IS NOT NULL GROUP BY a.gateway_user_id
  ) g ON g.gateway_user_id = m.gateway_user_id
  WHERE coalesce(g.amount, 0) <> coalesce(m.quota, 0);
END
$$;

-- Invoices: one for each paid order that was placed with a tax rate, one credit note for each refund of it, and no
-- number of a range is missing.
CREATE OR REPLACE FUNCTION check_money_invoices() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY
  WITH credited AS (
    SELECT i.order_id, sum(i.gross_usd) AS gross_usd, sum(i.tax_usd) AS tax_usd
    FROM invoice i WHERE i.kind = 'credit_note' GROUP BY i.order_id
  )
  SELECT 'no number of a range is missing', 'range ' || r.prefix || ' ' || r.year,
    coalesce(n.count, 0) || ' up to ' || coalesce(n.last, 0) || ' of ' || r.last
  FROM invoice_range r
  LEFT JOIN (SELECT i.prefix, i.year, count(*) AS count, max(i.sequence) AS last FROM invoice i GROUP BY i.prefix, i.year) n
    ON n.prefix = r.prefix AND n.year = r.year
  WHERE (n.count, n.last) IS DISTINCT FROM (r.last, r.last)
  UNION ALL
  SELECT 'an invoice is for the payment of its order', 'invoice ' || i.number, i.gross_usd || ' of ' || coalesce(p.amount_usd, 0)
  FROM invoice i JOIN sales_order o ON o.id = i.order_id LEFT JOIN payment p ON p.order_id = o.id
  WHERE i.kind = 'invoice' AND (o.status NOT IN ('settled', 'refunded')
    OR (p.amount_usd, p.currency, o.tax_rate) IS DISTINCT FROM (i.gross_usd, i.currency, i.tax_rate))
  UNION ALL
  SELECT 'a paid order with a tax rate has an invoice', 'order ' || o.order_no, o.status
  FROM sales_order o
  WHERE o.tax_rate IS NOT NULL AND o.status IN ('settled', 'refunded') AND o.resolution IS DISTINCT FROM 'refund'
    AND NOT EXISTS (SELECT 1 FROM invoice i WHERE i.order_id = o.id AND i.kind = 'invoice')
  UNION ALL
  SELECT 'a refund of an invoiced order has one credit note of its amount', 'refund ' || r.refund_no,
    r.status || ' ' || r.amount_usd || ', ' || coalesce(n.gross_usd::text, 'none')
  FROM refund r
  JOIN invoice i ON i.order_id = r.order_id AND i.kind = 'invoice'
  LEFT JOIN invoice n ON n.refund_id = r.id
  WHERE n.gross_usd IS DISTINCT FROM CASE r.status WHEN 'done' THEN r.amount_usd END
  UNION ALL
  SELECT 'a credit note is for an invoice and a refund of its order', 'invoice ' || n.number, 'refund ' || n.refund_id
  FROM invoice n JOIN refund r ON r.id = n.refund_id
  WHERE r.order_id <> n.order_id
    OR NOT EXISTS (SELECT 1 FROM invoice i WHERE i.order_id = n.order_id AND i.kind = 'invoice' AND i.tax_rate = n.tax_rate)
  UNION ALL
  SELECT 'the tax of an invoice is its rate of the amount, rounded once', 'invoice ' || i.number, i.tax_usd || ' of ' || i.gross_usd
  FROM invoice i
  WHERE i.kind = 'invoice' AND i.tax_usd <> round(i.gross_usd * i.tax_rate / (100 + i.tax_rate), 2)
  UNION ALL
  SELECT 'credit notes take back the tax of what they credit', 'order ' || i.order_id, c.tax_usd || ' of ' || c.gross_usd
  FROM invoice i JOIN credited c ON c.order_id = i.order_id
  WHERE i.kind = 'invoice' AND c.tax_usd <> round(c.gross_usd * i.tax_rate / (100 + i.tax_rate), 2);
END
$$;

-- Plans that renew: each paid invoice has one order, and each month of a renewal is credited once.
CREATE OR REPLACE FUNCTION check_money_renewals() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT 'an invoice of a renewal settles an order of its user and plan', 'invoice ' || p.invoice_id,
    'order ' || o.order_no || ', ' || o.status
  FROM renewal_period p
  JOIN renewal r ON r.id = p.renewal_id
  JOIN sales_order o ON o.id = p.order_id
  WHERE (p.account, o.user_id, o.organisation_id, o.plan_code, o.plan_kind, o.pay_channel, o.sender, o.gateway_reference)
      IS DISTINCT FROM (r.account, r.user_id, r.organisation_id, r.plan_code, 'monthly', 'cardpay', r.account, p.invoice_id)
    OR o.status NOT IN ('settled', 'refunded', 'review')
  UNION ALL
  SELECT 'a month of a renewal is credited once', 'renewal ' || r.renewal_no, count(*) || ' from ' || p.period_start
  FROM renewal_period p
  JOIN renewal r ON r.id = p.renewal_id
  JOIN sales_order o ON o.id = p.order_id
  WHERE o.credited_at IS NOT NULL AND o.status = 'settled' AND o.resolution IS NULL
  GROUP BY r.renewal_no, p.period_start HAVING count(*) > 1
  UNION ALL
  SELECT 'a month of a plan is kept only for a renewal', 'subscription ' || s.id, s.kept_until::text
  FROM subscription s
  WHERE s.kept_until IS NOT NULL
    AND NOT EXISTS (
      SELECT 1 FROM renewal r JOIN account_owner a ON a.gateway_user_id = s.gateway_user_id
      WHERE r.plan_code = s.plan_code
        AND CASE WHEN r.organisation_id IS NULL THEN r.user_id = a.user_id ELSE r.organisation_id = a.organisation_id END
    );
END
$$;

-- The grants of subscriptions and the orders paid for them are two sets of books, kept by different statements.
CREATE OR REPLACE FUNCTION check_money_subscriptions() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE sql STABLE AS $$
  SELECT 'of a subscription is never more left than was granted', 'subscription ' || id, quota_left || ' of ' || quota_granted
  FROM subscription WHERE quota_left > quota_granted
  UNION ALL
  SELECT 'what ends with the months of an account is at most what they granted', 'gateway user ' || a.gateway_user_id,
    sum(e.amount)::text
  FROM ledger_account a
  JOIN ledger_entry e ON e.account_id = a.id
  JOIN ledger_posting p ON p.id = e.posting_id
  WHERE a.gateway_user_id IS NOT NULL AND p.change_type IN ('subscription_grant', 'subscription_expiry')
  GROUP BY a.gateway_user_id HAVING sum(e.amount) < 0
  UNION ALL
  SELECT 'an account has one running count of consumption', 'gateway user ' || gateway_user_id, string_agg(counted_to::text, ', ')
  FROM subscription WHERE status = 'active' GROUP BY gateway_user_id HAVING count(DISTINCT counted_to) > 1
  UNION ALL
  SELECT 'a month is of the account of its user, or of an organisation', 'subscription ' || s.id, coalesce(a.name, 'no owner')
  FROM subscription s LEFT JOIN account_owner a ON a.gateway_user_id = s.gateway_user_id
  WHERE a.gateway_user_id IS NULL OR s.user_id IS DISTINCT FROM a.user_id
  UNION ALL
  SELECT 'a subscription runs from its start for its months', 'subscription ' || id, months || ' to ' || period_end
  FROM subscription
  -- The gateway counts the months of a renewal from its first one, whose day a shorter month may lack.
  WHERE months < 0
    OR period_end - ((period_start AT TIME ZONE 'UTC' + make_interval(months => months)) AT TIME ZONE 'UTC')
      NOT BETWEEN interval '0' AND CASE WHEN kept_until IS NULL THEN interval '0' ELSE interval '3 days' END
  UNION ALL
  SELECT 'what the months of an account granted is what the paid orders for them credited', 'gateway user ' || coalesce(g.owner, o.owner)
    || ' ' || coalesce(g.plan_code, o.plan_code), coalesce(g.quota, 0) || ' for ' || coalesce(o.quota, 0)
  FROM (SELECT gateway_user_id AS owner, plan_code, sum(quota_granted) AS quota FROM subscription GROUP BY 1, 2) g
  FULL JOIN (
    SELECT coalesce(n.gateway_user_id, u.gateway_user_id) AS owner, s.plan_code, sum(s.quota - coalesce(r.quota, 0)) AS quota
    FROM sales_order s LEFT JOIN user_profile u ON u.id = s.user_id LEFT JOIN organisation n ON n.id = s.organisation_id LEFT JOIN (
      SELECT order_id, sum(quota) AS quota FROM refund WHERE status <> 'failed' GROUP BY order_id
    ) r ON r.order_id = s.id
    WHERE s.plan_kind = 'monthly' AND s.user_id IS NOT NULL AND s.status IN ('settled', 'refunded')
      AND s.resolution IS DISTINCT FROM 'refund'
    GROUP BY 1, 2
  ) o ON o.owner = g.owner AND o.plan_code = g.plan_code
  WHERE coalesce(g.quota, 0) <> coalesce(o.quota, 0)
$$;

-- Batches whose spans of the log have no other calls: of this server, and not from before the database came back to it.
CREATE OR REPLACE FUNCTION whole_batches() RETURNS SETOF settlement_batch LANGUAGE sql STABLE AS $$
  SELECT b.* FROM settlement_batch b
  JOIN settlement_checkpoint c ON c.source = 'usage_log:' || b.shard AND c.system_identifier = b.whole_on::text AND c.whole_after < b.id
  WHERE b.whole_on = (SELECT system_identifier FROM pg_control_system())
$$;

-- The settlement: usage rows, what they settled, and where that appears in the ledger and the budgets.
CREATE OR REPLACE FUNCTION check_money_settlement() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE sql STABLE AS $$
  WITH settled AS MATERIALIZED (SELECT * FROM settled_sums())
  SELECT 'a usage row is settled once', 'request ' || request_id, count(*)::text
  FROM settled_call GROUP BY request_id HAVING count(*) > 1
  UNION ALL
  SELECT 'what is settled is a usage row of the span of its batch, with its cost, its multiplier and its user', 'request ' || s.request_id,
    coalesce(u.quota || ' x ' || u.rate_multiplier || ' by ' || u.xid, 'no row')
  FROM usage_settlement s LEFT JOIN usage_log u ON u.day = s.day AND u.request_id = s.request_id
  LEFT JOIN whole_batches() b ON b.id = s.batch_id
  WHERE u.request_id IS NULL OR (u.xid, u.request_id) < (b.first_xid, b.first_request_id)
    OR (u.xid, u.request_id) > (b.last_xid, b.last_request_id) OR (u.quota, u.rate_multiplier, u.gateway_user_id)
    IS DISTINCT FROM (coalesce(s.base_quota, s.settled_quota), coalesce(s.rate_multiplier, 1), s.gateway_user_id)
  UNION ALL
  SELECT 'what is in a list of settled calls is a usage row of its shard, minute and span, with a multiplier of one',
    'listed call ' || l.request_id, coalesce(u.gateway_user_id || ', ' || u.rate_multiplier || ', by ' || u.xid, 'no row')
  FROM (
    SELECT c.day, c.shard, c.minute, c.first_xid, c.last_xid, b.first_request_id, b.last_request_id, b.first_xid AS from_xid, b.last_xid AS to_xid,
      unnest(c.calls) AS request_id
    FROM settled_calls c LEFT JOIN whole_batches() b ON b.id = c.batch_id
  ) l
  LEFT JOIN usage_log u ON u.day = l.day AND u.request_id = l.request_id
  WHERE u.request_id IS NULL OR u.rate_multiplier <> 1 OR (u.gateway_user_id & 15) <> l.shard OR left(l.request_id::text, 8) <> l.minute
    OR u.xid NOT BETWEEN l.first_xid AND l.last_xid OR (u.xid, u.request_id) < (l.from_xid, l.first_request_id)
    OR (u.xid, u.request_id) > (l.to_xid, l.last_request_id)
  UNION ALL
  SELECT 'settled is base times multiplier, rounded up', 'request ' || request_id,
    base_quota || ' x ' || rate_multiplier || ' <> ' || settled_quota
  FROM usage_settlement
  WHERE settled_quota <> ceil(base_quota * rate_multiplier) OR quota_delta <> settled_quota - base_quota
    OR num_nulls(base_quota, rate_multiplier, quota_delta) NOT IN (0, 3)
  UNION ALL
  SELECT 'what a user settled is in the ledger', 'gateway user ' || coalesce(s.gateway_user_id, e.gateway_user_id),
    coalesce(s.total, 0) || ' <> ' || coalesce(-e.total, 0)
  FROM (SELECT gateway_user_id, sum(settled) AS total FROM settled GROUP BY gateway_user_id) s
  FULL JOIN (
    SELECT a.gateway_user_id, sum(e.amount) AS total
    FROM ledger_posting p JOIN ledger_entry e ON e.posting_id = p.id JOIN ledger_account a ON a.id = e.account_id
    WHERE p.change_type = 'usage_quota' AND a.gateway_user_id IS NOT NULL GROUP BY a.gateway_user_id
  ) e ON e.gateway_user_id = s.gateway_user_id
  WHERE coalesce(s.total, 0) <> coalesce(-e.total, 0)
  UNION ALL
  SELECT 'what a multiplier changed was granted or taken', 'budget ' || b.id, coalesce(s.total, 0) || ' <> ' || coalesce(-g.total, 0)
  FROM budget b
  LEFT JOIN (SELECT gateway_user_id, sum(delta) AS total FROM settled GROUP BY gateway_user_id) s
    ON s.gateway_user_id = b.gateway_user_id
  LEFT JOIN (SELECT budget_id, sum(amount) AS total FROM quota_grant WHERE change_type = 'usage_quota' GROUP BY budget_id) g
    ON g.budget_id = b.id
  WHERE coalesce(s.total, 0) <> coalesce(-g.total, 0)
  UNION ALL
  SELECT 'a batch says what its rows say', 'batch ' || coalesce(b.id, s.batch_id),
    coalesce(b.rows || ', ' || b.base_quota || ', ' || b.settled_quota, 'no batch')
  FROM settlement_batch b
  FULL JOIN (
    SELECT batch_id, sum(rows) AS rows, sum(base) AS base, sum(settled) AS settled, sum(deltas) AS deltas FROM settled GROUP BY batch_id
  ) s ON s.batch_id = b.id
  WHERE (b.rows, b.base_quota, b.settled_quota, coalesce(b.deltas, s.deltas))
    IS DISTINCT FROM (s.rows, s.base, s.settled, s.deltas)
  UNION ALL
  -- Batches from before that time have one entry with all deltas of a user.
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
  -- Rows above the cursor are settled later, unless their number comes from another server.
  SELECT 'no unsettled row is out of the reach of the cursor', 'request ' || u.request_id, u.xid || ', cursor ' || c.xid
  FROM settlement_checkpoint c JOIN usage_log u
    ON c.source = 'usage_log:' || (u.gateway_user_id & 15) AND ((u.xid, u.request_id) <= (c.xid, c.request_id)
    OR (u.xid >= pg_snapshot_xmax(pg_current_snapshot()) AND u.xid IS DISTINCT FROM pg_current_xact_id_if_assigned()))
  WHERE c.reconcile_day IS NULL
    AND c.system_identifier = (SELECT system_identifier::text FROM pg_control_system())
    AND NOT EXISTS (SELECT 1 FROM settled_call s WHERE s.day = u.day AND s.request_id = u.request_id)
    AND NOT EXISTS (SELECT 1 FROM settlement_quarantine q WHERE q.day = u.day AND q.request_id = u.request_id)
$$;

-- The spans of the log that batches name: sums find the calls of a batch there. That none is left between them, the check of the
-- settlement sees: every call before the cursor is settled or in quarantine.
CREATE OR REPLACE FUNCTION check_money_spans() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE sql STABLE AS $$
  SELECT 'the spans of whole batches do not overlap', 'batch ' || b.id, 'batch ' || b.id_before
  FROM (
    SELECT id, first_xid, first_request_id, lag(id) OVER spans AS id_before, lag(last_xid) OVER spans AS xid_before,
      lag(last_request_id) OVER spans AS request_before
    FROM whole_batches() WINDOW spans AS (PARTITION BY shard ORDER BY first_xid, first_request_id, id)
  ) b WHERE (b.xid_before, b.request_before) >= (b.first_xid, b.first_request_id)
  UNION ALL
  SELECT 'the cursor is not before the end of a whole batch', 'batch ' || b.id, c.xid || ' before ' || b.last_xid
  FROM whole_batches() b JOIN settlement_checkpoint c ON c.source = 'usage_log:' || b.shard
  WHERE (c.xid, c.request_id) < (b.last_xid, b.last_request_id)
$$;

-- Users owe the cost of rows that a replica could not write, and no sum contains it.
CREATE OR REPLACE FUNCTION check_money_spool() RETURNS TABLE (invariant text, subject text, detail text) LANGUAGE sql STABLE AS $$
  SELECT 'a usage row that was recorded is in the log', 'replica ' || replica_id,
    row_count || ' rows have been quarantined in its spool since ' || to_char(changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')
  FROM usage_quarantine WHERE row_count > 0
$$;
