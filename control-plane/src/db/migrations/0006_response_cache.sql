-- Not logged: it is a cache, and writing each response twice would help nobody.
CREATE UNLOGGED TABLE "cached_response" (
	"digest" text PRIMARY KEY NOT NULL,
	"sealed" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "response_cache" (
	"id" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"generation" bigint NOT NULL,
	"cleared_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "response_cache_has_one_row" CHECK ("response_cache"."id")
);
--> statement-breakpoint
ALTER TABLE "api_key" ADD COLUMN "is_response_cached" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_log" ADD COLUMN "cache_basis_points" integer;--> statement-breakpoint
CREATE INDEX "cached_response_expires" ON "cached_response" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "cached_response_created" ON "cached_response" USING btree ("created_at");;--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON response_cache FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON response_cache, cached_response TO sluice_app;
  END IF;
END
$$;
