CREATE TABLE "user_profile" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_profile_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"gateway_user_id" bigint NOT NULL,
	"email" text NOT NULL,
	"password_hash" text,
	"display_name" text,
	"user_type" text DEFAULT 'personal' NOT NULL,
	"status" text DEFAULT 'email_pending' NOT NULL,
	"email_verified_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_profile_gateway_user_id_unique" UNIQUE("gateway_user_id")
);
--> statement-breakpoint
CREATE TABLE "api_key" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "api_key_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"gateway_user_id" bigint NOT NULL,
	"key_hash" "bytea" NOT NULL,
	"key_prefix" text NOT NULL,
	"key_last_four" text NOT NULL,
	"name" text NOT NULL,
	"group_name" text,
	"status" text DEFAULT 'active' NOT NULL,
	"expires_at" timestamp with time zone,
	"rotated_from_id" bigint,
	"allowed_models" text[],
	"allowed_ips" text[],
	"requests_per_minute" integer,
	"tokens_per_minute" integer,
	"concurrency_max" integer,
	"is_payload_traced" boolean DEFAULT true NOT NULL,
	"first_used_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_key_key_hash_unique" UNIQUE("key_hash")
);
--> statement-breakpoint
CREATE TABLE "budget" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "budget_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"gateway_user_id" bigint,
	"api_key_id" bigint,
	"granted" bigint DEFAULT 0 NOT NULL,
	"used" bigint DEFAULT 0 NOT NULL,
	"period_base" bigint DEFAULT 0 NOT NULL,
	"leased" bigint DEFAULT 0 NOT NULL,
	"reserved" bigint DEFAULT 0 NOT NULL,
	"period" text DEFAULT 'none' NOT NULL,
	"period_ends_at" timestamp with time zone,
	"recall_sequence" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "budget_gateway_user_id_unique" UNIQUE("gateway_user_id"),
	CONSTRAINT "budget_api_key_id_unique" UNIQUE("api_key_id")
);
--> statement-breakpoint
CREATE TABLE "gateway_user" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gateway_user_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"group_name" text DEFAULT 'default' NOT NULL,
	"status" text DEFAULT 'enabled' NOT NULL,
	"rate_multiplier" numeric(10, 4) DEFAULT '1.0000' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "quota_grant" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "quota_grant_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"budget_id" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"change_type" text NOT NULL,
	"reference" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "quota_grant_reference_unique" UNIQUE("reference")
);
--> statement-breakpoint
CREATE TABLE "ability" (
	"group_name" text NOT NULL,
	"model" text NOT NULL,
	"channel_id" bigint NOT NULL,
	"is_enabled" boolean DEFAULT true NOT NULL,
	"priority" integer DEFAULT 0 NOT NULL,
	"weight" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ability_group_name_model_channel_id_pk" PRIMARY KEY("group_name","model","channel_id")
);
--> statement-breakpoint
CREATE TABLE "channel" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "channel_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"kind" text DEFAULT 'chat_completions' NOT NULL,
	"base_url" text NOT NULL,
	"credential_sealed" "bytea",
	"status" text DEFAULT 'enabled' NOT NULL,
	"requests_per_minute" integer,
	"concurrency_max" integer,
	"first_byte_timeout_ms" integer,
	"idle_timeout_ms" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "channel_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "model" (
	"name" text PRIMARY KEY NOT NULL,
	"display_name" text NOT NULL,
	"owned_by" text NOT NULL,
	"context_tokens_max" integer NOT NULL,
	"output_tokens_max" integer NOT NULL,
	"image_tokens_max" integer DEFAULT 0 NOT NULL,
	"status" text DEFAULT 'enabled' NOT NULL,
	"deprecated_at" timestamp with time zone,
	"sunset_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "model_price" (
	"model" text NOT NULL,
	"version" integer NOT NULL,
	"valid_from" timestamp with time zone NOT NULL,
	"input_usd_per_m" numeric(20, 8) NOT NULL,
	"output_usd_per_m" numeric(20, 8) NOT NULL,
	"cache_read_usd_per_m" numeric(20, 8),
	"cache_write_usd_per_m" numeric(20, 8),
	"reasoning_usd_per_m" numeric(20, 8),
	"request_usd" numeric(20, 8) DEFAULT '0' NOT NULL,
	"image_usd" numeric(20, 8) DEFAULT '0' NOT NULL,
	"second_usd" numeric(20, 8) DEFAULT '0' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "model_price_model_version_pk" PRIMARY KEY("model","version")
);
--> statement-breakpoint
CREATE TABLE "budget_lease" (
	"budget_id" bigint NOT NULL,
	"replica_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"recall_seen" bigint DEFAULT 0 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "budget_lease_budget_id_replica_id_pk" PRIMARY KEY("budget_id","replica_id")
);
--> statement-breakpoint
CREATE TABLE "replica" (
	"id" text PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_log" (
	"day" date NOT NULL,
	"request_id" uuid NOT NULL,
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"gateway_user_id" bigint NOT NULL,
	"api_key_id" bigint NOT NULL,
	"user_budget_id" bigint NOT NULL,
	"key_budget_id" bigint,
	"group_name" text NOT NULL,
	"path" text NOT NULL,
	"model" text,
	"channel_id" bigint,
	"outcome" text NOT NULL,
	"http_status" integer NOT NULL,
	"error_code" text,
	"is_stream" boolean NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"cache_read_tokens" bigint NOT NULL,
	"cache_write_tokens" bigint NOT NULL,
	"reasoning_tokens" bigint NOT NULL,
	"images" integer NOT NULL,
	"audio_ms" bigint NOT NULL,
	"usage_source" text NOT NULL,
	"price_version" integer,
	"rate_multiplier" numeric(10, 4) NOT NULL,
	"quota" bigint NOT NULL,
	"quota_held" bigint NOT NULL,
	"attempts" jsonb NOT NULL,
	"first_byte_ms" integer,
	"duration_ms" integer NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	CONSTRAINT "usage_log_day_request_id_pk" PRIMARY KEY("day","request_id")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
CREATE TABLE "payload_day_key" (
	"day" date PRIMARY KEY NOT NULL,
	"key_id" text NOT NULL,
	"wrapped" "bytea",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"destroyed_at" timestamp with time zone,
	CONSTRAINT "payload_day_key_key_id_unique" UNIQUE("key_id")
);
--> statement-breakpoint
CREATE TABLE "payload_record" (
	"day" date NOT NULL,
	"request_id" uuid NOT NULL,
	"gateway_user_id" bigint NOT NULL,
	"key_id" text NOT NULL,
	"sealed" "bytea" NOT NULL,
	"request_bytes" bigint NOT NULL,
	"response_bytes" bigint NOT NULL,
	"is_request_truncated" boolean NOT NULL,
	"is_response_truncated" boolean NOT NULL,
	CONSTRAINT "payload_record_day_request_id_pk" PRIMARY KEY("day","request_id")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
CREATE TABLE "trace_record" (
	"day" date NOT NULL,
	"request_id" uuid NOT NULL,
	"user_id" bigint,
	"gateway_user_id" bigint,
	"api_key_id" bigint,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"model" text,
	"status" text NOT NULL,
	"error_code" text,
	"http_status" integer NOT NULL,
	"is_stream" boolean NOT NULL,
	"input_tokens" bigint,
	"output_tokens" bigint,
	"first_token_ms" integer,
	"duration_ms" integer NOT NULL,
	"client_ip" text NOT NULL,
	"user_agent" text NOT NULL,
	"payload" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	CONSTRAINT "trace_record_day_request_id_pk" PRIMARY KEY("day","request_id")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
ALTER TABLE "user_profile" ADD CONSTRAINT "user_profile_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budget" ADD CONSTRAINT "budget_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budget" ADD CONSTRAINT "budget_api_key_id_api_key_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_key"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quota_grant" ADD CONSTRAINT "quota_grant_budget_id_budget_id_fk" FOREIGN KEY ("budget_id") REFERENCES "public"."budget"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ability" ADD CONSTRAINT "ability_channel_id_channel_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channel"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_price" ADD CONSTRAINT "model_price_model_model_name_fk" FOREIGN KEY ("model") REFERENCES "public"."model"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budget_lease" ADD CONSTRAINT "budget_lease_budget_id_budget_id_fk" FOREIGN KEY ("budget_id") REFERENCES "public"."budget"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budget_lease" ADD CONSTRAINT "budget_lease_replica_id_replica_id_fk" FOREIGN KEY ("replica_id") REFERENCES "public"."replica"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "user_profile_email" ON "user_profile" USING btree (lower("email"));
--> statement-breakpoint
ALTER TABLE "gateway_user" ADD CONSTRAINT "gateway_user_status" CHECK ("status" IN ('enabled', 'disabled'));
--> statement-breakpoint
ALTER TABLE "gateway_user" ADD CONSTRAINT "gateway_user_multiplier" CHECK ("rate_multiplier" > 0 AND "rate_multiplier" <= 100000);
--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_status" CHECK ("status" IN ('active', 'disabled', 'revoked'));
--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_hash_length" CHECK (octet_length("key_hash") = 32);
--> statement-breakpoint
ALTER TABLE "budget" ADD CONSTRAINT "budget_owner" CHECK (num_nonnulls("gateway_user_id", "api_key_id") = 1);
--> statement-breakpoint
ALTER TABLE "budget" ADD CONSTRAINT "budget_amounts" CHECK ("used" >= 0 AND "period_base" >= 0 AND "period_base" <= "used" AND "leased" >= 0 AND "reserved" >= 0);
--> statement-breakpoint
ALTER TABLE "budget" ADD CONSTRAINT "budget_period" CHECK (("period" = 'none') = ("period_ends_at" IS NULL) AND "period" IN ('none', 'daily', 'weekly', 'monthly'));
--> statement-breakpoint
ALTER TABLE "budget_lease" ADD CONSTRAINT "budget_lease_amount" CHECK ("amount" >= 0);
--> statement-breakpoint
ALTER TABLE "quota_grant" ADD CONSTRAINT "quota_grant_amount" CHECK ("amount" <> 0);
--> statement-breakpoint
ALTER TABLE "ability" ADD CONSTRAINT "ability_order" CHECK ("priority" >= 0 AND "weight" >= 0);
--> statement-breakpoint
ALTER TABLE "model_price" ADD CONSTRAINT "model_price_amounts" CHECK ("version" > 0 AND "input_usd_per_m" >= 0 AND "output_usd_per_m" >= 0 AND coalesce("cache_read_usd_per_m", 0) >= 0 AND coalesce("cache_write_usd_per_m", 0) >= 0 AND coalesce("reasoning_usd_per_m", 0) >= 0 AND "request_usd" >= 0 AND "image_usd" >= 0 AND "second_usd" >= 0);
--> statement-breakpoint
ALTER TABLE "usage_log" ADD CONSTRAINT "usage_log_amounts" CHECK ("quota" >= 0 AND "quota_held" >= 0 AND "input_tokens" >= 0 AND "output_tokens" >= 0);
--> statement-breakpoint
CREATE INDEX "api_key_user" ON "api_key" ("gateway_user_id");
--> statement-breakpoint
CREATE INDEX "quota_grant_budget" ON "quota_grant" ("budget_id", "id");
--> statement-breakpoint
CREATE INDEX "budget_lease_replica" ON "budget_lease" ("replica_id");
--> statement-breakpoint
CREATE INDEX "usage_log_cursor" ON "usage_log" ("xid", "request_id");
--> statement-breakpoint
CREATE INDEX "usage_log_user" ON "usage_log" ("gateway_user_id", "request_id");
--> statement-breakpoint
CREATE INDEX "trace_record_user" ON "trace_record" ("gateway_user_id", "request_id");
