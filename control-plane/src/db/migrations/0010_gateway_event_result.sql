-- A message of a gateway is written down before it is dealt with, so that two of one id can't both be taken for the first.
-- What became of it is the one thing that is written later; the rest of the row stays as it came.
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT UPDATE (result) ON gateway_event TO sluice_app;
END
$$;
