CREATE TABLE "channel_credential" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "channel_credential_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"channel_id" bigint NOT NULL,
	"label" text DEFAULT 'main' NOT NULL,
	"secret_sealed" "bytea",
	"weight" integer DEFAULT 1 NOT NULL,
	"status" text DEFAULT 'enabled' NOT NULL,
	"requests_per_minute" integer,
	"concurrency_max" integer,
	"refused_at" timestamp with time zone,
	"refused_reason" text,
	"is_exit_node" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "channel_credential_exit_node_has_one" CHECK (not "channel_credential"."is_exit_node" or "channel_credential"."secret_sealed" is null),
	CONSTRAINT "channel_credential_refused" CHECK (("channel_credential"."refused_at" is null) = ("channel_credential"."refused_reason" is null))
);
--> statement-breakpoint
ALTER TABLE "channel_credential" ADD CONSTRAINT "channel_credential_of_channel" FOREIGN KEY ("channel_id","is_exit_node") REFERENCES "public"."channel"("id","is_exit_node") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "channel_credential_channel" ON "channel_credential" USING btree ("channel_id");--> statement-breakpoint
CREATE UNIQUE INDEX "channel_credential_own" ON "channel_credential" USING btree ("channel_id") WHERE "channel_credential"."secret_sealed" is null;--> statement-breakpoint
-- A trigger can't be made before its function; ../functions replaces this one as soon as the migrations are through.
DO $$
BEGIN
  IF to_regproc('keep_own_credential') IS NULL THEN
    CREATE FUNCTION keep_own_credential() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''the function keep_own_credential is not there yet''; END';
  END IF;
END
$$;
--> statement-breakpoint
-- The credential of a channel becomes the first of its credentials. The secret stays where it is, because it is bound to
-- its row.
INSERT INTO channel_credential (channel_id, is_exit_node)
SELECT id, is_exit_node FROM channel WHERE credential_sealed IS NOT NULL ORDER BY id;
--> statement-breakpoint
CREATE TRIGGER keep_own_credential AFTER INSERT OR UPDATE OF credential_sealed ON channel FOR EACH ROW
EXECUTE FUNCTION keep_own_credential();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON channel_credential FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON channel_credential TO sluice_app;
  END IF;
END
$$;
