CREATE TABLE "own_payload_access" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "own_payload_access_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"user_id" bigint NOT NULL,
	"token_name" text,
	"gateway_user_id" bigint NOT NULL,
	"day" date NOT NULL,
	"request_id" uuid NOT NULL,
	"ip" text NOT NULL,
	"asked_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "own_payload_reading" (
	"gateway_user_id" bigint PRIMARY KEY NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"by_members" boolean NOT NULL
);
--> statement-breakpoint
ALTER TABLE "own_payload_access" ADD CONSTRAINT "own_payload_access_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "own_payload_reading" ADD CONSTRAINT "own_payload_reading_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "own_payload_access_account" ON "own_payload_access" USING btree ("gateway_user_id","id");--> statement-breakpoint
CREATE INDEX "own_payload_access_user" ON "own_payload_access" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "own_payload_access_request" ON "own_payload_access" USING btree ("request_id");--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON own_payload_access FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON own_payload_reading TO sluice_app;
    GRANT SELECT, INSERT ON own_payload_access TO sluice_app;
  END IF;
END
$$;
