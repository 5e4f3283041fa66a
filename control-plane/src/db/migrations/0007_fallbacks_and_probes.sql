CREATE TABLE "channel_probe" (
	"channel_id" bigint PRIMARY KEY NOT NULL,
	"model" text NOT NULL,
	"probed_at" timestamp with time zone NOT NULL,
	"is_ok" boolean NOT NULL,
	"http_status" integer,
	"latency_ms" integer NOT NULL,
	"error" text,
	"failed_in_row" integer NOT NULL,
	"rested_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "model_fallback" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "model_fallback_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"group_name" text,
	"model" text NOT NULL,
	"fallback_models" text[] DEFAULT '{}' NOT NULL,
	"larger_model" text,
	"is_for_every_key" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "model_fallback_place" UNIQUE NULLS NOT DISTINCT("group_name","model"),
	CONSTRAINT "model_fallback_number" CHECK (cardinality("model_fallback"."fallback_models") <= 3)
);
--> statement-breakpoint
ALTER TABLE "api_key" ADD COLUMN "is_fallback_allowed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "channel" ADD COLUMN "probe_minutes" integer;--> statement-breakpoint
ALTER TABLE "channel" ADD COLUMN "probe_model" text;--> statement-breakpoint
ALTER TABLE "usage_log" ADD COLUMN "asked_model" text;--> statement-breakpoint
ALTER TABLE "channel_probe" ADD CONSTRAINT "channel_probe_channel_id_channel_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channel"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_fallback" ADD CONSTRAINT "model_fallback_model_model_name_fk" FOREIGN KEY ("model") REFERENCES "public"."model"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_fallback" ADD CONSTRAINT "model_fallback_larger_model_model_name_fk" FOREIGN KEY ("larger_model") REFERENCES "public"."model"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel" ADD CONSTRAINT "channel_probe_minutes" CHECK ("channel"."probe_minutes" between 1 and 60);
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON model_fallback FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
--> statement-breakpoint
-- Most tests of a channel change nothing for calls.
CREATE TRIGGER announce AFTER UPDATE ON channel_probe FOR EACH ROW
WHEN (OLD.rested_at IS DISTINCT FROM NEW.rested_at) EXECUTE FUNCTION announce_catalog_change();
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON model_fallback, channel_probe TO sluice_app;
  END IF;
END
$$;
