CREATE TABLE "usage_key_performance" (
	"api_key_id" bigint NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"model" text NOT NULL,
	"kind" text NOT NULL,
	"bucket" integer NOT NULL,
	"calls" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"output_ms" bigint NOT NULL,
	CONSTRAINT "usage_key_performance_pk" PRIMARY KEY("api_key_id","starts_at","model","kind","bucket")
);
--> statement-breakpoint
CREATE INDEX "usage_key_performance_day" ON "usage_key_performance" USING btree ("starts_at");--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON usage_key_performance TO sluice_app;
  END IF;
END
$$;
