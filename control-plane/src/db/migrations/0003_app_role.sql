-- The role as which the application works: it reads and writes rows, but has no right to change the schema, and none to
-- change or delete what was logged or granted. It belongs to the whole server, so that databases of one server share it.
-- Where the server does not let us make roles, the application works as the owner; the start says so.
DO $$
DECLARE
  v_can_set boolean;
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN
    BEGIN
      CREATE ROLE sluice_app NOLOGIN;
    EXCEPTION
      -- Another database of this server was migrated at the same moment.
      WHEN duplicate_object OR unique_violation THEN NULL;
      WHEN insufficient_privilege THEN RETURN;
    END;
  END IF;
  -- Being a member and being allowed to act as the role are two things since version 16, whose privilege older ones don't know.
  EXECUTE format('SELECT pg_has_role(current_user, %L, %L)', 'sluice_app',
    CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) INTO v_can_set;
  IF NOT v_can_set THEN
    BEGIN
      EXECUTE format('GRANT sluice_app TO %I', current_user);
    EXCEPTION
      WHEN insufficient_privilege THEN NULL;
    END;
  END IF;
END
$$;
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT USAGE ON SCHEMA public TO sluice_app;
  GRANT SELECT, INSERT, UPDATE, DELETE ON user_profile, gateway_user, api_key, budget, budget_lease, replica, channel,
    ability, model, payload_day_key TO sluice_app;
  -- Written once, never changed: what was granted, what calls cost, what was charged, and the traces.
  GRANT SELECT, INSERT ON quota_grant, model_price, usage_log, trace_record, payload_record TO sluice_app;
  GRANT EXECUTE ON FUNCTION ensure_day_partitions(text, date, integer) TO sluice_app;
END
$$;
