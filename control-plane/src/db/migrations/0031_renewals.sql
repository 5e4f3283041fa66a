CREATE TABLE "renewal" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "renewal_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"renewal_no" text NOT NULL,
	"user_id" bigint NOT NULL,
	"plan_code" text NOT NULL,
	"plan_name" text NOT NULL,
	"price_usd" numeric(14, 2) NOT NULL,
	"quota" bigint NOT NULL,
	"group_name" text,
	"account" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"is_cancelled_at_end" boolean DEFAULT false NOT NULL,
	"end_reason" text,
	"note" text,
	"checkout_reference" text,
	"checkout_url" text,
	"gateway_subscription_id" text,
	"gateway_customer_id" text,
	"period_end" timestamp with time zone,
	"kept_until" timestamp with time zone,
	"failed_at" timestamp with time zone,
	"next_plan_name" text,
	"next_price_usd" numeric(14, 2),
	"next_quota" bigint,
	"next_group_name" text,
	"next_from" timestamp with time zone,
	"noticed_at" timestamp with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "renewal_renewal_no_unique" UNIQUE("renewal_no"),
	CONSTRAINT "renewal_gateway_subscription" UNIQUE("account","gateway_subscription_id"),
	CONSTRAINT "renewal_price" CHECK ("renewal"."price_usd" > 0 and "renewal"."quota" > 0),
	CONSTRAINT "renewal_next_terms" CHECK (num_nonnulls("renewal"."next_plan_name", "renewal"."next_price_usd", "renewal"."next_quota") in (0, 3)
        and ("renewal"."next_from" is null) = ("renewal"."noticed_at" is null))
);
--> statement-breakpoint
CREATE TABLE "renewal_period" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "renewal_period_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"renewal_id" bigint NOT NULL,
	"account" text NOT NULL,
	"invoice_id" text NOT NULL,
	"order_id" bigint NOT NULL,
	"period_start" timestamp with time zone NOT NULL,
	"period_end" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "renewal_period_invoice" UNIQUE("account","invoice_id"),
	CONSTRAINT "renewal_period_order" UNIQUE("order_id"),
	CONSTRAINT "renewal_period_span" CHECK ("renewal_period"."period_end" > "renewal_period"."period_start")
);
--> statement-breakpoint
ALTER TABLE "plan" ADD COLUMN "renews" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "subscription" ADD COLUMN "kept_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "renewal" ADD CONSTRAINT "renewal_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "renewal" ADD CONSTRAINT "renewal_group_name_user_group_name_fk" FOREIGN KEY ("group_name") REFERENCES "public"."user_group"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "renewal" ADD CONSTRAINT "renewal_next_group_name_user_group_name_fk" FOREIGN KEY ("next_group_name") REFERENCES "public"."user_group"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "renewal_period" ADD CONSTRAINT "renewal_period_renewal_id_renewal_id_fk" FOREIGN KEY ("renewal_id") REFERENCES "public"."renewal"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "renewal_period" ADD CONSTRAINT "renewal_period_order_id_sales_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."sales_order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "renewal_pending" ON "renewal" USING btree ("user_id","plan_code") WHERE "renewal"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "renewal_user" ON "renewal" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "renewal_plan" ON "renewal" USING btree ("plan_code","created_at","id");--> statement-breakpoint
CREATE INDEX "renewal_created" ON "renewal" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "renewal_status" ON "renewal" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "renewal_by_price" ON "renewal" USING btree ("price_usd","id");--> statement-breakpoint
CREATE INDEX "renewal_failed" ON "renewal" USING btree ("kept_until") WHERE "renewal"."status" = 'past_due';--> statement-breakpoint
CREATE INDEX "renewal_next" ON "renewal" USING btree ("id") WHERE "renewal"."next_price_usd" is not null;--> statement-breakpoint
CREATE INDEX "renewal_period_renewal" ON "renewal_period" USING btree ("renewal_id","period_end");--> statement-breakpoint
ALTER TABLE "plan" ADD CONSTRAINT "plan_renews_is_monthly" CHECK (not "plan"."renews" or "plan"."kind" = 'monthly');--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON renewal_period FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE OR REPLACE VIEW group_of_user AS
SELECT u.id AS gateway_user_id, u.group_name, 'account' AS source, NULL::timestamptz AS ends_at FROM gateway_user u
UNION ALL
SELECT m.gateway_user_id, m.group_name, 'admin', m.ends_at FROM user_group_member m
WHERE m.ends_at IS NULL OR m.ends_at > now()
UNION ALL
SELECT p.gateway_user_id, s.group_name, 'plan', greatest(s.period_end, s.kept_until)
FROM subscription s JOIN user_profile p ON p.id = s.user_id
WHERE s.status = 'active' AND s.group_name IS NOT NULL AND greatest(s.period_end, s.kept_until) > now()
UNION ALL
SELECT u.id, g.name, 'public', NULL FROM user_group g CROSS JOIN gateway_user u WHERE g.visibility = 'public';
--> statement-breakpoint
DROP TRIGGER announce ON subscription;--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT OR UPDATE OF status, period_end, kept_until, group_name ON subscription
FOR EACH ROW EXECUTE FUNCTION announce_subscription_change();--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON renewal, renewal_period TO sluice_app;
  END IF;
END
$$;
