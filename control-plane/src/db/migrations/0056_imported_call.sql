CREATE TABLE "imported_call" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "imported_call_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"gateway_user_id" bigint NOT NULL,
	"instance" text NOT NULL,
	"source_id" text NOT NULL,
	"made_at" timestamp with time zone NOT NULL,
	"model" text NOT NULL,
	"key_name" text NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"quota" bigint NOT NULL,
	CONSTRAINT "imported_call_once" UNIQUE("instance","source_id")
);
--> statement-breakpoint
ALTER TABLE "imported_call" ADD CONSTRAINT "imported_call_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imported_call" ADD CONSTRAINT "imported_call_instance_import_source_instance_fk" FOREIGN KEY ("instance") REFERENCES "public"."import_source"("instance") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "imported_call_user" ON "imported_call" USING btree ("gateway_user_id","made_at","id");--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON imported_call TO sluice_app;
  END IF;
END
$$;
