ALTER TABLE "plan" ADD COLUMN "group_name" text;--> statement-breakpoint
ALTER TABLE "sales_order" ADD COLUMN "group_name" text;--> statement-breakpoint
ALTER TABLE "subscription" ADD COLUMN "group_name" text;--> statement-breakpoint
ALTER TABLE "plan" ADD CONSTRAINT "plan_group_name_user_group_name_fk" FOREIGN KEY ("group_name") REFERENCES "public"."user_group"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sales_order" ADD CONSTRAINT "sales_order_group_name_user_group_name_fk" FOREIGN KEY ("group_name") REFERENCES "public"."user_group"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_group_name_user_group_name_fk" FOREIGN KEY ("group_name") REFERENCES "public"."user_group"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "plan_group" ON "plan" USING btree ("group_name") WHERE "plan"."group_name" is not null;--> statement-breakpoint
CREATE INDEX "subscription_group" ON "subscription" USING btree ("group_name") WHERE "subscription"."group_name" is not null;--> statement-breakpoint
ALTER TABLE "plan" ADD CONSTRAINT "plan_group_is_monthly" CHECK ("plan"."group_name" is null or "plan"."kind" = 'monthly');
--> statement-breakpoint
-- A month of a plan with a group is another source of groups. What a job has not ended yet is over all the same.
CREATE OR REPLACE VIEW group_of_user AS
SELECT u.id AS gateway_user_id, u.group_name, 'account' AS source, NULL::timestamptz AS ends_at FROM gateway_user u
UNION ALL
SELECT m.gateway_user_id, m.group_name, 'admin', m.ends_at FROM user_group_member m
WHERE m.ends_at IS NULL OR m.ends_at > now()
UNION ALL
SELECT p.gateway_user_id, s.group_name, 'plan', s.period_end
FROM subscription s JOIN user_profile p ON p.id = s.user_id
WHERE s.status = 'active' AND s.group_name IS NOT NULL AND s.period_end > now()
UNION ALL
SELECT u.id, g.name, 'public', NULL FROM user_group g CROSS JOIN gateway_user u WHERE g.visibility = 'public';
--> statement-breakpoint
-- A trigger can't be made before its function; ../functions replaces this one as soon as the migrations are through.
DO $$
BEGIN
  IF to_regproc('announce_subscription_change') IS NULL THEN
    CREATE FUNCTION announce_subscription_change() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''the function announce_subscription_change is not there yet''; END';
  END IF;
END
$$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT OR UPDATE OF status, period_end, group_name ON subscription
FOR EACH ROW EXECUTE FUNCTION announce_subscription_change();
