-- Whose calls a list is about is known by another number than the one in the log. A subquery for it hides from the planner how many
-- rows there are: it believed in few for whoever makes a tenth of all calls, and sorted them all for each piece of a file. A
-- stable function is looked into while a statement is planned.
CREATE FUNCTION gateway_user_of_user(p_user bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT gateway_user_id FROM user_profile WHERE id = p_user
$$;
--> statement-breakpoint
CREATE FUNCTION gateway_user_of_key(p_key bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT gateway_user_id FROM api_key WHERE id = p_key
$$;
