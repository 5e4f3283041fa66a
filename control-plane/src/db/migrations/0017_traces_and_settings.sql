CREATE TABLE "setting" (
	"name" text PRIMARY KEY NOT NULL,
	"value" jsonb,
	"version" integer DEFAULT 1 NOT NULL,
	"updated_by" bigint,
	"updated_by_name" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payload_access" (
	"number" bigint PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"admin_id" bigint NOT NULL,
	"admin_name" text NOT NULL,
	"day" date NOT NULL,
	"request_id" uuid NOT NULL,
	"gateway_user_id" bigint NOT NULL,
	"reason" text NOT NULL,
	"ip" text NOT NULL,
	"asked_by" text NOT NULL,
	"previous_hash" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payload_access_head" (
	"id" integer PRIMARY KEY NOT NULL,
	"number" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "payload_access_head_is_one" CHECK ("payload_access_head"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "payload_day_count" (
	"day" date PRIMARY KEY NOT NULL,
	"payloads" bigint NOT NULL,
	"counted_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "payload_access_admin" ON "payload_access" USING btree ("admin_id","at");--> statement-breakpoint
CREATE INDEX "payload_access_request" ON "payload_access" USING btree ("request_id");
--> statement-breakpoint
-- Calls are looked for newest first: with the day in front, the partitions are read one after the other until a page is full.
DROP INDEX "trace_record_user";
--> statement-breakpoint
CREATE INDEX "trace_record_user" ON "trace_record" ("gateway_user_id", "day", "request_id");
--> statement-breakpoint
CREATE INDEX "trace_record_model" ON "trace_record" ("model", "day", "request_id");
--> statement-breakpoint
-- Nearly all calls are good ones, and these two have no entry for them.
CREATE INDEX "trace_record_trouble" ON "trace_record" ("status", "day", "request_id") WHERE "status" <> 'completed';
--> statement-breakpoint
CREATE INDEX "trace_record_http_trouble" ON "trace_record" ("http_status", "day", "request_id") WHERE "http_status" >= 400;
--> statement-breakpoint
-- What replicas keep in memory of the settings is announced by the database, whoever writes.
CREATE FUNCTION announce_setting_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('setting_changed', '');
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON setting FOR EACH STATEMENT EXECUTE FUNCTION announce_setting_change();
--> statement-breakpoint
-- The keys of all days before p_before are destroyed for good. Setting them to null would leave their bytes in the file
-- until somebody vacuums the table, so the table is written anew and its old file goes away at the commit. The rows stay,
-- and keep new keys of these days from being made.
CREATE FUNCTION destroy_payload_keys(p_before date) RETURNS date[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  v_rows public.payload_day_key[];
  v_days date[];
BEGIN
  IF p_before IS NULL OR p_before > (now() AT TIME ZONE 'UTC')::date THEN
    RAISE EXCEPTION 'the keys of days from today on are not destroyed' USING ERRCODE = 'datetime_field_overflow';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM public.payload_day_key WHERE day < p_before AND wrapped IS NOT NULL) THEN
    RETURN '{}';
  END IF;
  LOCK TABLE public.payload_day_key IN ACCESS EXCLUSIVE MODE;
  SELECT coalesce(array_agg(day ORDER BY day), '{}') INTO v_days FROM public.payload_day_key
  WHERE day < p_before AND wrapped IS NOT NULL;
  IF v_days = '{}' THEN
    RETURN v_days;
  END IF;
  SELECT array_agg(k) INTO v_rows FROM public.payload_day_key k;
  TRUNCATE public.payload_day_key;
  INSERT INTO public.payload_day_key (day, key_id, wrapped, created_at, destroyed_at)
  SELECT day, key_id, CASE WHEN day = ANY (v_days) THEN NULL ELSE wrapped END, created_at,
    CASE WHEN day = ANY (v_days) THEN now() ELSE destroyed_at END
  FROM unnest(v_rows);
  RETURN v_days;
END
$$;
--> statement-breakpoint
-- Drops the partition of a day; false when there is none. Dropping needs the whole log for a moment, and whoever reads a
-- log for long makes us wait, and everybody else behind us: so we give up soon (state 55P03) and come again. Money is in
-- none of the three logs; of payloads only those can go whose key is gone.
CREATE FUNCTION drop_day_partition(p_table text, p_day date) RETURNS boolean
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
--> statement-breakpoint
INSERT INTO payload_access_head (id, number, hash) VALUES (1, 0, sha256('sluice: nobody has read a payload'));
--> statement-breakpoint
-- What a link of the chain says, in a form that depends on no setting of the session, with the hash of the link before.
CREATE FUNCTION payload_access_hash(p_row payload_access) RETURNS bytea
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT sha256(convert_to(jsonb_build_array(p_row.number, (extract(epoch FROM p_row.at) * 1000000)::bigint, p_row.admin_id,
    p_row.admin_name, p_row.day - date '2000-01-01', p_row.request_id, p_row.gateway_user_id, p_row.reason, p_row.ip,
    p_row.asked_by, encode(p_row.previous_hash, 'hex'))::text, 'UTF8'))
$$;
--> statement-breakpoint
-- Writes down that an admin is about to read a payload, as the next link of the chain, unless that admin has read
-- p_per_hour in the last hour: then nothing is written and the seconds to wait are returned. One at a time, across all
-- replicas, so that the count is exact and the chain has no fork.
CREATE FUNCTION record_payload_access(p_access jsonb, p_per_hour integer)
RETURNS TABLE (link_number bigint, link_hash bytea, wait_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_head public.payload_access_head;
  v_row public.payload_access;
  v_oldest timestamptz;
BEGIN
  SELECT * INTO STRICT v_head FROM public.payload_access_head WHERE id = 1 FOR UPDATE;
  v_row := jsonb_populate_record(NULL::public.payload_access, p_access);
  v_row.number := v_head.number + 1;
  v_row.at := clock_timestamp();
  v_row.previous_hash := v_head.hash;
  IF length(btrim(v_row.reason)) < 5 IS NOT FALSE THEN
    RAISE EXCEPTION 'a payload is not read without a reason' USING ERRCODE = 'check_violation';
  END IF;
  SELECT a.at INTO v_oldest FROM public.payload_access a
  WHERE a.admin_id = v_row.admin_id AND a.at > v_row.at - interval '1 hour'
  ORDER BY a.at DESC OFFSET greatest(p_per_hour, 1) - 1 LIMIT 1;
  IF v_oldest IS NOT NULL THEN
    RETURN QUERY SELECT NULL::bigint, NULL::bytea,
      greatest(1, ceil(extract(epoch FROM v_oldest + interval '1 hour' - v_row.at))::integer);
    RETURN;
  END IF;
  v_row.hash := public.payload_access_hash(v_row);
  INSERT INTO public.payload_access SELECT v_row.*;
  UPDATE public.payload_access_head SET number = v_row.number, hash = v_row.hash WHERE id = 1;
  RETURN QUERY SELECT v_row.number, v_row.hash, NULL::integer;
END
$$;
--> statement-breakpoint
-- What is wrong with the chain of accesses to payloads; no row when nothing is. Each access stands in the audit log as
-- well, with its hash: whoever rewrites the end of the chain must rewrite that, too.
CREATE FUNCTION check_payload_access() RETURNS TABLE (finding text, link_number bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  WITH link AS (
    SELECT a.number, a.hash, a.previous_hash, payload_access_hash(a) AS own_hash,
      lag(a.number, 1, 0::bigint) OVER by_number AS last_number,
      lag(a.hash, 1, sha256('sluice: nobody has read a payload')) OVER by_number AS last_hash
    FROM payload_access a WINDOW by_number AS (ORDER BY a.number)
  )
  SELECT 'the link was altered', number FROM link WHERE hash IS DISTINCT FROM own_hash
  UNION ALL
  SELECT 'links before this one are gone', number FROM link WHERE number <> last_number + 1
  UNION ALL
  SELECT 'the link does not follow the one before', number FROM link
  WHERE number = last_number + 1 AND previous_hash IS DISTINCT FROM last_hash
  UNION ALL
  SELECT 'the chain does not end with its last link', l.number
  FROM (
    SELECT number, hash FROM link UNION ALL SELECT 0, sha256('sluice: nobody has read a payload') ORDER BY 1 DESC LIMIT 1
  ) AS l
  LEFT JOIN payload_access_head h ON h.id = 1
  WHERE h.number IS DISTINCT FROM l.number OR h.hash IS DISTINCT FROM l.hash
  UNION ALL
  SELECT 'the audit log knows the link as another, or it is gone', (e.after->>'number')::bigint
  FROM audit_log e LEFT JOIN payload_access a ON a.number = (e.after->>'number')::bigint
  WHERE e.action = 'trace.payload_read' AND encode(a.hash, 'hex') IS DISTINCT FROM e.after->>'hash'
  UNION ALL
  SELECT 'the audit log does not know the link', a.number FROM payload_access a
  WHERE NOT EXISTS (SELECT 1 FROM audit_log e
    WHERE e.action = 'trace.payload_read' AND e.subject_id = a.request_id::text AND e.after->>'hash' = encode(a.hash, 'hex'))
  ORDER BY 2, 1
$$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION destroy_payload_keys(date), drop_day_partition(text, date), record_payload_access(jsonb, integer)
  FROM PUBLIC;
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT SELECT, INSERT, UPDATE ON setting TO sluice_app;
  GRANT SELECT, INSERT, UPDATE, DELETE ON payload_day_count TO sluice_app;
  -- Written by the function alone.
  GRANT SELECT ON payload_access, payload_access_head TO sluice_app;
  GRANT EXECUTE ON FUNCTION destroy_payload_keys(date), drop_day_partition(text, date),
    record_payload_access(jsonb, integer) TO sluice_app;
END
$$;
