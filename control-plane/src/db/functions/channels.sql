-- Keeps a row for the channel's own credential while it is set. A new credential starts without a refusal. So does one that
-- is only rewritten, by a change of the channel or a rotation of the master key: the next call finds out again.
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
