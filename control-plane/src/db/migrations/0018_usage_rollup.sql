CREATE TABLE "campaign_event" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "campaign_event_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"campaign" text NOT NULL,
	"utm_source" text,
	"utm_medium" text,
	"visitor_id" text,
	"path" text,
	"referrer" text,
	"language" text,
	"viewport" text,
	"target" text,
	"is_bot" boolean DEFAULT false NOT NULL,
	"order_id" bigint,
	"amount_usd" numeric(14, 2),
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "enterprise_lead" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "enterprise_lead_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"company" text NOT NULL,
	"contact" text NOT NULL,
	"email" text NOT NULL,
	"volume" text NOT NULL,
	"message" text NOT NULL,
	"campaign" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "upstream_auth_profile" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "upstream_auth_profile_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"provider" text NOT NULL,
	"auth_type" text NOT NULL,
	"status" text DEFAULT 'standby' NOT NULL,
	"base_url" text NOT NULL,
	"model_scope" text[] NOT NULL,
	"settings" jsonb NOT NULL,
	"credential_secret" text,
	"credential_fields" text[] NOT NULL,
	"refresh_check" text,
	"refresh_requested_at" timestamp with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "upstream_auth_profile_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "channel_cost" (
	"channel_id" bigint NOT NULL,
	"model" text NOT NULL,
	"valid_from" date NOT NULL,
	"input_usd_per_m" numeric(20, 8) NOT NULL,
	"output_usd_per_m" numeric(20, 8) NOT NULL,
	"cache_read_usd_per_m" numeric(20, 8),
	"cache_write_usd_per_m" numeric(20, 8),
	"reasoning_usd_per_m" numeric(20, 8),
	"request_usd" numeric(20, 8) DEFAULT '0' NOT NULL,
	"image_usd" numeric(20, 8) DEFAULT '0' NOT NULL,
	"second_usd" numeric(20, 8) DEFAULT '0' NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "channel_cost_channel_id_model_valid_from_pk" PRIMARY KEY("channel_id","model","valid_from"),
	CONSTRAINT "channel_cost_is_not_negative" CHECK ("channel_cost"."input_usd_per_m" >= 0 and "channel_cost"."output_usd_per_m" >= 0)
);
--> statement-breakpoint
CREATE TABLE "usage_rollup" (
	"slice" text NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"gateway_user_id" bigint NOT NULL,
	"model" text NOT NULL,
	"channel_id" bigint NOT NULL,
	"error_code" text NOT NULL,
	"calls" bigint NOT NULL,
	"completed" bigint NOT NULL,
	"aborted" bigint NOT NULL,
	"failed" bigint NOT NULL,
	"refused" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"cache_read_tokens" bigint NOT NULL,
	"cache_write_tokens" bigint NOT NULL,
	"reasoning_tokens" bigint NOT NULL,
	"images" bigint NOT NULL,
	"audio_ms" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"settled_quota" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "usage_rollup_pk" PRIMARY KEY("slice","starts_at","gateway_user_id","model","channel_id","error_code")
);
--> statement-breakpoint
CREATE TABLE "usage_rollup_checkpoint" (
	"source" text PRIMARY KEY NOT NULL,
	"batch_id" bigint NOT NULL,
	"caught_up_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "usage_user" (
	"gateway_user_id" bigint PRIMARY KEY NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sales_order" ADD COLUMN "visitor_id" text;--> statement-breakpoint
ALTER TABLE "campaign_event" ADD CONSTRAINT "campaign_event_order_id_sales_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."sales_order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_cost" ADD CONSTRAINT "channel_cost_channel_id_channel_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channel"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_cost" ADD CONSTRAINT "channel_cost_model_model_name_fk" FOREIGN KEY ("model") REFERENCES "public"."model"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "campaign_event_at" ON "campaign_event" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "campaign_event_visitor" ON "campaign_event" USING btree ("visitor_id","id") WHERE "campaign_event"."visitor_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "campaign_event_payment" ON "campaign_event" USING btree ("order_id","kind") WHERE "campaign_event"."order_id" is not null;--> statement-breakpoint
CREATE INDEX "enterprise_lead_status" ON "enterprise_lead" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "enterprise_lead_at" ON "enterprise_lead" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "enterprise_lead_email" ON "enterprise_lead" USING btree (lower("email"),"created_at");--> statement-breakpoint
CREATE INDEX "usage_rollup_user" ON "usage_rollup" USING btree ("gateway_user_id","starts_at") WHERE "usage_rollup"."slice" = 'user';--> statement-breakpoint
CREATE INDEX "usage_settlement_batch" ON "usage_settlement" USING btree ("batch_id");