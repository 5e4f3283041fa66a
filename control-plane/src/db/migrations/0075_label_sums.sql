-- Calls of before are added by the job of the sums; until it has caught up, pages read the log.
CREATE TABLE "usage_label_count" (
	"gateway_user_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"labels" bigint NOT NULL,
	CONSTRAINT "usage_label_count_pk" PRIMARY KEY("starts_at","gateway_user_id","kind")
);
--> statement-breakpoint
CREATE TABLE "usage_label_sum" (
	"gateway_user_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"grain" text NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"label" text NOT NULL,
	"api_key_id" bigint NOT NULL,
	"model" text NOT NULL,
	"outcome" text NOT NULL,
	"calls" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"cache_read_tokens" bigint NOT NULL,
	"cache_write_tokens" bigint NOT NULL,
	"reasoning_tokens" bigint NOT NULL,
	"cache_write_1h_tokens" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"settled_quota" bigint NOT NULL,
	CONSTRAINT "usage_label_sum_pk" PRIMARY KEY("gateway_user_id","kind","grain","starts_at","label","api_key_id","model","outcome")
);
--> statement-breakpoint
CREATE INDEX "usage_label_sum_day" ON "usage_label_sum" USING btree ((("starts_at" AT TIME ZONE 'UTC')::date));--> statement-breakpoint
ALTER TABLE usage_label_sum SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON usage_label_sum, usage_label_count TO sluice_app;
  END IF;
END
$$;
