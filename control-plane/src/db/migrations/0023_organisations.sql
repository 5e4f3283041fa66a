CREATE TABLE "organisation" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "organisation_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"gateway_user_id" bigint NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "organisation_gateway_user_id_unique" UNIQUE("gateway_user_id")
);
--> statement-breakpoint
CREATE TABLE "organisation_invitation" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "organisation_invitation_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"organisation_id" bigint NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"invited_by_id" bigint NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"accepted_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "organisation_invitation_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "organisation_member" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "organisation_member_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"organisation_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"role" text NOT NULL,
	"left_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "organisation_project" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "organisation_project_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"organisation_id" bigint NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "management_token" ADD COLUMN "organisation_id" bigint;--> statement-breakpoint
ALTER TABLE "sales_order" ADD COLUMN "organisation_id" bigint;--> statement-breakpoint
ALTER TABLE "api_key" ADD COLUMN "member_id" bigint;--> statement-breakpoint
ALTER TABLE "api_key" ADD COLUMN "project_id" bigint;--> statement-breakpoint
ALTER TABLE "budget" ADD COLUMN "project_id" bigint;--> statement-breakpoint
ALTER TABLE "budget" ADD COLUMN "member_id" bigint;--> statement-breakpoint
ALTER TABLE "usage_log" ADD COLUMN "shared_budget_ids" bigint[];--> statement-breakpoint
ALTER TABLE "organisation" ADD CONSTRAINT "organisation_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organisation_invitation" ADD CONSTRAINT "organisation_invitation_organisation_id_organisation_id_fk" FOREIGN KEY ("organisation_id") REFERENCES "public"."organisation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organisation_invitation" ADD CONSTRAINT "organisation_invitation_invited_by_id_user_profile_id_fk" FOREIGN KEY ("invited_by_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organisation_member" ADD CONSTRAINT "organisation_member_organisation_id_organisation_id_fk" FOREIGN KEY ("organisation_id") REFERENCES "public"."organisation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organisation_member" ADD CONSTRAINT "organisation_member_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organisation_project" ADD CONSTRAINT "organisation_project_organisation_id_organisation_id_fk" FOREIGN KEY ("organisation_id") REFERENCES "public"."organisation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "organisation_created" ON "organisation" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "organisation_name_start" ON "organisation" USING btree (lower("name") text_pattern_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "organisation_invitation_open" ON "organisation_invitation" USING btree ("organisation_id",lower("email")) WHERE "organisation_invitation"."accepted_at" is null and "organisation_invitation"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "organisation_invitation_by" ON "organisation_invitation" USING btree ("invited_by_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "organisation_member_once" ON "organisation_member" USING btree ("organisation_id","user_id") WHERE "organisation_member"."left_at" is null;--> statement-breakpoint
CREATE INDEX "organisation_member_user" ON "organisation_member" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "organisation_member_of" ON "organisation_member" USING btree ("organisation_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "organisation_project_name" ON "organisation_project" USING btree ("organisation_id",lower("name"));--> statement-breakpoint
ALTER TABLE "sales_order" ADD CONSTRAINT "sales_order_organisation_id_organisation_id_fk" FOREIGN KEY ("organisation_id") REFERENCES "public"."organisation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sales_order_organisation" ON "sales_order" USING btree ("organisation_id","id") WHERE "sales_order"."organisation_id" is not null;--> statement-breakpoint
CREATE INDEX "api_key_member" ON "api_key" USING btree ("member_id") WHERE "api_key"."member_id" is not null;--> statement-breakpoint
CREATE INDEX "api_key_project" ON "api_key" USING btree ("project_id") WHERE "api_key"."project_id" is not null;--> statement-breakpoint
ALTER TABLE "budget" ADD CONSTRAINT "budget_project_id_unique" UNIQUE("project_id");--> statement-breakpoint
ALTER TABLE "budget" ADD CONSTRAINT "budget_member_id_unique" UNIQUE("member_id");
--> statement-breakpoint
-- A budget is of exactly one of them.
ALTER TABLE "budget" DROP CONSTRAINT IF EXISTS "budget_owner";
ALTER TABLE "budget" ADD CONSTRAINT "budget_owner" CHECK (num_nonnulls("gateway_user_id", "api_key_id", "project_id", "member_id") = 1);
--> statement-breakpoint
-- These refer to tables whose declarations refer back, so the schema can't say it.
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_member_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."organisation_member"("id");
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_project_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."organisation_project"("id");
ALTER TABLE "budget" ADD CONSTRAINT "budget_member_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."organisation_member"("id");
ALTER TABLE "budget" ADD CONSTRAINT "budget_project_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."organisation_project"("id");
ALTER TABLE "management_token" ADD CONSTRAINT "management_token_organisation_id_fk" FOREIGN KEY ("organisation_id") REFERENCES "public"."organisation"("id");
--> statement-breakpoint
-- Whose account a gateway user is: a person's or an organisation's. The only statement that says so.
CREATE VIEW account_owner AS
SELECT p.gateway_user_id, p.id AS user_id, NULL::bigint AS organisation_id, p.email AS name FROM user_profile p
UNION ALL
SELECT o.gateway_user_id, NULL, o.id, o.name FROM organisation o;
--> statement-breakpoint
-- A trigger can't be made before its function; ../functions replaces these as soon as the migrations are through.
DO $$
DECLARE
  v_name text;
BEGIN
  FOREACH v_name IN ARRAY ARRAY['announce_organisation_change', 'announce_shared_budget'] LOOP
    IF to_regproc(v_name) IS NULL THEN
      EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', v_name,
        format('BEGIN RAISE EXCEPTION ''the function %s is not there yet''; END', v_name));
    END IF;
  END LOOP;
END
$$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER UPDATE ON organisation_member FOR EACH ROW EXECUTE FUNCTION announce_organisation_change();
CREATE TRIGGER announce AFTER UPDATE ON organisation_project FOR EACH ROW EXECUTE FUNCTION announce_organisation_change();
CREATE TRIGGER announce_shared AFTER INSERT OR UPDATE OF is_enforced ON budget FOR EACH ROW
  WHEN (NEW.project_id IS NOT NULL OR NEW.member_id IS NOT NULL) EXECUTE FUNCTION announce_shared_budget();
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON organisation, organisation_member, organisation_project, organisation_invitation TO sluice_app;
    GRANT SELECT ON account_owner TO sluice_app;
  END IF;
END
$$;
