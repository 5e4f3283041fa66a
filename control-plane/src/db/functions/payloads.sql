-- Where the payload of a call is: its group in a segment, which `trace/payload-places.ts` describes. No row if none is stored.
--
-- Nothing lists all calls, so the segments are searched that may have it. The ID of a call begins with the milliseconds at
-- which it began, the ID of a segment with those at which it was completed, soon after its calls had ended. So it is searched
-- first in the segments of the ten seconds around the end of the call, then in those of an hour, because the database may
-- have been away, and then in all others of the day. Only those are looked into that have calls from before and after.
--
-- Payloads of earlier releases have a row of payload_record each.
CREATE OR REPLACE FUNCTION find_payload(p_day date, p_request_id uuid)
RETURNS TABLE (segment_id uuid, gateway_user_id bigint, byte_offset integer, byte_length integer, request_bytes bigint,
  response_bytes bigint, is_request_truncated boolean, is_response_truncated boolean)
LANGUAGE plpgsql STABLE ROWS 1 AS $$
#variable_conflict use_column
DECLARE
  v_id_end bytea := substr(uuid_send(p_request_id), 9);
  v_began bigint := ('x' || encode(substr(uuid_send(p_request_id), 1, 6), 'hex'))::bit(48)::bigint;
  v_ended bigint := v_began + coalesce(
    (SELECT t.duration_ms FROM trace_record t WHERE t.day = p_day AND t.request_id = p_request_id), 0);
  v_from bigint;
  v_to bigint;
  v_segment uuid;
  v_places bytea;
  v_groups bytea;
  v_place bytea;
  v_flags integer;
  v_group integer;
BEGIN
  RETURN QUERY SELECT r.segment_id, r.gateway_user_id, r.byte_offset, r.byte_length, r.request_bytes, r.response_bytes,
    r.is_request_truncated, r.is_response_truncated
  FROM payload_record r WHERE r.day = p_day AND r.request_id = p_request_id;
  IF FOUND THEN RETURN; END IF;
  FOR v_from, v_to IN VALUES (v_ended - 5000, v_ended + 5000), (v_began - 5000, v_ended + 3600000), (0, 281474976710655) LOOP
    SELECT s.segment_id, s.places, s.groups INTO v_segment, v_places, v_groups FROM payload_segment s
    WHERE s.day = p_day AND s.segment_id BETWEEN first_id_of(v_from) AND first_id_of(v_to) AND s.groups IS NOT NULL
      AND s.first_call_ms <= v_began AND s.last_call_ms >= v_began AND position(v_id_end IN s.places) % 26 = 1
    LIMIT 1;
    IF FOUND THEN
      v_place := substr(v_places, position(v_id_end IN v_places), 26);
      v_flags := get_byte(v_place, 14) >> 5;
      v_group := (get_byte(v_place, 14) & 31) * 256 + get_byte(v_place, 15);
      RETURN QUERY SELECT v_segment, ('x' || encode(substr(v_place, 9, 6), 'hex'))::bit(48)::bigint,
        ('x' || encode(substr(v_groups, v_group * 8 + 1, 4), 'hex'))::bit(32)::integer,
        ('x' || encode(substr(v_groups, v_group * 8 + 5, 4), 'hex'))::bit(32)::integer,
        ('x' || encode(substr(v_place, 17, 5), 'hex'))::bit(40)::bigint,
        ('x' || encode(substr(v_place, 22, 5), 'hex'))::bit(40)::bigint,
        v_flags & 2 > 0, v_flags & 4 > 0;
      RETURN;
    END IF;
  END LOOP;
END
$$;

-- The smallest ID that begins with these milliseconds.
CREATE OR REPLACE FUNCTION first_id_of(p_ms bigint) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT rpad(lpad(to_hex(least(greatest(p_ms, 0), 281474976710655)), 12, '0'), 32, '0')::uuid
$$;

-- Destroys the keys of all days before p_before for good. Setting them to null would leave their bytes in the file
-- until a vacuum, so the table is rewritten and its old file is removed at the commit. The rows stay, and keep new keys
-- of these days from being created.
CREATE OR REPLACE FUNCTION destroy_payload_keys(p_before date) RETURNS date[]
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

-- The content of a link of the chain, in a form that depends on no session setting, with the hash of the previous link.
CREATE OR REPLACE FUNCTION payload_access_hash(p_row payload_access) RETURNS bytea
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT sha256(convert_to(jsonb_build_array(p_row.number, (extract(epoch FROM p_row.at) * 1000000)::bigint, p_row.admin_id,
    p_row.admin_name, p_row.day - date '2000-01-01', p_row.request_id, p_row.gateway_user_id, p_row.reason, p_row.ip,
    p_row.asked_by, encode(p_row.previous_hash, 'hex'))::text, 'UTF8'))
$$;

-- Records that an admin is about to read a payload, as the next link of the chain, unless that admin has read
-- p_per_hour in the last hour: then nothing is written and the seconds to wait are returned. All replicas do this one
-- at a time, so that the count is exact and the chain has no fork.
CREATE OR REPLACE FUNCTION record_payload_access(p_access jsonb, p_per_hour integer)
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

-- The faults in the chain of accesses to payloads; no row when it is intact. The audit log contains each access with
-- its hash, too, so rewriting the end of the chain means rewriting that log as well.
CREATE OR REPLACE FUNCTION check_payload_access() RETURNS TABLE (finding text, link_number bigint)
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

-- The functions run with the rights of their owner, so the right to call them is limited.
REVOKE ALL ON FUNCTION destroy_payload_keys(date), record_payload_access(jsonb, integer) FROM PUBLIC;
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT EXECUTE ON FUNCTION destroy_payload_keys(date), record_payload_access(jsonb, integer) TO sluice_app;
END
$$;
