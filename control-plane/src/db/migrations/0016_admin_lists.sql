CREATE INDEX "user_profile_email_start" ON "user_profile" USING btree (lower("email") text_pattern_ops);--> statement-breakpoint
CREATE INDEX "user_profile_created" ON "user_profile" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "user_profile_status" ON "user_profile" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "audit_log" USING btree ("actor_name","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_action" ON "audit_log" USING btree ("action","at","id");--> statement-breakpoint
CREATE INDEX "payment_created" ON "payment" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "payment_by_amount" ON "payment" USING btree ("amount_usd","id");--> statement-breakpoint
CREATE INDEX "refund_created" ON "refund" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "sales_order_created" ON "sales_order" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "sales_order_status" ON "sales_order" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "sales_order_by_amount" ON "sales_order" USING btree ("amount_usd","id");--> statement-breakpoint
CREATE INDEX "sales_order_marked" ON "sales_order" USING btree ("created_at","id") WHERE "sales_order"."review_reason" is not null;--> statement-breakpoint
CREATE INDEX "api_key_created" ON "api_key" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "api_key_prefix_start" ON "api_key" USING btree ("key_prefix" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "ledger_entry_created" ON "ledger_entry" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "ledger_entry_account_created" ON "ledger_entry" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "mail_log_created" ON "mail_log" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "mail_log_status" ON "mail_log" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "mail_log_address_start" ON "mail_log" USING btree (lower("to_address") text_pattern_ops);--> statement-breakpoint
-- Lists of calls are in the order of time, whatever they are about; each day that is made later gets these as well.
CREATE INDEX "usage_log_model" ON "usage_log" ("model", "day", "request_id");--> statement-breakpoint
CREATE INDEX "usage_log_channel" ON "usage_log" ("channel_id", "day", "request_id");--> statement-breakpoint
-- What did not go well is a small part of the calls, and what people look for.
CREATE INDEX "usage_log_trouble" ON "usage_log" ("day", "request_id") WHERE "outcome" <> 'completed';
