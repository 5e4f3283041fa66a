CREATE TABLE "user_group_member" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_group_member_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"gateway_user_id" bigint NOT NULL,
	"group_name" text NOT NULL,
	"ends_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_group_member_once" UNIQUE("gateway_user_id","group_name")
);
--> statement-breakpoint
CREATE TABLE "user_group" (
	"name" text PRIMARY KEY NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"multiplier" numeric(12, 6) DEFAULT '1.000000' NOT NULL,
	"visibility" text DEFAULT 'assigned' NOT NULL,
	"rank" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_group_multiplier" CHECK ("user_group"."multiplier" >= 0 and "user_group"."multiplier" <= 10000)
);
--> statement-breakpoint
ALTER TABLE "usage_log" ALTER COLUMN "rate_multiplier" SET DATA TYPE numeric;--> statement-breakpoint
ALTER TABLE "usage_settlement" ALTER COLUMN "rate_multiplier" SET DATA TYPE numeric;--> statement-breakpoint
-- Every group that is in use, so that the foreign keys below hold. None is public: nobody gets more than before.
INSERT INTO user_group (name, description)
SELECT name, CASE name
    WHEN 'default' THEN 'What a new account starts in.'
    WHEN 'node-test' THEN 'Calls through exit nodes.'
    ELSE ''
  END
FROM (
  SELECT group_name AS name FROM gateway_user UNION SELECT group_name FROM api_key WHERE group_name IS NOT NULL
  UNION SELECT group_name FROM ability UNION VALUES ('default'), ('node-test')
) used ORDER BY name;
--> statement-breakpoint
ALTER TABLE "user_group_member" ADD CONSTRAINT "user_group_member_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_group_member" ADD CONSTRAINT "user_group_member_group_name_user_group_name_fk" FOREIGN KEY ("group_name") REFERENCES "public"."user_group"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "user_group_member_group" ON "user_group_member" USING btree ("group_name");--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_group_name_user_group_name_fk" FOREIGN KEY ("group_name") REFERENCES "public"."user_group"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_user" ADD CONSTRAINT "gateway_user_group_name_user_group_name_fk" FOREIGN KEY ("group_name") REFERENCES "public"."user_group"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ability" ADD CONSTRAINT "ability_group_name_user_group_name_fk" FOREIGN KEY ("group_name") REFERENCES "public"."user_group"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_key_group" ON "api_key" USING btree ("group_name") WHERE "api_key"."group_name" is not null;--> statement-breakpoint
CREATE INDEX "gateway_user_group" ON "gateway_user" USING btree ("group_name");
--> statement-breakpoint
-- A key of a group that its user is not in was made by hand. It keeps working: the user gets the group.
INSERT INTO user_group_member (gateway_user_id, group_name)
SELECT DISTINCT k.gateway_user_id, k.group_name
FROM api_key k JOIN gateway_user u ON u.id = k.gateway_user_id
WHERE k.group_name <> u.group_name AND k.status <> 'revoked';
--> statement-breakpoint
-- The groups that each user may use now, and where from. Nothing is copied to the user, so nothing has to be taken back.
CREATE VIEW group_of_user AS
SELECT u.id AS gateway_user_id, u.group_name, 'account' AS source, NULL::timestamptz AS ends_at FROM gateway_user u
UNION ALL
SELECT m.gateway_user_id, m.group_name, 'admin', m.ends_at FROM user_group_member m
WHERE m.ends_at IS NULL OR m.ends_at > now()
UNION ALL
SELECT u.id, g.name, 'public', NULL FROM user_group g CROSS JOIN gateway_user u WHERE g.visibility = 'public';
--> statement-breakpoint
-- A trigger can't be made before its function; ../functions replaces these as soon as the migrations are through.
DO $$
DECLARE
  v_name text;
BEGIN
  FOREACH v_name IN ARRAY ARRAY['announce_group_change', 'announce_member_change'] LOOP
    IF to_regproc(v_name) IS NULL THEN
      EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', v_name,
        format('BEGIN RAISE EXCEPTION ''the function %s is not there yet''; END', v_name));
    END IF;
  END LOOP;
END
$$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER UPDATE OR DELETE ON user_group FOR EACH STATEMENT EXECUTE FUNCTION announce_group_change();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON user_group_member FOR EACH ROW EXECUTE FUNCTION announce_member_change();
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON user_group, user_group_member TO sluice_app;
    GRANT SELECT ON group_of_user TO sluice_app;
  END IF;
END
$$;
