ALTER TABLE "settlement_batch" ADD COLUMN "shard" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "settlement_batch" ADD COLUMN "first_day" date;--> statement-breakpoint
ALTER TABLE "settlement_batch" ADD COLUMN "last_day" date;--> statement-breakpoint
CREATE INDEX "settlement_batch_shard" ON "settlement_batch" USING btree ("shard","id");
--> statement-breakpoint
-- The settlement follows the writing transactions, within a shard of the users. The rows that a transaction wrote share
-- an entry.
CREATE INDEX "usage_log_settle" ON "usage_log" (("gateway_user_id" & 15), "xid");
--> statement-breakpoint
DROP INDEX "usage_log_cursor";
--> statement-breakpoint
-- Each shard has its own place in the batches. The functions of the previous release read the old place until they are
-- replaced, and find nothing after it.
WITH old AS (
  SELECT source, batch_id, caught_up_at FROM usage_rollup_checkpoint WHERE source = 'usage_settlement' FOR UPDATE
), behind AS (
  UPDATE usage_rollup_checkpoint c SET batch_id = 9223372036854775807 FROM old WHERE c.source = old.source
)
INSERT INTO usage_rollup_checkpoint (source, batch_id, caught_up_at)
SELECT old.source || ':' || shard, old.batch_id, old.caught_up_at FROM old CROSS JOIN generate_series(0, 15) shard;
