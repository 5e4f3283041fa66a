-- The group of a user's calls: the key's own, or else the highest in rank of the groups that the user was put in; of
-- equals, the account's own. Only keys that name a public group use it, so no price changes because a group becomes
-- public. If a user has a group from several sources, the latest end counts. No row: the user does not have the key's group.
CREATE OR REPLACE FUNCTION key_group(p_user bigint, p_group text)
RETURNS TABLE (group_name text, multiplier numeric, ends_at timestamptz) LANGUAGE plpgsql STABLE ROWS 1 AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT g.name, g.multiplier, m.ends_at
  FROM group_of_user m JOIN user_group g ON g.name = m.group_name
  WHERE m.gateway_user_id = p_user AND CASE WHEN p_group IS NULL THEN m.source <> 'public' ELSE g.name = p_group END
  ORDER BY g.rank DESC, g.name = (SELECT u.group_name FROM gateway_user u WHERE u.id = p_user) DESC, g.name,
    m.ends_at DESC NULLS FIRST
  LIMIT 1;
END
$$;

-- What a call costs as a multiple of its price: the exact product, with the four places of a user's multiplier or more.
CREATE OR REPLACE FUNCTION combined_multiplier(p_user numeric, p_group numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE AS $$
  SELECT round(p_user * p_group, greatest(4, scale(trim_scale(p_user * p_group))))
$$;
