CREATE TABLE "usage_quarantine" (
	"replica_id" text PRIMARY KEY NOT NULL,
	"row_count" integer NOT NULL,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "usage_log" ADD COLUMN "is_implausible" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- What a replica could not write is owed by somebody, and stands in no sum.
CREATE FUNCTION check_money_spool() RETURNS TABLE (invariant text, subject text, detail text) LANGUAGE sql STABLE AS $$
  SELECT 'a usage row that was recorded is in the log', 'replica ' || replica_id,
    row_count || ' rows are put aside in its spool since ' || to_char(changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')
  FROM usage_quarantine WHERE row_count > 0
$$;
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT SELECT, INSERT, UPDATE, DELETE ON usage_quarantine TO sluice_app;
END
$$;
