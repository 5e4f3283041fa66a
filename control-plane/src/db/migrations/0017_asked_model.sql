-- Few calls are answered by another model than they asked for; they are found by it, in the order of time.
CREATE INDEX "usage_log_asked_model" ON "usage_log" ("asked_model", "day", "request_id") WHERE "asked_model" IS NOT NULL;
