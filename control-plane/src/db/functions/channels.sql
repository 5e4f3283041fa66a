-- The credential of a channel itself is one of its credentials for as long as it is set. A new one is not the one that
-- was refused. It is written again by every change of the channel, and sealed again by a rotation of the master key: then
-- it is still the same, but what a provider refuses is found out again with the next call.
CREATE OR REPLACE FUNCTION keep_own_credential() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.credential_sealed IS NULL THEN
    DELETE FROM channel_credential WHERE channel_id = NEW.id AND secret_sealed IS NULL;
  ELSIF TG_OP = 'INSERT' OR OLD.credential_sealed IS DISTINCT FROM NEW.credential_sealed THEN
    INSERT INTO channel_credential (channel_id, is_exit_node) VALUES (NEW.id, NEW.is_exit_node)
    ON CONFLICT (channel_id) WHERE secret_sealed IS NULL
    DO UPDATE SET refused_at = NULL, refused_reason = NULL, updated_at = now();
  END IF;
  RETURN NULL;
END
$$;
