CREATE TABLE "auto_top_up" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "auto_top_up_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"top_up_no" text NOT NULL,
	"user_id" bigint NOT NULL,
	"organisation_id" bigint,
	"plan_code" text NOT NULL,
	"plan_name" text NOT NULL,
	"chosen_usd" numeric(14, 2),
	"price_usd" numeric(14, 2) NOT NULL,
	"threshold_quota" bigint NOT NULL,
	"month_max_usd" numeric(14, 2) NOT NULL,
	"account" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"stop_reason" text,
	"checkout_reference" text,
	"checkout_url" text,
	"gateway_customer_id" text,
	"gateway_method_id" text,
	"detached_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "auto_top_up_top_up_no_unique" UNIQUE("top_up_no"),
	CONSTRAINT "auto_top_up_amounts" CHECK ("auto_top_up"."price_usd" > 0 and "auto_top_up"."threshold_quota" > 0 and "auto_top_up"."month_max_usd" >= "auto_top_up"."price_usd"),
	CONSTRAINT "auto_top_up_stopped" CHECK (("auto_top_up"."status" = 'stopped') = ("auto_top_up"."stop_reason" is not null)),
	CONSTRAINT "auto_top_up_on" CHECK ("auto_top_up"."status" <> 'on' or "auto_top_up"."gateway_method_id" is not null)
);
--> statement-breakpoint
CREATE TABLE "top_up_attempt" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "top_up_attempt_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"top_up_id" bigint NOT NULL,
	"order_id" bigint NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"gateway_payment_id" text,
	"error" text,
	"asking_until" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "top_up_attempt_order_id_unique" UNIQUE("order_id")
);
--> statement-breakpoint
ALTER TABLE "auto_top_up" ADD CONSTRAINT "auto_top_up_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auto_top_up" ADD CONSTRAINT "auto_top_up_organisation_id_organisation_id_fk" FOREIGN KEY ("organisation_id") REFERENCES "public"."organisation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "top_up_attempt" ADD CONSTRAINT "top_up_attempt_top_up_id_auto_top_up_id_fk" FOREIGN KEY ("top_up_id") REFERENCES "public"."auto_top_up"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "top_up_attempt" ADD CONSTRAINT "top_up_attempt_order_id_sales_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."sales_order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "auto_top_up_of_user" ON "auto_top_up" USING btree ("user_id") WHERE "auto_top_up"."organisation_id" is null and "auto_top_up"."status" in ('pending', 'on', 'stopped');--> statement-breakpoint
CREATE UNIQUE INDEX "auto_top_up_of_organisation" ON "auto_top_up" USING btree ("organisation_id") WHERE "auto_top_up"."organisation_id" is not null and "auto_top_up"."status" in ('pending', 'on', 'stopped');--> statement-breakpoint
CREATE INDEX "auto_top_up_status" ON "auto_top_up" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "auto_top_up_created" ON "auto_top_up" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "auto_top_up_user" ON "auto_top_up" USING btree ("user_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "top_up_attempt_open" ON "top_up_attempt" USING btree ("top_up_id") WHERE "top_up_attempt"."state" = 'open';--> statement-breakpoint
CREATE INDEX "top_up_attempt_of" ON "top_up_attempt" USING btree ("top_up_id","created_at");--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON auto_top_up, top_up_attempt TO sluice_app;
  END IF;
END
$$;
