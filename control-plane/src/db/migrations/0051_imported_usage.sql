CREATE TABLE "imported_usage" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "imported_usage_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"gateway_user_id" bigint NOT NULL,
	"instance" text NOT NULL,
	"day" date NOT NULL,
	"model" text NOT NULL,
	"calls" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"quota" bigint NOT NULL,
	CONSTRAINT "imported_usage_once" UNIQUE("gateway_user_id","instance","day","model")
);
--> statement-breakpoint
ALTER TABLE "imported_usage" ADD CONSTRAINT "imported_usage_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imported_usage" ADD CONSTRAINT "imported_usage_instance_import_source_instance_fk" FOREIGN KEY ("instance") REFERENCES "public"."import_source"("instance") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "imported_usage_instance" ON "imported_usage" USING btree ("instance");--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON imported_usage TO sluice_app;
  END IF;
END
$$;
