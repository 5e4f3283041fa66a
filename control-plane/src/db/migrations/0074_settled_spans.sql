-- Lists of settled calls name the transactions that wrote their calls to the log: only lists that have one in common can have a call
-- in common. Lists from before name all.
ALTER TABLE "settled_calls" ADD COLUMN "first_xid" "xid8" DEFAULT '0' NOT NULL,
  ADD COLUMN "last_xid" "xid8" DEFAULT '18446744073709551615' NOT NULL,
  DROP CONSTRAINT "settled_calls_day_shard_minute_batch_id_pk",
  ADD CONSTRAINT "settled_calls_day_shard_minute_last_xid_batch_id_pk" PRIMARY KEY("day","shard","minute","last_xid","batch_id");
--> statement-breakpoint
-- Once for all lists of a batch. Until ../functions replaces the function, which expects one list at a time, no list can be written.
DROP TRIGGER settled_once ON settled_calls;
--> statement-breakpoint
CREATE TRIGGER settled_once AFTER INSERT ON settled_calls
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION refuse_settled_calls();
