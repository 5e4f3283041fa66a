-- What a user has consumed is read under the lock of the budget: over the grants of the settlement of usage.
CREATE INDEX quota_grant_budget_kind ON quota_grant (budget_id, change_type);
--> statement-breakpoint
-- Orders and what they moved. A paid order is settled or refunded; it is credited once it has an owner.
CREATE FUNCTION check_money_orders() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE sql STABLE AS $$
  WITH credit AS (
    SELECT p.reference, count(*) AS entries, sum(e.amount) AS amount, min(p.change_type) AS change_type,
      min(a.gateway_user_id) AS gateway_user_id
    FROM ledger_posting p JOIN ledger_entry e ON e.posting_id = p.id JOIN ledger_account a ON a.id = e.account_id
    WHERE p.change_type IN ('order_credit', 'subscription_grant') AND a.gateway_user_id IS NOT NULL
    GROUP BY p.reference
  ), paid AS (
    SELECT o.*, o.status IN ('settled', 'refunded') AS is_paid, u.gateway_user_id AS owner
    FROM sales_order o LEFT JOIN user_profile u ON u.id = o.user_id
  ), refunded AS (
    SELECT r.order_id, sum(r.amount_usd) FILTER (WHERE r.status <> 'failed') AS amount_usd,
      sum(r.amount_usd) FILTER (WHERE r.status = 'done') AS done_usd,
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
  WHERE p.amount_usd <> o.amount_usd OR p.currency <> o.currency OR o.is_mock <> (p.gateway = 'mock')
    OR p.gateway NOT IN ('mock', o.pay_channel)
  UNION ALL
  SELECT 'a paid order with an owner has one credit of its quota', 'order ' || o.order_no,
    coalesce(c.entries, 0) || ' of ' || coalesce(c.amount, 0) || ' for ' || o.quota
  FROM paid o LEFT JOIN credit c ON c.reference = 'order:' || o.order_no
  WHERE o.is_paid AND o.owner IS NOT NULL AND o.quota > 0 AND (c.entries, c.amount, c.gateway_user_id, c.change_type)
    IS DISTINCT FROM (1::bigint, o.quota::numeric, o.owner,
      CASE o.plan_kind WHEN 'monthly' THEN 'subscription_grant' ELSE 'order_credit' END)
  UNION ALL
  SELECT 'no other order has a credit', c.reference, coalesce(o.status, 'no such order')
  FROM credit c LEFT JOIN paid o ON c.reference = 'order:' || o.order_no
  WHERE o.is_paid IS NOT TRUE OR o.owner IS NULL
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
  WHERE (o.status = 'refunded') <> (coalesce(r.done_usd, 0) = p.amount_usd)
  UNION ALL
  SELECT 'what a refund took back stands in the ledger', 'refund ' || r.refund_no,
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
