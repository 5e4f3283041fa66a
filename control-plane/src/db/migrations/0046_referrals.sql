CREATE TABLE "referral" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "referral_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"inviter_id" bigint NOT NULL,
	"invited_id" bigint NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"inviter_quota" bigint NOT NULL,
	"invited_quota" bigint NOT NULL,
	"wait_days" integer NOT NULL,
	"order_id" bigint,
	"refusal" text,
	"decided_at" timestamp with time zone,
	"taken_back_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "referral_invited_id_unique" UNIQUE("invited_id"),
	CONSTRAINT "referral_order_id_unique" UNIQUE("order_id"),
	CONSTRAINT "referral_of_another" CHECK ("referral"."inviter_id" <> "referral"."invited_id"),
	CONSTRAINT "referral_reward" CHECK ("referral"."inviter_quota" >= 0 and "referral"."invited_quota" >= 0 and "referral"."wait_days" >= 0),
	CONSTRAINT "referral_state" CHECK (("referral"."state" = 'pending') = ("referral"."decided_at" is null) and ("referral"."state" = 'refused') = ("referral"."refusal" is not null)
        and ("referral"."state" = 'taken_back') = ("referral"."taken_back_at" is not null)
        and ("referral"."state" not in ('rewarded', 'taken_back') or "referral"."order_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "referral_code" (
	"user_id" bigint PRIMARY KEY NOT NULL,
	"code" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "referral_code_code_unique" UNIQUE("code")
);
--> statement-breakpoint
ALTER TABLE "referral" ADD CONSTRAINT "referral_inviter_id_user_profile_id_fk" FOREIGN KEY ("inviter_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "referral" ADD CONSTRAINT "referral_invited_id_user_profile_id_fk" FOREIGN KEY ("invited_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "referral" ADD CONSTRAINT "referral_order_id_sales_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."sales_order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "referral_code" ADD CONSTRAINT "referral_code_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "referral_inviter" ON "referral" USING btree ("inviter_id","id");--> statement-breakpoint
CREATE INDEX "referral_created" ON "referral" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "referral_pending" ON "referral" USING btree ("id") WHERE "referral"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "referral_rewarded" ON "referral" USING btree ("inviter_id","decided_at") WHERE "referral"."state" in ('rewarded', 'taken_back');--> statement-breakpoint
CREATE INDEX "referral_recent" ON "referral" USING btree ("decided_at") WHERE "referral"."state" = 'rewarded';--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON referral_code, referral TO sluice_app;
  END IF;
END
$$;
