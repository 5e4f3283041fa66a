CREATE TABLE "registration_invitation" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "registration_invitation_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"sealed_code" "bytea",
	"uses" integer DEFAULT 0 NOT NULL,
	"uses_max" integer NOT NULL,
	"expires_at" timestamp with time zone,
	"group_name" text,
	"credit_quota" bigint,
	"created_by" text NOT NULL,
	"revoked_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "registration_invitation_digest_unique" UNIQUE("digest"),
	CONSTRAINT "registration_invitation_uses" CHECK ("registration_invitation"."uses" between 0 and "registration_invitation"."uses_max"),
	CONSTRAINT "registration_invitation_credit" CHECK ("registration_invitation"."credit_quota" >= 0)
);
--> statement-breakpoint
CREATE TABLE "registration_rules" (
	"id" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"mode" text DEFAULT 'open' NOT NULL,
	"domains" text[] DEFAULT '{}' NOT NULL,
	"refused_domains" text[] DEFAULT '{}' NOT NULL,
	"proof_bits" integer DEFAULT 0 NOT NULL,
	"credit_quota" bigint DEFAULT 0 NOT NULL,
	"credits_per_network_day" integer DEFAULT 3 NOT NULL,
	"credits_per_network" integer DEFAULT 20 NOT NULL,
	"credits_per_device_day" integer DEFAULT 1 NOT NULL,
	"credits_per_device" integer DEFAULT 1 NOT NULL,
	"credits_per_day" integer DEFAULT 100 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "registration_rules_once" CHECK ("registration_rules"."id" = 1),
	CONSTRAINT "registration_rules_credit" CHECK ("registration_rules"."credit_quota" >= 0)
);
--> statement-breakpoint
CREATE TABLE "user_registration" (
	"user_id" bigint PRIMARY KEY NOT NULL,
	"invitation_id" bigint,
	"network" text NOT NULL,
	"device" text,
	"address_key" "bytea" NOT NULL,
	"registered_at" timestamp with time zone DEFAULT now() NOT NULL,
	"decided_at" timestamp with time zone,
	"credit_quota" bigint DEFAULT 0 NOT NULL,
	"credit_refusal" text,
	CONSTRAINT "user_registration_credit" CHECK ("user_registration"."credit_quota" >= 0 and ("user_registration"."credit_quota" = 0 or ("user_registration"."decided_at" is not null and "user_registration"."credit_refusal" is null)))
);
--> statement-breakpoint
ALTER TABLE "registration_invitation" ADD CONSTRAINT "registration_invitation_group_name_user_group_name_fk" FOREIGN KEY ("group_name") REFERENCES "public"."user_group"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_registration" ADD CONSTRAINT "user_registration_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_registration" ADD CONSTRAINT "user_registration_invitation_id_registration_invitation_id_fk" FOREIGN KEY ("invitation_id") REFERENCES "public"."registration_invitation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "user_registration_paid_address" ON "user_registration" USING btree ("address_key") WHERE "user_registration"."credit_quota" > 0;--> statement-breakpoint
CREATE INDEX "user_registration_paid_network" ON "user_registration" USING btree ("network","decided_at") WHERE "user_registration"."credit_quota" > 0;--> statement-breakpoint
CREATE INDEX "user_registration_paid_device" ON "user_registration" USING btree ("device","decided_at") WHERE "user_registration"."credit_quota" > 0;--> statement-breakpoint
CREATE INDEX "user_registration_decided" ON "user_registration" USING btree ("decided_at","user_id") WHERE "user_registration"."credit_quota" > 0 or "user_registration"."credit_refusal" is not null;--> statement-breakpoint
CREATE INDEX "user_registration_invitation" ON "user_registration" USING btree ("invitation_id");--> statement-breakpoint
INSERT INTO "registration_rules" DEFAULT VALUES;--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON registration_rules, registration_invitation, user_registration TO sluice_app;
  END IF;
END
$$;
