CREATE TABLE "legal_consent" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "legal_consent_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"page" text NOT NULL,
	"edition" integer NOT NULL,
	"locale" text NOT NULL,
	"version" integer NOT NULL,
	"way" text NOT NULL,
	"ip" text,
	"accepted_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "legal_consent_once" UNIQUE("user_id","page","edition"),
	CONSTRAINT "legal_consent_of_edition" CHECK ("legal_consent"."edition" > 0)
);
--> statement-breakpoint
ALTER TABLE "legal_text" ADD COLUMN "edition" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "legal_text" ADD COLUMN "changes" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "legal_consent" ADD CONSTRAINT "legal_consent_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "legal_consent" ADD CONSTRAINT "legal_consent_text" FOREIGN KEY ("page","locale","version") REFERENCES "public"."legal_text"("page","locale","version") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "legal_consent_edition" ON "legal_consent" USING btree ("page","edition","accepted_at","id");--> statement-breakpoint
CREATE INDEX "legal_consent_time" ON "legal_consent" USING btree ("accepted_at","id");--> statement-breakpoint
-- A trigger can't be made before its function; ../functions replaces this one as soon as the migrations are through.
DO $$
BEGIN
  IF to_regproc('keep_consent') IS NULL THEN
    CREATE FUNCTION keep_consent() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''the function keep_consent is not there yet''; END';
  END IF;
END
$$;
--> statement-breakpoint
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON legal_consent FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER keep_consent BEFORE UPDATE ON legal_consent FOR EACH ROW EXECUTE FUNCTION keep_consent();
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE (ip) ON legal_consent TO sluice_app;
  END IF;
END
$$;
