DROP INDEX "subscription_active";--> statement-breakpoint
DROP INDEX "renewal_pending";--> statement-breakpoint
ALTER TABLE "subscription" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "subscription" ADD COLUMN "gateway_user_id" bigint;--> statement-breakpoint
UPDATE "subscription" SET "gateway_user_id" = "user_profile"."gateway_user_id" FROM "user_profile" WHERE "user_profile"."id" = "subscription"."user_id";--> statement-breakpoint
ALTER TABLE "subscription" ALTER COLUMN "gateway_user_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "renewal" ADD COLUMN "organisation_id" bigint;--> statement-breakpoint
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "renewal" ADD CONSTRAINT "renewal_organisation_id_organisation_id_fk" FOREIGN KEY ("organisation_id") REFERENCES "public"."organisation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "subscription_account" ON "subscription" USING btree ("gateway_user_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "renewal_pending_of_organisation" ON "renewal" USING btree ("organisation_id","plan_code") WHERE "renewal"."organisation_id" is not null and "renewal"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "renewal_organisation" ON "renewal" USING btree ("organisation_id","id") WHERE "renewal"."organisation_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "subscription_active" ON "subscription" USING btree ("gateway_user_id","plan_code") WHERE "subscription"."status" = 'active';--> statement-breakpoint
CREATE UNIQUE INDEX "renewal_pending" ON "renewal" USING btree ("user_id","plan_code") WHERE "renewal"."organisation_id" is null and "renewal"."status" = 'pending';--> statement-breakpoint
-- A month of a plan with a group is of an account, so that those of organisations count as those of people.
CREATE OR REPLACE VIEW group_of_user AS
SELECT u.id AS gateway_user_id, u.group_name, 'account' AS source, NULL::timestamptz AS ends_at FROM gateway_user u
UNION ALL
SELECT m.gateway_user_id, m.group_name, 'admin', m.ends_at FROM user_group_member m
WHERE m.ends_at IS NULL OR m.ends_at > now()
UNION ALL
SELECT s.gateway_user_id, s.group_name, 'plan', greatest(s.period_end, s.kept_until)
FROM subscription s
WHERE s.status = 'active' AND s.group_name IS NOT NULL AND greatest(s.period_end, s.kept_until) > now()
UNION ALL
SELECT u.id, g.name, 'public', NULL FROM user_group g CROSS JOIN gateway_user u WHERE g.visibility = 'public';
--> statement-breakpoint
-- A trigger can't be made before its function; ../functions replaces this one as soon as the migrations are through.
DO $$
BEGIN
  IF to_regproc('keep_account_of_month') IS NULL THEN
    CREATE FUNCTION keep_account_of_month() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''the function keep_account_of_month is not there yet''; END';
  END IF;
END
$$;
--> statement-breakpoint
CREATE TRIGGER keep_account BEFORE INSERT ON subscription
FOR EACH ROW WHEN (NEW.gateway_user_id IS NULL) EXECUTE FUNCTION keep_account_of_month();
