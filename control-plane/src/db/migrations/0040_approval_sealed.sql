ALTER TABLE "approval" ADD COLUMN "sealed" "bytea";--> statement-breakpoint
ALTER TABLE "approval" ADD CONSTRAINT "approval_sealed" CHECK ("approval"."status" = 'pending' or "approval"."sealed" is null);--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT UPDATE (sealed) ON approval TO sluice_app;
END
$$;
