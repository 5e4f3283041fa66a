CREATE TABLE "account_limit" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "account_limit_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"scope" text NOT NULL,
	"group_name" text,
	"gateway_user_id" bigint,
	"requests_per_minute" integer,
	"tokens_per_minute" integer,
	"concurrency_max" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "account_limit_place" UNIQUE NULLS NOT DISTINCT("scope","group_name","gateway_user_id"),
	CONSTRAINT "account_limit_scope" CHECK (("account_limit"."scope" = 'group') = ("account_limit"."group_name" is not null) and ("account_limit"."scope" = 'user') = ("account_limit"."gateway_user_id" is not null)),
	CONSTRAINT "account_limit_values" CHECK ("account_limit"."requests_per_minute" > 0 and "account_limit"."tokens_per_minute" > 0 and "account_limit"."concurrency_max" > 0)
);
--> statement-breakpoint
ALTER TABLE "account_limit" ADD CONSTRAINT "account_limit_group_name_user_group_name_fk" FOREIGN KEY ("group_name") REFERENCES "public"."user_group"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account_limit" ADD CONSTRAINT "account_limit_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
-- A trigger can't be made before its function; ../functions replaces this one as soon as the migrations are through.
DO $$
BEGIN
  IF to_regproc('announce_limit_change') IS NULL THEN
    CREATE FUNCTION announce_limit_change() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''the function announce_limit_change is not there yet''; END';
  END IF;
END
$$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON account_limit FOR EACH ROW EXECUTE FUNCTION announce_limit_change();
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON account_limit TO sluice_app;
  END IF;
END
$$;
