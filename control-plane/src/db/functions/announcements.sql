-- The database itself announces changes to the data that replicas keep in memory, so that no writer can forget it: a
-- key that is revoked by hand in SQL stops working as fast as a key that is revoked in the console.

CREATE OR REPLACE FUNCTION announce_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('key_changed', OLD.id::text);
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION announce_key_budget() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('key_changed', NEW.api_key_id::text);
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION announce_user_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('user_changed', OLD.id::text);
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION announce_member_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('user_changed', CASE WHEN TG_OP = 'DELETE' THEN OLD.gateway_user_id ELSE NEW.gateway_user_id END::text);
  RETURN NULL;
END
$$;

-- What operators limit for one account, or for many.
CREATE OR REPLACE FUNCTION announce_limit_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_user bigint := CASE WHEN TG_OP = 'DELETE' THEN OLD.gateway_user_id ELSE NEW.gateway_user_id END;
BEGIN
  PERFORM pg_notify(CASE WHEN v_user IS NULL THEN 'group_changed' ELSE 'user_changed' END, coalesce(v_user::text, ''));
  RETURN NULL;
END
$$;

-- A member or a project of an organisation: who has left, or what was archived, concerns keys of its account.
CREATE OR REPLACE FUNCTION announce_organisation_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('user_changed', gateway_user_id::text) FROM organisation WHERE id = NEW.organisation_id;
  RETURN NULL;
END
$$;

-- A budget of a project or of a member that keys were loaded without.
CREATE OR REPLACE FUNCTION announce_shared_budget() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('user_changed', o.gateway_user_id::text) FROM organisation o WHERE o.id = coalesce(
    (SELECT m.organisation_id FROM organisation_member m WHERE m.id = NEW.member_id),
    (SELECT p.organisation_id FROM organisation_project p WHERE p.id = NEW.project_id)
  );
  RETURN NULL;
END
$$;

-- A month that begins, ends or is refunded gives its account a group or the limits of a plan, or takes them.
CREATE OR REPLACE FUNCTION announce_subscription_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('user_changed', NEW.gateway_user_id::text)
  WHERE NEW.group_name IS NOT NULL OR TG_OP = 'UPDATE' AND OLD.group_name IS NOT NULL
    OR EXISTS (SELECT 1 FROM account_limit WHERE scope = 'plan' AND plan_code = NEW.plan_code);
  RETURN NULL;
END
$$;

-- A group's multiplier, rank or visibility may concern any user.
CREATE OR REPLACE FUNCTION announce_group_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('group_changed', '');
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION announce_catalog_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('catalog_changed', TG_TABLE_NAME);
  RETURN NULL;
END
$$;

-- Announces changes to settings, which replicas keep in memory.
CREATE OR REPLACE FUNCTION announce_setting_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('setting_changed', '');
  RETURN NULL;
END
$$;
