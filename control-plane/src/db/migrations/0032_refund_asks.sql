CREATE TABLE "subscription_change" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "subscription_change_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"reference" text NOT NULL,
	"subscription_id" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"months" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subscription_change_reference_unique" UNIQUE("reference")
);
--> statement-breakpoint
ALTER TABLE "refund" ADD COLUMN "asks" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "refund" ADD COLUMN "asking_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "sales_order" ADD COLUMN "campaign_counted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "subscription_change" ADD CONSTRAINT "subscription_change_subscription_id_subscription_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscription"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
-- What was settled so far came into the statistic with its payment.
UPDATE sales_order SET campaign_counted_at = settled_at WHERE settled_at IS NOT NULL;--> statement-breakpoint
-- A refund that is on its way may have been asked for: what came of that, only the gateway knows.
UPDATE refund SET asks = 1 WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "sales_order_uncounted" ON "sales_order" USING btree ("settled_at","id") WHERE "sales_order"."campaign_counted_at" is null and "sales_order"."settled_at" is not null;--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON subscription_change FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT SELECT, INSERT ON subscription_change TO sluice_app;
END
$$;
