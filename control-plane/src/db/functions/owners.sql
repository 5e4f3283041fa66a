CREATE OR REPLACE FUNCTION keep_owner_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.owner_email := lower(coalesce((SELECT u.email FROM user_profile u WHERE u.id = NEW.user_id), NEW.email));
  RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION keep_owner_email_of_orders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sales_order SET owner_email = lower(NEW.email) WHERE user_id = NEW.id;
  RETURN NULL;
END
$$;

-- The account of a month, for the release before, which knows months by their users.
CREATE OR REPLACE FUNCTION keep_account_of_month() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.gateway_user_id := (SELECT u.gateway_user_id FROM user_profile u WHERE u.id = NEW.user_id);
  RETURN NEW;
END
$$;

-- The gateway user behind a user's list. With a subquery the planner can't see how many rows there are: it expected few
-- for a user who makes a tenth of all calls, and sorted them all for each part of an export. A stable function is
-- evaluated while a statement is planned.
CREATE OR REPLACE FUNCTION gateway_user_of_user(p_user bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT gateway_user_id FROM user_profile WHERE id = p_user
$$;

CREATE OR REPLACE FUNCTION gateway_user_of_email(p_email text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT gateway_user_id FROM user_profile WHERE lower(email) = lower(p_email)
$$;

CREATE OR REPLACE FUNCTION gateway_user_of_key(p_key bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT gateway_user_id FROM api_key WHERE id = p_key
$$;

-- What somebody accepted stays as it is; only the address is cleared, when the account is closed.
CREATE OR REPLACE FUNCTION keep_consent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.ip IS NOT NULL OR to_jsonb(NEW) - 'ip' <> to_jsonb(OLD) - 'ip' THEN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END
$$;
