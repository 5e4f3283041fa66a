-- Creates the missing partitions of p_table for p_days days from p_from on; returns the names of those it created. The
-- application has no right to create tables, so the function runs with the rights of its owner. It can do nothing else:
-- it only accepts a table of this schema and this owner that is partitioned by ranges of a date named day.
--
-- A partition is created as a separate table and then attached. That waits for nobody who reads or writes the log, and
-- nobody waits for it; CREATE TABLE ... PARTITION OF would need the whole log for itself. Attaching it adds the keys and
-- indexes of the log.
--
-- The columns of a partition are in the order of their alignment, the widest first: in the order of the log, which has the
-- newest columns last, bytes between them would be lost in every row.
--
-- The application copies the rows of a day straight into its partition, which costs less than finding the partition of each
-- row. Statement-level triggers of the log do not fire then, so the partition has them too.
--
-- There is no default partition: its rows would survive the retention, which drops days, and would keep the partition
-- of their day from ever being created. A writer that meets a day without a partition creates it and writes again.
CREATE OR REPLACE FUNCTION ensure_day_partitions(p_table text, p_from date, p_days integer) RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_today date := (now() AT TIME ZONE 'UTC')::date;
  v_parent oid;
  v_partition oid;
  v_day date;
  v_name text;
  v_made text[] := '{}';
  v_column text;
  v_storage text;
BEGIN
  SELECT c.oid INTO v_parent
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_partitioned_table p ON p.partrelid = c.oid
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
  WHERE n.nspname = 'public' AND c.relname = p_table AND pg_get_userbyid(c.relowner) = current_user
    AND p.partstrat = 'r' AND p.partnatts = 1 AND a.attname = 'day' AND a.atttypid = 'date'::regtype;
  IF NOT FOUND THEN
    RAISE EXCEPTION '"%" is not a table partitioned by day', p_table USING ERRCODE = 'undefined_table';
  END IF;
  IF p_days IS NULL OR p_days NOT BETWEEN 1 AND 100 THEN
    RAISE EXCEPTION '% days are not between 1 and 100', p_days USING ERRCODE = 'numeric_value_out_of_range';
  END IF;
  -- A clock that is years off must not fill the database with tables.
  IF p_from IS NULL OR p_from < v_today - 400 OR p_from + p_days > v_today + 100 THEN
    RAISE EXCEPTION 'day % is too far from today', p_from USING ERRCODE = 'datetime_field_overflow';
  END IF;

  -- One caller at a time; the second one finds everything created.
  PERFORM pg_advisory_xact_lock(hashtextextended('sluice day partitions of ' || p_table, 0));
  FOR v_day IN SELECT p_from + offset_days FROM generate_series(0, p_days - 1) AS offset_days LOOP
    v_name := p_table || to_char(v_day, '"_y"YYYY"m"MM"d"DD');
    -- Not to_regclass: what it remembers may be from before the wait for the lock.
    v_partition := (SELECT c.oid FROM pg_class c WHERE c.relname = v_name AND c.relnamespace = 'public'::regnamespace);
    CONTINUE WHEN EXISTS (SELECT 1 FROM pg_inherits WHERE inhrelid = v_partition AND inhparent = v_parent);
    IF v_partition IS NOT NULL THEN
      RAISE EXCEPTION 'table "%" exists but is not a partition of "%"', v_name, p_table USING ERRCODE = 'duplicate_table';
    END IF;
    EXECUTE format('CREATE TABLE public.%I (%s)', v_name, array_to_string(ARRAY(SELECT public.day_partition_parts(v_parent)), ', '));
    FOR v_column, v_storage IN
      SELECT a.attname, CASE a.attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END
      FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
      WHERE a.attrelid = v_parent AND a.attnum > 0 AND NOT a.attisdropped AND a.attstorage <> t.typstorage
    LOOP
      EXECUTE format('ALTER TABLE public.%I ALTER COLUMN %I SET STORAGE %s', v_name, v_column, v_storage);
    END LOOP;
    IF p_table = 'usage_log' THEN
      EXECUTE format('CREATE TRIGGER usage_log_spend AFTER INSERT ON public.%I REFERENCING NEW TABLE AS written
        FOR EACH STATEMENT EXECUTE FUNCTION public.note_spend()', v_name);
    END IF;
    IF p_table IN ('usage_log', 'trace_record') AND to_regrole('sluice_app') IS NOT NULL THEN
      EXECUTE format('GRANT INSERT ON public.%I TO sluice_app', v_name);
    END IF;
    EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
      p_table, v_name, v_day, v_day + 1);
    v_made := v_made || v_name;
  END LOOP;
  RETURN v_made;
END
$$;

-- The columns and checks of a log's partition, in the order in which they are created.
CREATE OR REPLACE FUNCTION day_partition_parts(p_parent oid) RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT part FROM (
    SELECT CASE WHEN a.attlen < 0 THEN 4 WHEN a.attalign = 'd' THEN 1 WHEN a.attalign = 'i' THEN 2 ELSE 3 END AS place,
      NOT a.attnotnull AS is_nullable, a.attnum,
      concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
        'COLLATE ' || nullif(a.attcollation, t.typcollation)::regcollation, CASE WHEN a.attnotnull THEN 'NOT NULL' END,
        'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) AS part
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = p_parent AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT 5, false, row_number() OVER (ORDER BY c.conname), format('CONSTRAINT %I %s', c.conname, pg_get_constraintdef(c.oid))
    FROM pg_constraint c WHERE c.conrelid = p_parent AND c.contype = 'c'
  ) parts ORDER BY place, is_nullable, attnum
$$;

-- Drops the partition of a day; false when there is none. Dropping locks the whole log for a moment. A long read of the
-- log makes this function wait, and everyone else waits for this function, so it gives up soon (state 55P03) and is
-- called again later. None of the three logs holds money; payloads are dropped only after their key is destroyed.
CREATE OR REPLACE FUNCTION drop_day_partition(p_table text, p_day date) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '250ms' AS $$
DECLARE
  v_name text := p_table || to_char(p_day, '"_y"YYYY"m"MM"d"DD');
BEGIN
  IF p_table IS NULL OR p_table NOT IN ('trace_record', 'payload_segment', 'payload_record') THEN
    RAISE EXCEPTION 'days of "%" are kept', p_table USING ERRCODE = 'undefined_table';
  END IF;
  IF p_day IS NULL OR p_day >= (now() AT TIME ZONE 'UTC')::date THEN
    RAISE EXCEPTION 'day % is not over', p_day USING ERRCODE = 'datetime_field_overflow';
  END IF;
  IF p_table <> 'trace_record'
    AND EXISTS (SELECT 1 FROM public.payload_day_key WHERE day = p_day AND wrapped IS NOT NULL) THEN
    RAISE EXCEPTION 'the payloads of % can still be read', p_day USING ERRCODE = 'object_in_use';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('sluice day partitions of ' || p_table, 0));
  IF NOT EXISTS (SELECT 1 FROM pg_inherits WHERE inhrelid = to_regclass(format('public.%I', v_name))
    AND inhparent = to_regclass(format('public.%I', p_table))) THEN
    RETURN false;
  END IF;
  EXECUTE format('DROP TABLE public.%I', v_name);
  RETURN true;
END
$$;

-- The functions run with the rights of their owner, so the right to call them is limited.
REVOKE ALL ON FUNCTION ensure_day_partitions(text, date, integer), drop_day_partition(text, date) FROM PUBLIC;
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT EXECUTE ON FUNCTION ensure_day_partitions(text, date, integer), drop_day_partition(text, date) TO sluice_app;
END
$$;
