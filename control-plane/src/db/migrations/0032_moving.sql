CREATE TABLE "import_item" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "import_item_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"instance" text NOT NULL,
	"kind" text NOT NULL,
	"source_id" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"target" text NOT NULL,
	"gateway_user_id" bigint,
	"moved_quota" bigint,
	"written_at" timestamp with time zone NOT NULL,
	CONSTRAINT "import_item_once" UNIQUE("instance","kind","source_id")
);
--> statement-breakpoint
CREATE TABLE "import_source" (
	"instance" text PRIMARY KEY NOT NULL,
	"program" text NOT NULL,
	"cut_over_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "user_profile" ADD COLUMN "username" text;--> statement-breakpoint
ALTER TABLE "import_item" ADD CONSTRAINT "import_item_instance_import_source_instance_fk" FOREIGN KEY ("instance") REFERENCES "public"."import_source"("instance") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "import_item_target" ON "import_item" USING btree ("kind","target");--> statement-breakpoint
CREATE UNIQUE INDEX "user_profile_username" ON "user_profile" USING btree (lower("username")) WHERE "user_profile"."username" is not null;--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON import_source, import_item TO sluice_app;
  END IF;
END
$$;
