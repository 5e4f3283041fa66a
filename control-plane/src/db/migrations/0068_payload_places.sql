-- Segments say themselves whose payloads they have: a row of payload_record for each payload cost more than its bytes. Rows of
-- earlier releases stay.
ALTER TABLE "payload_segment" ADD COLUMN "places" bytea, ADD COLUMN "first_call_ms" bigint, ADD COLUMN "last_call_ms" bigint;
--> statement-breakpoint
DO $$
DECLARE
  v_table regclass;
BEGIN
  -- Partitions that are made later take it from the table.
  FOR v_table IN SELECT 'payload_segment'::regclass UNION ALL SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'payload_segment'::regclass LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN places SET STORAGE EXTERNAL', v_table);
  END LOOP;
END
$$;
