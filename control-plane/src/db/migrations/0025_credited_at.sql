ALTER TABLE "sales_order" ADD COLUMN "credited_at" timestamp with time zone;--> statement-breakpoint
-- What was credited so far stands in the ledger, with the moment of its transaction.
UPDATE sales_order o SET credited_at = p.created_at
FROM ledger_posting p
WHERE p.reference = 'order:' || o.order_no AND p.change_type IN ('order_credit', 'subscription_grant');
