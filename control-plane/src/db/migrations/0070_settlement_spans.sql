-- Batches of the settlement name the span of the usage log in which their rows are, so that these are found without an index of
-- their own. Rows with a multiplier of one leave it null, and what follows from it. Rows and batches of earlier releases stay as they
-- are.
ALTER TABLE "settlement_batch" ADD COLUMN "first_xid" "xid8", ADD COLUMN "first_request_id" uuid, ADD COLUMN "last_xid" "xid8",
  ADD COLUMN "last_request_id" uuid, ADD COLUMN "whole_on" bigint;
--> statement-breakpoint
ALTER TABLE "settlement_checkpoint" ADD COLUMN "whole_after" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "usage_settlement" ALTER COLUMN "base_quota" DROP NOT NULL, ALTER COLUMN "rate_multiplier" DROP NOT NULL,
  ALTER COLUMN "quota_delta" DROP NOT NULL;
DROP INDEX "usage_settlement_batch";
--> statement-breakpoint
-- Batches of earlier releases are still read by their number, by sums that are new or behind. Their rows lie next to each other, so
-- a summary of each range of pages leads to them. Days that begin later have no such batches, and no such index.
DO $$
DECLARE
  v_partition regclass;
BEGIN
  FOR v_partition IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'usage_settlement'::regclass LOOP
    EXECUTE format('CREATE INDEX ON %s USING brin (batch_id)', v_partition);
  END LOOP;
END
$$;
