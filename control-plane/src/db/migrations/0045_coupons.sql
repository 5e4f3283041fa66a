CREATE TABLE "coupon" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "coupon_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"code" text NOT NULL,
	"kind" text NOT NULL,
	"percent" numeric(5, 2),
	"amount_usd" numeric(14, 2),
	"note" text DEFAULT '' NOT NULL,
	"starts_at" timestamp with time zone,
	"expires_at" timestamp with time zone,
	"uses_max" integer,
	"uses_per_user" integer,
	"is_first_purchase" boolean NOT NULL,
	"plan_codes" text[] NOT NULL,
	"minimum_usd" numeric(14, 2),
	"uses" integer DEFAULT 0 NOT NULL,
	"revoked_at" timestamp with time zone,
	"created_by" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "coupon_code_unique" UNIQUE("code"),
	CONSTRAINT "coupon_idempotency_key_unique" UNIQUE("idempotency_key"),
	CONSTRAINT "coupon_value" CHECK (case "coupon"."kind" when 'amount' then "coupon"."percent" is null and "coupon"."amount_usd" > 0
        when 'percent' then "coupon"."amount_usd" is null and "coupon"."percent" > 0 and "coupon"."percent" < 100
        else "coupon"."amount_usd" is null and "coupon"."percent" > 0 and "coupon"."percent" <= 100 end),
	CONSTRAINT "coupon_uses" CHECK ("coupon"."uses" >= 0 and ("coupon"."uses_max" is null or "coupon"."uses" <= "coupon"."uses_max"))
);
--> statement-breakpoint
CREATE TABLE "coupon_use" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "coupon_use_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"coupon_id" bigint NOT NULL,
	"order_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"state" text DEFAULT 'reserved' NOT NULL,
	"is_first_purchase" boolean NOT NULL,
	"is_extra" boolean DEFAULT false NOT NULL,
	"price_usd" numeric(14, 2) NOT NULL,
	"discount_usd" numeric(14, 2) NOT NULL,
	"bonus_quota" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "coupon_use_order_id_unique" UNIQUE("order_id"),
	CONSTRAINT "coupon_use_value" CHECK ("coupon_use"."discount_usd" >= 0 and "coupon_use"."discount_usd" < "coupon_use"."price_usd" and "coupon_use"."bonus_quota" >= 0
        and ("coupon_use"."discount_usd" > 0) <> ("coupon_use"."bonus_quota" > 0))
);
--> statement-breakpoint
ALTER TABLE "coupon_use" ADD CONSTRAINT "coupon_use_coupon_id_coupon_id_fk" FOREIGN KEY ("coupon_id") REFERENCES "public"."coupon"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "coupon_use" ADD CONSTRAINT "coupon_use_order_id_sales_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."sales_order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "coupon_use" ADD CONSTRAINT "coupon_use_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "coupon_created" ON "coupon" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "coupon_by_uses" ON "coupon" USING btree ("uses","id");--> statement-breakpoint
CREATE INDEX "coupon_use_coupon" ON "coupon_use" USING btree ("coupon_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "coupon_use_first" ON "coupon_use" USING btree ("user_id") WHERE "coupon_use"."is_first_purchase" and "coupon_use"."state" <> 'released' and not "coupon_use"."is_extra";--> statement-breakpoint
CREATE INDEX "coupon_use_user" ON "coupon_use" USING btree ("user_id");--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON coupon, coupon_use TO sluice_app;
  END IF;
END
$$;
