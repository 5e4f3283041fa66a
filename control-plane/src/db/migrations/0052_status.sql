CREATE TABLE "incident" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "incident_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"title" text NOT NULL,
	"impact" text NOT NULL,
	"models" text[] NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"resolved_at" timestamp with time zone,
	"version" integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "incident_update" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "incident_update_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"incident_id" bigint NOT NULL,
	"state" text NOT NULL,
	"text" text NOT NULL,
	"posted_at" timestamp with time zone DEFAULT now() NOT NULL,
	"posted_by" bigint NOT NULL,
	"posted_by_name" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_performance" (
	"grain" text NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"model" text NOT NULL,
	"channel_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"bucket" integer NOT NULL,
	"calls" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"output_ms" bigint NOT NULL,
	CONSTRAINT "usage_performance_pk" PRIMARY KEY("grain","starts_at","model","channel_id","kind","bucket")
);
--> statement-breakpoint
ALTER TABLE "incident_update" ADD CONSTRAINT "incident_update_incident_id_incident_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incident"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "incident_update_incident" ON "incident_update" USING btree ("incident_id");--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON usage_performance, incident TO sluice_app;
    GRANT SELECT, INSERT ON incident_update TO sluice_app;
  END IF;
END
$$;
