CREATE TABLE "account_closing" (
	"user_id" bigint PRIMARY KEY NOT NULL,
	"requested_by" text NOT NULL,
	"admin_name" text,
	"reason" text,
	"agreed_quota" bigint NOT NULL,
	"requested_at" timestamp with time zone DEFAULT now() NOT NULL,
	"closes_at" timestamp with time zone NOT NULL,
	"tried_at" timestamp with time zone DEFAULT now() NOT NULL,
	"done_at" timestamp with time zone,
	CONSTRAINT "account_closing_agreed" CHECK ("account_closing"."agreed_quota" >= 0),
	CONSTRAINT "account_closing_operator" CHECK (("account_closing"."requested_by" = 'operator') = ("account_closing"."admin_name" is not null))
);
--> statement-breakpoint
ALTER TABLE "account_closing" ADD CONSTRAINT "account_closing_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_closing_due" ON "account_closing" USING btree ("tried_at","closes_at") WHERE "account_closing"."done_at" is null;--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON account_closing TO sluice_app;
  END IF;
END
$$;
