CREATE TABLE "price_data" (
	"id" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"providers" jsonb,
	"kind" text,
	"name" text,
	"providers_count" integer DEFAULT 0 NOT NULL,
	"models_count" integer DEFAULT 0 NOT NULL,
	"stored_at" timestamp with time zone,
	"stored_by" text,
	"url" text,
	"etag" text,
	"checked_at" timestamp with time zone,
	"is_check_ok" boolean,
	"check_result" text,
	CONSTRAINT "price_data_has_one_row" CHECK ("price_data"."id")
);
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON price_data TO sluice_app;
  END IF;
END
$$;
