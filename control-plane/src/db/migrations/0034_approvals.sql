CREATE TABLE "admin_allowance" (
	"admin_id" bigint NOT NULL,
	"day" date NOT NULL,
	"kind" text NOT NULL,
	"quota" bigint NOT NULL,
	CONSTRAINT "admin_allowance_admin_id_day_kind_pk" PRIMARY KEY("admin_id","day","kind"),
	CONSTRAINT "admin_allowance_quota" CHECK ("admin_allowance"."quota" >= 0)
);
--> statement-breakpoint
CREATE TABLE "approval" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "approval_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"input" jsonb NOT NULL,
	"reason" text NOT NULL,
	"effects" jsonb NOT NULL,
	"requested_by" bigint NOT NULL,
	"requested_by_name" text NOT NULL,
	"request_id" text NOT NULL,
	"ip" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"decided_by" bigint,
	"decided_by_name" text,
	"decided_at" timestamp with time zone,
	"decision_reason" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "approval_two_people" CHECK ("approval"."status" <> 'approved' or "approval"."decided_by" <> "approval"."requested_by"),
	CONSTRAINT "approval_decided" CHECK (("approval"."status" in ('approved', 'rejected')) = ("approval"."decided_by" is not null and "approval"."decided_at" is not null))
);
--> statement-breakpoint
ALTER TABLE "approval" ADD CONSTRAINT "approval_requested_by_shared_admin_credentials_id_fk" FOREIGN KEY ("requested_by") REFERENCES "public"."shared_admin_credentials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approval" ADD CONSTRAINT "approval_decided_by_shared_admin_credentials_id_fk" FOREIGN KEY ("decided_by") REFERENCES "public"."shared_admin_credentials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "approval_waiting" ON "approval" USING btree ("kind","idempotency_key") WHERE "approval"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "approval_pending" ON "approval" USING btree ("expires_at") WHERE "approval"."status" = 'pending';
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT SELECT, INSERT, UPDATE, DELETE ON admin_allowance TO sluice_app;
  -- What was asked for stays as it was asked for.
  GRANT SELECT, INSERT ON approval TO sluice_app;
  GRANT UPDATE (status, decided_by, decided_by_name, decided_at, decision_reason, updated_at) ON approval TO sluice_app;
END
$$;
--> statement-breakpoint
-- How long a login is fresh is one rule now, for payloads and for everything else that asks for it.
UPDATE setting SET name = 'admin.fresh_login_minutes'
  WHERE name = 'trace.payload_login_minutes'
    AND NOT EXISTS (SELECT 1 FROM setting s WHERE s.name = 'admin.fresh_login_minutes');
