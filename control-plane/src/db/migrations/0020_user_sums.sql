CREATE TABLE "usage_user_sum" (
	"gateway_user_id" bigint NOT NULL,
	"grain" text NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
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
	CONSTRAINT "usage_user_sum_pk" PRIMARY KEY("gateway_user_id","grain","starts_at","api_key_id","model","outcome")
);
--> statement-breakpoint
CREATE INDEX "usage_user_sum_starts" ON "usage_user_sum" USING btree ("starts_at");
--> statement-breakpoint
ALTER TABLE usage_user_sum SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON usage_user_sum TO sluice_app;
  END IF;
END
$$;
