CREATE TABLE "event" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "event_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"type" text NOT NULL,
	"gateway_user_id" bigint,
	"cause" text NOT NULL,
	"data" jsonb NOT NULL,
	"occurred_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_attempt" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "event_attempt_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"delivery_id" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"http_status" integer,
	"duration_ms" integer NOT NULL,
	"error" text,
	"response_start" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_condition" (
	"name" text PRIMARY KEY NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_delivery" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "event_delivery_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"target_id" bigint NOT NULL,
	"event_id" bigint NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"merge_key" text,
	"count" integer DEFAULT 1 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"replays" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_target" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "event_target_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"gateway_user_id" bigint,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"place" text NOT NULL,
	"events" text[] NOT NULL,
	"seal_name" text NOT NULL,
	"access_sealed" "bytea" NOT NULL,
	"old_secret_until" timestamp with time zone,
	"status" text DEFAULT 'active' NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp with time zone,
	"last_attempt_at" timestamp with time zone,
	"busy_until" timestamp with time zone,
	"paused_until" timestamp with time zone,
	"dropped" integer DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "event_target_seal_name_unique" UNIQUE("seal_name")
);
--> statement-breakpoint
ALTER TABLE "event" ADD CONSTRAINT "event_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_attempt" ADD CONSTRAINT "event_attempt_delivery_id_event_delivery_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."event_delivery"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_delivery" ADD CONSTRAINT "event_delivery_target_id_event_target_id_fk" FOREIGN KEY ("target_id") REFERENCES "public"."event_target"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_delivery" ADD CONSTRAINT "event_delivery_event_id_event_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."event"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_target" ADD CONSTRAINT "event_target_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "event_occurred" ON "event" USING btree ("occurred_at");--> statement-breakpoint
CREATE INDEX "event_cause" ON "event" USING btree ("cause");--> statement-breakpoint
CREATE INDEX "event_attempt_delivery" ON "event_attempt" USING btree ("delivery_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "event_delivery_merge" ON "event_delivery" USING btree ("target_id","merge_key");--> statement-breakpoint
CREATE INDEX "event_delivery_due" ON "event_delivery" USING btree ("target_id","next_attempt_at") WHERE "event_delivery"."status" in ('queued', 'sending');--> statement-breakpoint
CREATE INDEX "event_delivery_target" ON "event_delivery" USING btree ("target_id","id");--> statement-breakpoint
CREATE INDEX "event_delivery_event" ON "event_delivery" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "event_target_user" ON "event_target" USING btree ("gateway_user_id");
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON event, event_attempt, event_condition, event_delivery, event_target TO sluice_app;
  END IF;
END
$$;
