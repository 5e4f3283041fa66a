-- Calls are copied straight into the partition of their day, which needs the trigger of the usage log, and the right to write to
-- it. Partitions that are made later get both when they are made.
DO $$
DECLARE
  v_day regclass;
BEGIN
  FOR v_day IN
    SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'usage_log'::regclass
      AND inhrelid::regclass::text >= 'usage_log' || to_char((now() AT TIME ZONE 'UTC')::date - 1, '"_y"YYYY"m"MM"d"DD')
  LOOP
    EXECUTE format('CREATE TRIGGER usage_log_spend AFTER INSERT ON %s REFERENCING NEW TABLE AS written
      FOR EACH STATEMENT EXECUTE FUNCTION note_spend()', v_day);
    IF to_regrole('sluice_app') IS NOT NULL THEN EXECUTE format('GRANT INSERT ON %s TO sluice_app', v_day); END IF;
  END LOOP;
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  FOR v_day IN
    SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'trace_record'::regclass
      AND inhrelid::regclass::text >= 'trace_record' || to_char((now() AT TIME ZONE 'UTC')::date - 1, '"_y"YYYY"m"MM"d"DD')
  LOOP
    EXECUTE format('GRANT INSERT ON %s TO sluice_app', v_day);
  END LOOP;
END
$$;
