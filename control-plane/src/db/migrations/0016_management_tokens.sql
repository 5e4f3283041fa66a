CREATE TABLE "management_token" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "management_token_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint,
	"admin_id" bigint,
	"name" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"hint" text NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"last_used_ip" text,
	CONSTRAINT "management_token_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "management_token_is_of_one" CHECK (num_nonnulls("management_token"."user_id", "management_token"."admin_id") = 1)
);
--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "actor_token" text;--> statement-breakpoint
ALTER TABLE "management_token" ADD CONSTRAINT "management_token_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "management_token" ADD CONSTRAINT "management_token_admin_id_shared_admin_credentials_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."shared_admin_credentials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "management_token_user" ON "management_token" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "management_token_admin" ON "management_token" USING btree ("admin_id");--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON management_token TO sluice_app;
  END IF;
END
$$;
