-- The same of traces. Apart from the usage log, so that neither waits for the indexes of the other.
CREATE INDEX "trace_record_user_minute" ON "trace_record" ("gateway_user_id", "day", (left("request_id"::text, 8) COLLATE "C"));
CREATE INDEX "trace_record_model_minute" ON "trace_record" ("model", "day", (left("request_id"::text, 8) COLLATE "C"));
--> statement-breakpoint
DROP INDEX "trace_record_user";
DROP INDEX "trace_record_model";
