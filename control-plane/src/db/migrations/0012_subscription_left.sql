-- What is left of a month is counted down instead of worked out from its beginning: with several subscriptions, and months
-- added to one that was used up, only the order of events says which quota a call used.
ALTER TABLE "subscription" ADD COLUMN "quota_left" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "subscription" ADD COLUMN "counted_to" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE subscription SET quota_left = quota_granted, counted_to = used_at_start;--> statement-breakpoint
ALTER TABLE "subscription" DROP COLUMN "used_at_start";--> statement-breakpoint
CREATE FUNCTION check_money_subscriptions() RETURNS TABLE (invariant text, subject text, detail text)
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
$$;
