CREATE TABLE "api_key_use" (
	"api_key_id" bigint PRIMARY KEY NOT NULL,
	"last_used_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_key" ADD COLUMN "limit_key_id" bigint;--> statement-breakpoint
ALTER TABLE "api_key" ADD COLUMN "idempotency_key" text;--> statement-breakpoint
ALTER TABLE "api_key" ADD COLUMN "idempotency_digest" "bytea";--> statement-breakpoint
ALTER TABLE "budget" ADD COLUMN "is_enforced" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "api_key_use" ADD CONSTRAINT "api_key_use_api_key_id_api_key_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_key"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_limit_key_id_api_key_id_fk" FOREIGN KEY ("limit_key_id") REFERENCES "public"."api_key"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_key_idempotency" ON "api_key" USING btree ("gateway_user_id","idempotency_key");--> statement-breakpoint
CREATE INDEX "api_key_limit_key" ON "api_key" USING btree ("limit_key_id") WHERE "api_key"."limit_key_id" is not null;--> statement-breakpoint
CREATE INDEX "api_key_rotated_from" ON "api_key" USING btree ("rotated_from_id") WHERE "api_key"."rotated_from_id" is not null;--> statement-breakpoint
-- A user's calls, newest first: with the day in front the partitions are read one after the other, and no more of them than
-- it takes to fill a page.
DROP INDEX "usage_log_user";
--> statement-breakpoint
CREATE INDEX "usage_log_user" ON "usage_log" ("gateway_user_id", "day", "request_id");
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT SELECT, INSERT, UPDATE, DELETE ON api_key_use TO sluice_app;
END
$$;
