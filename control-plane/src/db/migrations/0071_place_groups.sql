-- Where the groups of a segment are is written once for each, and no longer with each payload. Segments that were written without
-- this have rows of payload_record.
ALTER TABLE "payload_segment" ADD COLUMN "groups" "bytea";
--> statement-breakpoint
DO $$
DECLARE
  v_table regclass;
BEGIN
  -- Partitions that are made later take it from the table.
  FOR v_table IN SELECT 'payload_segment'::regclass UNION ALL SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'payload_segment'::regclass LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN groups SET STORAGE EXTERNAL', v_table);
  END LOOP;
END
$$;
