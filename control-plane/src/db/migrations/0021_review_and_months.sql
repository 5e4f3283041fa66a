CREATE TABLE "review_payment" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "review_payment_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"order_id" bigint NOT NULL,
	"gateway" text NOT NULL,
	"account" text NOT NULL,
	"transaction_id" text NOT NULL,
	"amount_usd" numeric(14, 2) NOT NULL,
	"currency" text NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "review_payment_once" UNIQUE("order_id","gateway","transaction_id")
);
--> statement-breakpoint
ALTER TABLE "sales_order" ADD COLUMN "checkout_url" text;--> statement-breakpoint
ALTER TABLE "sales_order" ADD COLUMN "opening_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "sales_order" ADD COLUMN "resolution" text;--> statement-breakpoint
ALTER TABLE "subscription" ADD COLUMN "months" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "mail_log" ADD COLUMN "faults" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "review_payment" ADD CONSTRAINT "review_payment_order_id_sales_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."sales_order"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON review_payment FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- Months were added to the end, so that a month which began on the 31st lost days for good behind the first short one.
UPDATE subscription SET months = greatest(0, 12 * extract(year FROM e) + extract(month FROM e)
    - 12 * extract(year FROM b) - extract(month FROM b))::int
FROM (SELECT id AS of_id, period_end AT TIME ZONE 'UTC' AS e, period_start AT TIME ZONE 'UTC' AS b FROM subscription) t
WHERE id = of_id;
--> statement-breakpoint
UPDATE subscription
SET period_end = (period_start AT TIME ZONE 'UTC' + make_interval(months => months)) AT TIME ZONE 'UTC';
--> statement-breakpoint
CREATE OR REPLACE FUNCTION check_money_orders() RETURNS TABLE (invariant text, subject text, detail text)
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
--> statement-breakpoint
-- The grants of subscriptions and the orders that were paid for them are two books, kept by different statements.
CREATE OR REPLACE FUNCTION check_money_subscriptions() RETURNS TABLE (invariant text, subject text, detail text)
LANGUAGE sql STABLE AS $$
  SELECT 'of a subscription is never more left than was granted', 'subscription ' || id, quota_left || ' of ' || quota_granted
  FROM subscription WHERE quota_left > quota_granted
  UNION ALL
  SELECT 'what ends with the months of a user is at most what they granted', 'gateway user ' || a.gateway_user_id,
    sum(e.amount)::text
  FROM ledger_account a
  JOIN ledger_entry e ON e.account_id = a.id
  JOIN ledger_posting p ON p.id = e.posting_id
  WHERE a.gateway_user_id IS NOT NULL AND p.change_type IN ('subscription_grant', 'subscription_expiry')
  GROUP BY a.gateway_user_id HAVING sum(e.amount) < 0
  UNION ALL
  SELECT 'a user has one running count of consumption', 'user ' || user_id, string_agg(counted_to::text, ', ')
  FROM subscription WHERE status = 'active' GROUP BY user_id HAVING count(DISTINCT counted_to) > 1
  UNION ALL
  SELECT 'a subscription runs from its start for its months', 'subscription ' || id, months || ' to ' || period_end
  FROM subscription
  WHERE months < 0
    OR period_end <> (period_start AT TIME ZONE 'UTC' + make_interval(months => months)) AT TIME ZONE 'UTC'
  UNION ALL
  SELECT 'what the months of a user granted is what the paid orders for them credited', 'user ' || coalesce(g.user_id, o.user_id)
    || ' ' || coalesce(g.plan_code, o.plan_code), coalesce(g.quota, 0) || ' for ' || coalesce(o.quota, 0)
  FROM (SELECT user_id, plan_code, sum(quota_granted) AS quota FROM subscription GROUP BY user_id, plan_code) g
  FULL JOIN (
    SELECT s.user_id, s.plan_code, sum(s.quota - coalesce(r.quota, 0)) AS quota
    FROM sales_order s LEFT JOIN (
      SELECT order_id, sum(quota) AS quota FROM refund WHERE status <> 'failed' GROUP BY order_id
    ) r ON r.order_id = s.id
    WHERE s.plan_kind = 'monthly' AND s.user_id IS NOT NULL AND s.status IN ('settled', 'refunded')
      AND s.resolution IS DISTINCT FROM 'refund'
    GROUP BY s.user_id, s.plan_code
  ) o ON o.user_id = g.user_id AND o.plan_code = g.plan_code
  WHERE coalesce(g.quota, 0) <> coalesce(o.quota, 0)
$$;
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT SELECT, INSERT ON review_payment TO sluice_app;
END
$$;
