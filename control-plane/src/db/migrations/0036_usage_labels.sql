ALTER TABLE "api_key" ADD COLUMN "are_labels_kept" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway_user" ADD COLUMN "are_labels_kept" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_log" ADD COLUMN "end_user" text;--> statement-breakpoint
ALTER TABLE "usage_log" ADD COLUMN "tags" text[];--> statement-breakpoint
-- Calls without an end user or a tag, which are most, are in neither of these. The first is in the order of a user's list.
CREATE INDEX "usage_log_end_user" ON "usage_log" ("gateway_user_id", "end_user", "day", "request_id") WHERE "end_user" IS NOT NULL;
-- The account is an element beside its tags, so that calls of others with the same tag are not read.
CREATE INDEX "usage_log_tags" ON "usage_log" USING gin (array_append("tags", "gateway_user_id"::text)) WHERE "tags" IS NOT NULL;
--> statement-breakpoint
-- For sums by end user and tag, and to find those that are to be erased.
CREATE INDEX "usage_log_labelled" ON "usage_log" ("gateway_user_id", "day", "request_id") WHERE "end_user" IS NOT NULL OR "tags" IS NOT NULL;
--> statement-breakpoint
-- What may be personal is erased when its retention ends; nothing else of a usage row is ever changed.
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT UPDATE (end_user, tags) ON usage_log TO sluice_app;
  END IF;
END
$$;
