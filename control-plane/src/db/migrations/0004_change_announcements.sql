-- What replicas keep in memory is announced by the database itself, so that no writer can forget to: a key that is
-- revoked by hand in SQL stops working as fast as one revoked in the console.

CREATE FUNCTION announce_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('key_changed', OLD.id::text);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER UPDATE OR DELETE ON api_key FOR EACH ROW EXECUTE FUNCTION announce_key_change();
--> statement-breakpoint
CREATE FUNCTION announce_key_budget() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('key_changed', NEW.api_key_id::text);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT ON budget FOR EACH ROW WHEN (NEW.api_key_id IS NOT NULL) EXECUTE FUNCTION announce_key_budget();
--> statement-breakpoint
CREATE FUNCTION announce_user_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('user_changed', OLD.id::text);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER UPDATE OR DELETE ON gateway_user FOR EACH ROW EXECUTE FUNCTION announce_user_change();
--> statement-breakpoint
CREATE FUNCTION announce_catalog_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('catalog_changed', TG_TABLE_NAME);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON channel FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON ability FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON model FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON model_price FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
