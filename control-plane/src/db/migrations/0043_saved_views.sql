CREATE TABLE "saved_view" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "saved_view_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"admin_id" bigint NOT NULL,
	"list" text NOT NULL,
	"name" text NOT NULL,
	"query" jsonb NOT NULL,
	"hidden_columns" jsonb NOT NULL,
	"is_default" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "saved_view_name" UNIQUE("admin_id","list","name")
);
--> statement-breakpoint
ALTER TABLE "saved_view" ADD CONSTRAINT "saved_view_admin_id_shared_admin_credentials_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."shared_admin_credentials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "saved_view_default" ON "saved_view" USING btree ("admin_id","list") WHERE "saved_view"."is_default";
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON saved_view TO sluice_app;
  END IF;
END
$$;
