-- Copies balance, use and last call of the next users after one into the columns that lists of users are sorted by. Users
-- that something else is changing are left to the next run. Returns the last user looked at, or null after the last one.
CREATE OR REPLACE FUNCTION sort_users(p_after bigint, p_rows int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_last bigint;
BEGIN
  SELECT max(id) INTO v_last FROM (SELECT id FROM user_profile WHERE id > p_after ORDER BY id LIMIT p_rows) u;
  WITH now_so AS (
    SELECT p.id, b.granted - (b.used - b.period_base) - b.reserved AS remaining, b.used, coalesce(c.last_at, 'epoch') AS call_at
    FROM user_profile p
    JOIN budget b ON b.gateway_user_id = p.gateway_user_id
    LEFT JOIN usage_user c ON c.gateway_user_id = p.gateway_user_id
    WHERE p.id > p_after AND p.id <= v_last
      AND (p.sorted_remaining, p.sorted_used, p.sorted_call_at)
        IS DISTINCT FROM (b.granted - (b.used - b.period_base) - b.reserved, b.used, coalesce(c.last_at, 'epoch'))
    ORDER BY p.id FOR NO KEY UPDATE OF p SKIP LOCKED
  )
  UPDATE user_profile p SET sorted_remaining = n.remaining, sorted_used = n.used, sorted_call_at = n.call_at
  FROM now_so n WHERE p.id = n.id;
  RETURN v_last;
END
$$;
