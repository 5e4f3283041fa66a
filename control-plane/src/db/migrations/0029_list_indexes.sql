-- Orders are searched by the address of their user or, while nobody has claimed them, by their own. A condition over two tables
-- has no index: half a second for an address that nobody has, among 500,000 orders. So the address stands in the order.
ALTER TABLE "sales_order" ADD COLUMN "owner_email" text;--> statement-breakpoint
UPDATE sales_order o SET owner_email = lower(coalesce((SELECT u.email FROM user_profile u WHERE u.id = o.user_id), o.email));
--> statement-breakpoint
CREATE FUNCTION keep_owner_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.owner_email := lower(coalesce((SELECT u.email FROM user_profile u WHERE u.id = NEW.user_id), NEW.email));
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER sales_order_owner_email BEFORE INSERT OR UPDATE OF user_id, email ON sales_order
  FOR EACH ROW EXECUTE FUNCTION keep_owner_email();
--> statement-breakpoint
CREATE FUNCTION keep_owner_email_of_orders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sales_order SET owner_email = lower(NEW.email) WHERE user_id = NEW.id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER user_profile_owner_email AFTER UPDATE OF email ON user_profile
  FOR EACH ROW WHEN (OLD.email IS DISTINCT FROM NEW.email) EXECUTE FUNCTION keep_owner_email_of_orders();
--> statement-breakpoint
DROP INDEX "mail_log_address_start";--> statement-breakpoint
CREATE INDEX "audit_log_actor_kind" ON "audit_log" USING btree ("actor_kind","at","id");--> statement-breakpoint
CREATE INDEX "payment_gateway" ON "payment" USING btree ("gateway","created_at","id");--> statement-breakpoint
CREATE INDEX "payment_account" ON "payment" USING btree ("account","created_at","id");--> statement-breakpoint
CREATE INDEX "refund_status" ON "refund" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "refund_done" ON "refund" USING btree ("updated_at") WHERE "refund"."status" = 'done';--> statement-breakpoint
CREATE INDEX "sales_order_plan" ON "sales_order" USING btree ("plan_code","created_at","id");--> statement-breakpoint
CREATE INDEX "sales_order_channel" ON "sales_order" USING btree ("pay_channel","created_at","id");--> statement-breakpoint
CREATE INDEX "sales_order_late" ON "sales_order" USING btree ("created_at","id") WHERE "sales_order"."is_paid_late";--> statement-breakpoint
CREATE INDEX "sales_order_uncredited" ON "sales_order" USING btree ("created_at","id") WHERE "sales_order"."credited_at" is null and "sales_order"."settled_at" is not null;--> statement-breakpoint
CREATE INDEX "sales_order_owner_start" ON "sales_order" USING btree ("owner_email" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "api_key_status" ON "api_key" USING btree ("status","created_at","id","expires_at");--> statement-breakpoint
CREATE INDEX "ledger_posting_type" ON "ledger_posting" USING btree ("change_type","id");--> statement-breakpoint
CREATE INDEX "mail_log_template" ON "mail_log" USING btree ("template","created_at","id");--> statement-breakpoint
CREATE INDEX "mail_log_error" ON "mail_log" USING btree ("created_at","id") WHERE "mail_log"."status" = 'dead' or "mail_log"."last_error" is not null;--> statement-breakpoint
CREATE INDEX "mail_log_address_start" ON "mail_log" USING btree (lower("to_address") text_pattern_ops,"to_address");
--> statement-breakpoint
-- What stands behind the request id does not change the order, and is compared and counted in the index itself, without a visit
-- to the row: the calls of one key, or those of a user that failed, or of a model.
DROP INDEX "usage_log_user";
--> statement-breakpoint
CREATE INDEX "usage_log_user" ON "usage_log" ("gateway_user_id", "day", "request_id", "api_key_id", "model", "channel_id");
--> statement-breakpoint
-- What went wrong is a small part of the calls, and is asked for together with whom, what and where it went through.
DROP INDEX "usage_log_trouble";
--> statement-breakpoint
CREATE INDEX "usage_log_trouble" ON "usage_log" ("day", "request_id", "outcome", "error_code") WHERE "outcome" <> 'completed';
--> statement-breakpoint
CREATE INDEX "usage_log_user_trouble" ON "usage_log" ("gateway_user_id", "day", "request_id", "outcome", "error_code")
  WHERE "outcome" <> 'completed';
--> statement-breakpoint
CREATE INDEX "usage_log_model_trouble" ON "usage_log" ("model", "day", "request_id", "outcome", "error_code")
  WHERE "outcome" <> 'completed';
--> statement-breakpoint
CREATE INDEX "usage_log_channel_trouble" ON "usage_log" ("channel_id", "day", "request_id", "outcome", "error_code")
  WHERE "outcome" <> 'completed';
