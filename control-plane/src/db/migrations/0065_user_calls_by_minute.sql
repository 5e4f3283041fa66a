-- The calls of a user are found by the minute in which they began, too. Those of one key and model share an entry, and are found
-- without a look at the others.
CREATE INDEX "usage_log_user_minute" ON "usage_log" ("gateway_user_id", "day", (left("request_id"::text, 8) COLLATE "C"), "api_key_id", "model");
--> statement-breakpoint
DROP INDEX "usage_log_user";
