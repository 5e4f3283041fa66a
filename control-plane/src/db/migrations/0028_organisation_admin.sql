DROP INDEX "api_key_idempotency";--> statement-breakpoint
CREATE INDEX "organisation_status" ON "organisation" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "organisation_name" ON "organisation" USING btree (lower("name"),"id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_key_idempotency" ON "api_key" USING btree ("gateway_user_id",coalesce("member_id", 0),"idempotency_key");