-- Conditions are combined: the failed calls of one user, a rare model of a user with many calls. What stands behind the request
-- id does not change the order, and is compared in the index itself, without a visit to the row: 24 ms instead of 1.2 s for
-- a user of whose calls none is among the 100,000 of that status.
DROP INDEX "trace_record_model";
--> statement-breakpoint
CREATE INDEX "trace_record_model" ON "trace_record" ("model", "day", "request_id", "gateway_user_id");
--> statement-breakpoint
DROP INDEX "trace_record_trouble";
--> statement-breakpoint
CREATE INDEX "trace_record_trouble" ON "trace_record" ("status", "day", "request_id", "gateway_user_id", "model")
  WHERE "status" <> 'completed';
--> statement-breakpoint
DROP INDEX "trace_record_http_trouble";
--> statement-breakpoint
CREATE INDEX "trace_record_http_trouble" ON "trace_record" ("http_status", "day", "request_id", "gateway_user_id", "model")
  WHERE "http_status" >= 400;
