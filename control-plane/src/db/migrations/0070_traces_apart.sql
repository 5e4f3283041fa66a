-- Most traces say of user and model what the usage row of their call says, and are found by its indexes. Only the others are in
-- indexes of their own: traces of earlier releases, and those that are apart.
ALTER TABLE "trace_record" ADD COLUMN "is_apart" boolean DEFAULT true;
--> statement-breakpoint
CREATE INDEX "trace_record_apart_user" ON "trace_record" ("gateway_user_id", "day", (left("request_id"::text, 8) COLLATE "C")) WHERE "is_apart";
CREATE INDEX "trace_record_apart_model" ON "trace_record" ("model", "day", (left("request_id"::text, 8) COLLATE "C")) WHERE "is_apart";
--> statement-breakpoint
DROP INDEX "trace_record_user_minute";
DROP INDEX "trace_record_model_minute";
