CREATE TABLE "account_token" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "account_token_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint,
	"purpose" text NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"admin_id" bigint,
	CONSTRAINT "account_token_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "account_token_is_of_one" CHECK (num_nonnulls("account_token"."user_id", "account_token"."admin_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "attempt_counter" (
	"key" text PRIMARY KEY NOT NULL,
	"count" bigint NOT NULL,
	"window_ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recovery_code" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "recovery_code_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint,
	"admin_id" bigint,
	"code_hash" "bytea" NOT NULL,
	"used_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "recovery_code_code_hash_unique" UNIQUE("code_hash"),
	CONSTRAINT "recovery_code_is_of_one" CHECK (num_nonnulls("recovery_code"."user_id", "recovery_code"."admin_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "session" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "session_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"token_hash" "bytea" NOT NULL,
	"user_id" bigint,
	"admin_id" bigint,
	"ip" text NOT NULL,
	"user_agent" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "session_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "session_is_of_one" CHECK (num_nonnulls("session"."user_id", "session"."admin_id") = 1)
);
--> statement-breakpoint
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
	"verification_email_sent_at" timestamp with time zone,
	"verification_email_error" text,
	"locale" text DEFAULT 'en' NOT NULL,
	"totp_sealed" "bytea",
	"totp_enabled_at" timestamp with time zone,
	"totp_last_step" bigint,
	CONSTRAINT "user_profile_gateway_user_id_unique" UNIQUE("gateway_user_id")
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" bigint,
	"actor_name" text NOT NULL,
	"action" text NOT NULL,
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"reason" text,
	"request_id" text,
	"ip" text
);
--> statement-breakpoint
CREATE TABLE "shared_admin_credentials" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "shared_admin_credentials_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"username" text NOT NULL,
	"email" text,
	"mobile" text,
	"password_hash" text NOT NULL,
	"agent" integer DEFAULT 0 NOT NULL,
	"totp_sealed" "bytea",
	"totp_enabled_at" timestamp with time zone,
	"totp_last_step" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "support_profile" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "support_profile_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"admin_id" bigint NOT NULL,
	"display_name" text NOT NULL,
	"last_login_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "support_profile_admin_id_unique" UNIQUE("admin_id")
);
--> statement-breakpoint
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
CREATE TABLE "admin_allowance" (
	"admin_id" bigint NOT NULL,
	"day" date NOT NULL,
	"kind" text NOT NULL,
	"quota" bigint NOT NULL,
	CONSTRAINT "admin_allowance_admin_id_day_kind_pk" PRIMARY KEY("admin_id","day","kind"),
	CONSTRAINT "admin_allowance_quota" CHECK ("admin_allowance"."quota" >= 0)
);
--> statement-breakpoint
CREATE TABLE "approval" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "approval_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"input" jsonb NOT NULL,
	"reason" text NOT NULL,
	"effects" jsonb NOT NULL,
	"requested_by" bigint NOT NULL,
	"requested_by_name" text NOT NULL,
	"request_id" text NOT NULL,
	"ip" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"decided_by" bigint,
	"decided_by_name" text,
	"decided_at" timestamp with time zone,
	"decision_reason" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"sealed" "bytea",
	CONSTRAINT "approval_sealed" CHECK ("approval"."status" = 'pending' or "approval"."sealed" is null),
	CONSTRAINT "approval_two_people" CHECK ("approval"."status" <> 'approved' or "approval"."decided_by" <> "approval"."requested_by"),
	CONSTRAINT "approval_decided" CHECK (("approval"."status" in ('approved', 'rejected')) = ("approval"."decided_by" is not null and "approval"."decided_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "gateway_event" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gateway_event_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"gateway" text NOT NULL,
	"account" text NOT NULL,
	"event_id" text NOT NULL,
	"kind" text NOT NULL,
	"body_hash" "bytea" NOT NULL,
	"order_no" text,
	"result" text NOT NULL,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	"facts" jsonb,
	"tries" integer DEFAULT 1 NOT NULL,
	"tried_at" timestamp with time zone,
	"last_error" text,
	CONSTRAINT "gateway_event_id" UNIQUE("gateway","account","event_id")
);
--> statement-breakpoint
CREATE TABLE "payment" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "payment_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"order_id" bigint NOT NULL,
	"gateway" text NOT NULL,
	"account" text NOT NULL,
	"transaction_id" text NOT NULL,
	"amount_usd" numeric(14, 2) NOT NULL,
	"currency" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_order_id_unique" UNIQUE("order_id"),
	CONSTRAINT "payment_transaction" UNIQUE("gateway","transaction_id")
);
--> statement-breakpoint
CREATE TABLE "plan" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "plan_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"plan_code" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"price_usd" numeric(14, 2) NOT NULL,
	"quota" bigint NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"features" jsonb NOT NULL,
	"sort_order" integer DEFAULT 0 NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "plan_plan_code_unique" UNIQUE("plan_code")
);
--> statement-breakpoint
CREATE TABLE "refund" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "refund_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"refund_no" text NOT NULL,
	"order_id" bigint NOT NULL,
	"amount_usd" numeric(14, 2) NOT NULL,
	"quota" bigint NOT NULL,
	"status" text NOT NULL,
	"reason" text NOT NULL,
	"gateway_refund_id" text,
	"error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"asks" integer DEFAULT 0 NOT NULL,
	"asking_until" timestamp with time zone,
	CONSTRAINT "refund_refund_no_unique" UNIQUE("refund_no"),
	CONSTRAINT "refund_amount" CHECK ("refund"."amount_usd" > 0)
);
--> statement-breakpoint
CREATE TABLE "review_payment" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "review_payment_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"order_id" bigint NOT NULL,
	"gateway" text NOT NULL,
	"account" text NOT NULL,
	"transaction_id" text NOT NULL,
	"amount_usd" numeric(14, 2) NOT NULL,
	"currency" text NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "review_payment_once" UNIQUE("order_id","gateway","transaction_id")
);
--> statement-breakpoint
CREATE TABLE "sales_order" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "sales_order_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"order_no" text NOT NULL,
	"plan_code" text NOT NULL,
	"plan_name" text NOT NULL,
	"plan_kind" text NOT NULL,
	"quota" bigint NOT NULL,
	"amount_usd" numeric(14, 2) NOT NULL,
	"currency" text DEFAULT 'USD' NOT NULL,
	"user_id" bigint,
	"email" text,
	"pay_channel" text DEFAULT 'none' NOT NULL,
	"sender" text,
	"vendor" text,
	"status" text DEFAULT 'pending' NOT NULL,
	"is_paid_late" boolean DEFAULT false NOT NULL,
	"is_mock" boolean DEFAULT false NOT NULL,
	"review_reason" text,
	"claim_code_hash" "bytea",
	"idempotency_key" text,
	"gateway_reference" text,
	"expires_at" timestamp with time zone NOT NULL,
	"settled_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"visitor_id" text,
	"checkout_url" text,
	"opening_until" timestamp with time zone,
	"resolution" text,
	"credited_at" timestamp with time zone,
	"owner_email" text,
	"campaign_counted_at" timestamp with time zone,
	CONSTRAINT "sales_order_order_no_unique" UNIQUE("order_no"),
	CONSTRAINT "sales_order_amount" CHECK ("sales_order"."amount_usd" >= 0 and "sales_order"."quota" >= 0)
);
--> statement-breakpoint
CREATE TABLE "subscription" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "subscription_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"plan_code" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"period_start" timestamp with time zone NOT NULL,
	"period_end" timestamp with time zone NOT NULL,
	"quota_granted" bigint NOT NULL,
	"period" integer DEFAULT 1 NOT NULL,
	"is_cancelled_at_end" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"quota_left" bigint DEFAULT 0 NOT NULL,
	"counted_to" bigint DEFAULT 0 NOT NULL,
	"months" integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "subscription_change" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "subscription_change_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"reference" text NOT NULL,
	"subscription_id" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"months" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subscription_change_reference_unique" UNIQUE("reference")
);
--> statement-breakpoint
CREATE TABLE "exit_node" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "exit_node_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"node_code" text NOT NULL,
	"name" text NOT NULL,
	"region" text DEFAULT '' NOT NULL,
	"host" text NOT NULL,
	"ip" text NOT NULL,
	"relay_url" text,
	"relay_key_secret" text NOT NULL,
	"status" text DEFAULT 'testing' NOT NULL,
	"weight" integer DEFAULT 1 NOT NULL,
	"callback_base_url" text,
	"oauth_redirect_path" text,
	"source_node_id" bigint,
	"version" integer DEFAULT 1 NOT NULL,
	"dns_checked_at" timestamp with time zone,
	"dns_matched" boolean,
	"dns_addresses" jsonb,
	"dns_failure" text,
	"health_checked_at" timestamp with time zone,
	"health_ok" boolean,
	"health_http_status" integer,
	"health_latency_ms" integer,
	"health_failure" text,
	"health_details" jsonb,
	"proven_at" timestamp with time zone,
	"is_serving" boolean DEFAULT false NOT NULL,
	"success_streak" integer DEFAULT 0 NOT NULL,
	"failure_streak" integer DEFAULT 0 NOT NULL,
	"switch_streak" integer DEFAULT 0 NOT NULL,
	"switch_streak_at" timestamp with time zone,
	"switched_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "exit_node_node_code_unique" UNIQUE("node_code"),
	CONSTRAINT "exit_node_weight" CHECK ("exit_node"."weight" between 0 and 1000),
	CONSTRAINT "exit_node_serves_only_proven" CHECK ("exit_node"."proven_at" is not null or not "exit_node"."is_serving")
);
--> statement-breakpoint
CREATE TABLE "exit_node_route" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "exit_node_route_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"route_code" text NOT NULL,
	"gateway_user_id" bigint NOT NULL,
	"provider" text NOT NULL,
	"model_pattern" text NOT NULL,
	"exit_node_id" bigint,
	"status" text DEFAULT 'testing' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "exit_node_route_route_code_unique" UNIQUE("route_code"),
	CONSTRAINT "exit_node_route_pattern" CHECK ("exit_node_route"."model_pattern" ~ '^[A-Za-z0-9._:/*-]{1,100}$')
);
--> statement-breakpoint
CREATE TABLE "exit_node_traffic" (
	"exit_node_id" bigint NOT NULL,
	"replica_id" text NOT NULL,
	"calls" bigint DEFAULT 0 NOT NULL,
	"failures" bigint DEFAULT 0 NOT NULL,
	"last_failure" text,
	"last_failure_at" timestamp with time zone,
	"circuit_opened_at" timestamp with time zone,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "exit_node_traffic_exit_node_id_replica_id_pk" PRIMARY KEY("exit_node_id","replica_id")
);
--> statement-breakpoint
CREATE TABLE "exit_provider_account" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "exit_provider_account_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_code" text NOT NULL,
	"exit_node_id" bigint NOT NULL,
	"provider" text NOT NULL,
	"auth_type" text NOT NULL,
	"status" text NOT NULL,
	"node_account" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "exit_provider_account_account_code_unique" UNIQUE("account_code"),
	CONSTRAINT "exit_provider_account_refresh_token_waits" CHECK ("exit_provider_account"."auth_type" <> 'oauth_refresh_token' or "exit_provider_account"."status" in ('standby', 'disabled'))
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
	"limit_key_id" bigint,
	"idempotency_key" text,
	"idempotency_digest" "bytea",
	CONSTRAINT "api_key_key_hash_unique" UNIQUE("key_hash")
);
--> statement-breakpoint
CREATE TABLE "api_key_use" (
	"api_key_id" bigint PRIMARY KEY NOT NULL,
	"last_used_at" timestamp with time zone NOT NULL
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
	"is_enforced" boolean DEFAULT true NOT NULL,
	"written_off" bigint DEFAULT 0 NOT NULL,
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
	"is_exit_node" boolean DEFAULT false NOT NULL,
	CONSTRAINT "ability_group_name_model_channel_id_pk" PRIMARY KEY("group_name","model","channel_id"),
	CONSTRAINT "ability_exit_node_group" CHECK (not "ability"."is_exit_node" or "ability"."group_name" = 'node-test')
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
	"exit_node_code" text,
	"is_exit_node" boolean GENERATED ALWAYS AS (exit_node_code is not null) STORED,
	"pinned_address" text,
	"pass_through_paths" text[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "channel_name_unique" UNIQUE("name"),
	CONSTRAINT "channel_exit_node_code_unique" UNIQUE("exit_node_code"),
	CONSTRAINT "channel_id_is_exit_node" UNIQUE("id","is_exit_node"),
	CONSTRAINT "channel_exit_node_is_pinned" CHECK ("channel"."exit_node_code" is null or "channel"."pinned_address" is not null)
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
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"kind" text DEFAULT 'chat' NOT NULL
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
	"last_statement" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "budget_lease_budget_id_replica_id_pk" PRIMARY KEY("budget_id","replica_id"),
	CONSTRAINT "budget_lease_is_not_negative" CHECK ("budget_lease"."amount" >= 0)
);
--> statement-breakpoint
CREATE TABLE "replica" (
	"id" text PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"term_ends_at" timestamp with time zone,
	"era" uuid DEFAULT gen_random_uuid() NOT NULL,
	"given_up_at" timestamp with time zone
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
	"is_implausible" boolean DEFAULT false NOT NULL,
	CONSTRAINT "usage_log_day_request_id_pk" PRIMARY KEY("day","request_id")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
CREATE TABLE "usage_quarantine" (
	"replica_id" text PRIMARY KEY NOT NULL,
	"row_count" integer NOT NULL,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger_account" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ledger_account_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"code" text NOT NULL,
	"gateway_user_id" bigint,
	"balance" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_account_code_unique" UNIQUE("code"),
	CONSTRAINT "ledger_account_gateway_user_id_unique" UNIQUE("gateway_user_id")
);
--> statement-breakpoint
CREATE TABLE "ledger_entry" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ledger_entry_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"posting_id" bigint NOT NULL,
	"account_id" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"balance_after" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"usage_request_id" uuid,
	"delta_amount" bigint,
	CONSTRAINT "ledger_entry_is_not_zero" CHECK ("ledger_entry"."amount" <> 0)
);
--> statement-breakpoint
CREATE TABLE "ledger_posting" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ledger_posting_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"change_type" text NOT NULL,
	"reference" text NOT NULL,
	"note" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_posting_reference" UNIQUE("change_type","reference")
);
--> statement-breakpoint
CREATE TABLE "mail_inbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "mail_inbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"mail_id" bigint NOT NULL,
	"template" text NOT NULL,
	"subject" text NOT NULL,
	"read_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mail_inbox_mail_id_unique" UNIQUE("mail_id")
);
--> statement-breakpoint
CREATE TABLE "mail_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "mail_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"dedupe_key" text NOT NULL,
	"template" text NOT NULL,
	"locale" text NOT NULL,
	"user_id" bigint,
	"to_address" text NOT NULL,
	"variables_sealed" "bytea",
	"source" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_until" timestamp with time zone,
	"expires_at" timestamp with time zone,
	"subject" text,
	"provider_id" text,
	"last_error" text,
	"sent_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"faults" integer DEFAULT 0 NOT NULL,
	"failed_at" timestamp with time zone,
	CONSTRAINT "mail_log_dedupe_key_unique" UNIQUE("dedupe_key")
);
--> statement-breakpoint
CREATE TABLE "mail_template" (
	"name" text NOT NULL,
	"locale" text NOT NULL,
	"subject" text NOT NULL,
	"html" text NOT NULL,
	"text" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mail_template_name_locale_pk" PRIMARY KEY("name","locale")
);
--> statement-breakpoint
CREATE TABLE "messages_model" (
	"name" text PRIMARY KEY NOT NULL,
	"display_name" text NOT NULL,
	"upstream_model" text NOT NULL,
	"flags" jsonb NOT NULL,
	"is_enabled" boolean DEFAULT true NOT NULL,
	"released_at" timestamp with time zone NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "secret" (
	"name" text PRIMARY KEY NOT NULL,
	"sealed" "bytea" NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "setting" (
	"name" text PRIMARY KEY NOT NULL,
	"value" jsonb,
	"version" integer DEFAULT 1 NOT NULL,
	"updated_by" bigint,
	"updated_by_name" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payload_access" (
	"number" bigint PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"admin_id" bigint NOT NULL,
	"admin_name" text NOT NULL,
	"day" date NOT NULL,
	"request_id" uuid NOT NULL,
	"gateway_user_id" bigint NOT NULL,
	"reason" text NOT NULL,
	"ip" text NOT NULL,
	"asked_by" text NOT NULL,
	"previous_hash" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payload_access_head" (
	"id" integer PRIMARY KEY NOT NULL,
	"number" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "payload_access_head_is_one" CHECK ("payload_access_head"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "payload_day_count" (
	"day" date PRIMARY KEY NOT NULL,
	"payloads" bigint NOT NULL,
	"counted_at" timestamp with time zone NOT NULL
);
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
	"segment_id" uuid NOT NULL,
	"byte_offset" integer NOT NULL,
	"byte_length" integer NOT NULL,
	"request_bytes" bigint NOT NULL,
	"response_bytes" bigint NOT NULL,
	"is_request_truncated" boolean NOT NULL,
	"is_response_truncated" boolean NOT NULL,
	CONSTRAINT "payload_record_day_request_id_pk" PRIMARY KEY("day","request_id")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
CREATE TABLE "payload_segment" (
	"day" date NOT NULL,
	"segment_id" uuid NOT NULL,
	"key_id" text NOT NULL,
	"sealed" "bytea" NOT NULL,
	CONSTRAINT "payload_segment_day_segment_id_pk" PRIMARY KEY("day","segment_id")
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
CREATE TABLE "usage_active" (
	"from_at" timestamp with time zone NOT NULL,
	"to_at" timestamp with time zone NOT NULL,
	"active" bigint NOT NULL,
	"repeat" bigint NOT NULL,
	"version" bigint NOT NULL,
	"counted_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "usage_active_from_at_to_at_pk" PRIMARY KEY("from_at","to_at")
);
--> statement-breakpoint
CREATE TABLE "usage_change" (
	"starts_at" timestamp with time zone PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL
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
	"caught_up_at" timestamp with time zone,
	"version" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_user" (
	"gateway_user_id" bigint PRIMARY KEY NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "settlement_batch" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "settlement_batch_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"rows" integer NOT NULL,
	"base_quota" bigint NOT NULL,
	"settled_quota" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deltas" integer
);
--> statement-breakpoint
CREATE TABLE "settlement_checkpoint" (
	"source" text PRIMARY KEY NOT NULL,
	"xid" "xid8" NOT NULL,
	"request_id" uuid NOT NULL,
	"system_identifier" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"reconcile_day" date,
	"reconcile_request_id" uuid
);
--> statement-breakpoint
CREATE TABLE "settlement_quarantine" (
	"day" date NOT NULL,
	"request_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "settlement_quarantine_day_request_id_pk" PRIMARY KEY("day","request_id")
);
--> statement-breakpoint
CREATE TABLE "usage_settlement" (
	"day" date NOT NULL,
	"request_id" uuid NOT NULL,
	"batch_id" bigint NOT NULL,
	"gateway_user_id" bigint NOT NULL,
	"base_quota" bigint NOT NULL,
	"rate_multiplier" numeric(10, 4) NOT NULL,
	"settled_quota" bigint NOT NULL,
	"quota_delta" bigint NOT NULL,
	CONSTRAINT "usage_settlement_day_request_id_pk" PRIMARY KEY("day","request_id")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
ALTER TABLE "account_token" ADD CONSTRAINT "account_token_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account_token" ADD CONSTRAINT "account_token_admin_id_shared_admin_credentials_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."shared_admin_credentials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_admin_id_shared_admin_credentials_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."shared_admin_credentials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session" ADD CONSTRAINT "session_admin_id_shared_admin_credentials_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."shared_admin_credentials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_profile" ADD CONSTRAINT "user_profile_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "support_profile" ADD CONSTRAINT "support_profile_admin_id_shared_admin_credentials_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."shared_admin_credentials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaign_event" ADD CONSTRAINT "campaign_event_order_id_sales_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."sales_order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approval" ADD CONSTRAINT "approval_requested_by_shared_admin_credentials_id_fk" FOREIGN KEY ("requested_by") REFERENCES "public"."shared_admin_credentials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approval" ADD CONSTRAINT "approval_decided_by_shared_admin_credentials_id_fk" FOREIGN KEY ("decided_by") REFERENCES "public"."shared_admin_credentials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment" ADD CONSTRAINT "payment_order_id_sales_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."sales_order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refund" ADD CONSTRAINT "refund_order_id_sales_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."sales_order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_payment" ADD CONSTRAINT "review_payment_order_id_sales_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."sales_order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sales_order" ADD CONSTRAINT "sales_order_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscription_change" ADD CONSTRAINT "subscription_change_subscription_id_subscription_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscription"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "exit_node" ADD CONSTRAINT "exit_node_source_node_id_exit_node_id_fk" FOREIGN KEY ("source_node_id") REFERENCES "public"."exit_node"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "exit_node_route" ADD CONSTRAINT "exit_node_route_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "exit_node_route" ADD CONSTRAINT "exit_node_route_exit_node_id_exit_node_id_fk" FOREIGN KEY ("exit_node_id") REFERENCES "public"."exit_node"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "exit_node_traffic" ADD CONSTRAINT "exit_node_traffic_exit_node_id_exit_node_id_fk" FOREIGN KEY ("exit_node_id") REFERENCES "public"."exit_node"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "exit_provider_account" ADD CONSTRAINT "exit_provider_account_exit_node_id_exit_node_id_fk" FOREIGN KEY ("exit_node_id") REFERENCES "public"."exit_node"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_limit_key_id_api_key_id_fk" FOREIGN KEY ("limit_key_id") REFERENCES "public"."api_key"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_key_use" ADD CONSTRAINT "api_key_use_api_key_id_api_key_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_key"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budget" ADD CONSTRAINT "budget_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budget" ADD CONSTRAINT "budget_api_key_id_api_key_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_key"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quota_grant" ADD CONSTRAINT "quota_grant_budget_id_budget_id_fk" FOREIGN KEY ("budget_id") REFERENCES "public"."budget"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ability" ADD CONSTRAINT "ability_channel_id_channel_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channel"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ability" ADD CONSTRAINT "ability_says_what_its_channel_is" FOREIGN KEY ("channel_id","is_exit_node") REFERENCES "public"."channel"("id","is_exit_node") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel" ADD CONSTRAINT "channel_exit_node_code_exit_node_node_code_fk" FOREIGN KEY ("exit_node_code") REFERENCES "public"."exit_node"("node_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_price" ADD CONSTRAINT "model_price_model_model_name_fk" FOREIGN KEY ("model") REFERENCES "public"."model"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budget_lease" ADD CONSTRAINT "budget_lease_budget_id_budget_id_fk" FOREIGN KEY ("budget_id") REFERENCES "public"."budget"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budget_lease" ADD CONSTRAINT "budget_lease_replica_id_replica_id_fk" FOREIGN KEY ("replica_id") REFERENCES "public"."replica"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_account" ADD CONSTRAINT "ledger_account_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entry" ADD CONSTRAINT "ledger_entry_posting_id_ledger_posting_id_fk" FOREIGN KEY ("posting_id") REFERENCES "public"."ledger_posting"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entry" ADD CONSTRAINT "ledger_entry_account_id_ledger_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."ledger_account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_inbox" ADD CONSTRAINT "mail_inbox_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_inbox" ADD CONSTRAINT "mail_inbox_mail_id_mail_log_id_fk" FOREIGN KEY ("mail_id") REFERENCES "public"."mail_log"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_log" ADD CONSTRAINT "mail_log_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_cost" ADD CONSTRAINT "channel_cost_channel_id_channel_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channel"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_cost" ADD CONSTRAINT "channel_cost_model_model_name_fk" FOREIGN KEY ("model") REFERENCES "public"."model"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_token_user" ON "account_token" USING btree ("user_id","purpose");--> statement-breakpoint
CREATE INDEX "account_token_admin" ON "account_token" USING btree ("admin_id");--> statement-breakpoint
CREATE INDEX "attempt_counter_end" ON "attempt_counter" USING btree ("window_ends_at");--> statement-breakpoint
CREATE INDEX "recovery_code_user" ON "recovery_code" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "recovery_code_admin" ON "recovery_code" USING btree ("admin_id");--> statement-breakpoint
CREATE INDEX "session_user" ON "session" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "session_admin" ON "session" USING btree ("admin_id");--> statement-breakpoint
CREATE UNIQUE INDEX "user_profile_email" ON "user_profile" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "user_profile_email_start" ON "user_profile" USING btree (lower("email") text_pattern_ops);--> statement-breakpoint
CREATE INDEX "user_profile_created" ON "user_profile" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "user_profile_status" ON "user_profile" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_log_at" ON "audit_log" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_log_subject" ON "audit_log" USING btree ("subject_kind","subject_id");--> statement-breakpoint
CREATE INDEX "audit_log_user" ON "audit_log" USING btree ("actor_id","at","id") WHERE "audit_log"."actor_kind" = 'user';--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "audit_log" USING btree ("actor_name","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_actor_kind" ON "audit_log" USING btree ("actor_kind","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_action" ON "audit_log" USING btree ("action","at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "shared_admin_credentials_username" ON "shared_admin_credentials" USING btree (lower("username"));--> statement-breakpoint
CREATE UNIQUE INDEX "shared_admin_credentials_email" ON "shared_admin_credentials" USING btree (lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX "shared_admin_credentials_mobile" ON "shared_admin_credentials" USING btree ("mobile");--> statement-breakpoint
CREATE INDEX "campaign_event_at" ON "campaign_event" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "campaign_event_visitor" ON "campaign_event" USING btree ("visitor_id","id") WHERE "campaign_event"."visitor_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "campaign_event_payment" ON "campaign_event" USING btree ("order_id","kind") WHERE "campaign_event"."order_id" is not null;--> statement-breakpoint
CREATE INDEX "enterprise_lead_status" ON "enterprise_lead" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "enterprise_lead_at" ON "enterprise_lead" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "enterprise_lead_email" ON "enterprise_lead" USING btree (lower("email"),"created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "approval_waiting" ON "approval" USING btree ("kind","idempotency_key") WHERE "approval"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "approval_pending" ON "approval" USING btree ("expires_at") WHERE "approval"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "gateway_event_by_received" ON "gateway_event" USING btree ("received_at","id");--> statement-breakpoint
CREATE INDEX "gateway_event_by_order" ON "gateway_event" USING btree ("order_no");--> statement-breakpoint
CREATE INDEX "payment_created" ON "payment" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "payment_by_amount" ON "payment" USING btree ("amount_usd","id");--> statement-breakpoint
CREATE INDEX "payment_gateway" ON "payment" USING btree ("gateway","created_at","id");--> statement-breakpoint
CREATE INDEX "payment_account" ON "payment" USING btree ("account","created_at","id");--> statement-breakpoint
CREATE INDEX "refund_order" ON "refund" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "refund_created" ON "refund" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "refund_status" ON "refund" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "refund_done" ON "refund" USING btree ("updated_at") WHERE "refund"."status" = 'done';--> statement-breakpoint
CREATE UNIQUE INDEX "sales_order_idempotency" ON "sales_order" USING btree (coalesce("user_id", 0),"idempotency_key");--> statement-breakpoint
CREATE INDEX "sales_order_user" ON "sales_order" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "sales_order_open" ON "sales_order" USING btree ("expires_at") WHERE "sales_order"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "sales_order_email" ON "sales_order" USING btree (lower("email")) WHERE "sales_order"."user_id" is null;--> statement-breakpoint
CREATE INDEX "sales_order_created" ON "sales_order" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "sales_order_status" ON "sales_order" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "sales_order_by_amount" ON "sales_order" USING btree ("amount_usd","id");--> statement-breakpoint
CREATE INDEX "sales_order_plan" ON "sales_order" USING btree ("plan_code","created_at","id");--> statement-breakpoint
CREATE INDEX "sales_order_channel" ON "sales_order" USING btree ("pay_channel","created_at","id");--> statement-breakpoint
CREATE INDEX "sales_order_late" ON "sales_order" USING btree ("created_at","id") WHERE "sales_order"."is_paid_late";--> statement-breakpoint
CREATE INDEX "sales_order_uncredited" ON "sales_order" USING btree ("created_at","id") WHERE "sales_order"."credited_at" is null and "sales_order"."settled_at" is not null;--> statement-breakpoint
CREATE INDEX "sales_order_uncounted" ON "sales_order" USING btree ("settled_at","id") WHERE "sales_order"."campaign_counted_at" is null and "sales_order"."settled_at" is not null;--> statement-breakpoint
CREATE INDEX "sales_order_owner_start" ON "sales_order" USING btree ("owner_email" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "sales_order_marked" ON "sales_order" USING btree ("created_at","id") WHERE "sales_order"."review_reason" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "subscription_active" ON "subscription" USING btree ("user_id","plan_code") WHERE "subscription"."status" = 'active';--> statement-breakpoint
CREATE INDEX "subscription_end" ON "subscription" USING btree ("period_end") WHERE "subscription"."status" <> 'expired';--> statement-breakpoint
CREATE INDEX "exit_node_route_user" ON "exit_node_route" USING btree ("gateway_user_id");--> statement-breakpoint
CREATE INDEX "exit_provider_account_node" ON "exit_provider_account" USING btree ("exit_node_id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_key_idempotency" ON "api_key" USING btree ("gateway_user_id","idempotency_key");--> statement-breakpoint
CREATE INDEX "api_key_created" ON "api_key" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "api_key_status" ON "api_key" USING btree ("status","created_at","id","expires_at");--> statement-breakpoint
CREATE INDEX "api_key_prefix_start" ON "api_key" USING btree ("key_prefix" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "api_key_limit_key" ON "api_key" USING btree ("limit_key_id") WHERE "api_key"."limit_key_id" is not null;--> statement-breakpoint
CREATE INDEX "api_key_rotated_from" ON "api_key" USING btree ("rotated_from_id") WHERE "api_key"."rotated_from_id" is not null;--> statement-breakpoint
CREATE INDEX "ability_channel" ON "ability" USING btree ("channel_id","group_name","model");--> statement-breakpoint
CREATE INDEX "ability_model" ON "ability" USING btree ("model","group_name","channel_id");--> statement-breakpoint
CREATE INDEX "ledger_entry_account" ON "ledger_entry" USING btree ("account_id","id") WHERE "ledger_entry"."usage_request_id" is null;--> statement-breakpoint
CREATE INDEX "ledger_entry_posting" ON "ledger_entry" USING btree ("posting_id");--> statement-breakpoint
CREATE INDEX "ledger_entry_created" ON "ledger_entry" USING btree ("created_at","id") WHERE "ledger_entry"."usage_request_id" is null;--> statement-breakpoint
CREATE INDEX "ledger_entry_account_created" ON "ledger_entry" USING btree ("account_id","created_at","id") WHERE "ledger_entry"."usage_request_id" is null;--> statement-breakpoint
CREATE INDEX "ledger_posting_type" ON "ledger_posting" USING btree ("change_type","id");--> statement-breakpoint
CREATE INDEX "mail_inbox_user" ON "mail_inbox" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "mail_log_due" ON "mail_log" USING btree ("next_attempt_at") WHERE "mail_log"."status" in ('queued', 'sending');--> statement-breakpoint
CREATE INDEX "mail_log_user" ON "mail_log" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "mail_log_created" ON "mail_log" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "mail_log_status" ON "mail_log" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "mail_log_address_start" ON "mail_log" USING btree (lower("to_address") text_pattern_ops,"to_address");--> statement-breakpoint
CREATE INDEX "mail_log_template" ON "mail_log" USING btree ("template","created_at","id");--> statement-breakpoint
CREATE INDEX "mail_log_error" ON "mail_log" USING btree ("created_at","id") WHERE "mail_log"."status" = 'dead' or "mail_log"."last_error" is not null;--> statement-breakpoint
CREATE INDEX "payload_access_admin" ON "payload_access" USING btree ("admin_id","at");--> statement-breakpoint
CREATE INDEX "payload_access_request" ON "payload_access" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "usage_change_version" ON "usage_change" USING btree ("version");--> statement-breakpoint
CREATE INDEX "usage_rollup_user" ON "usage_rollup" USING btree ("gateway_user_id","starts_at") WHERE "usage_rollup"."slice" = 'user';--> statement-breakpoint
CREATE INDEX "settlement_quarantine_at" ON "settlement_quarantine" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "usage_settlement_batch" ON "usage_settlement" USING btree ("batch_id");
--> statement-breakpoint
-- From here on by hand: what the schema in TypeScript does not say.
--
-- Amounts and states that no statement may leave.
ALTER TABLE "gateway_user" ADD CONSTRAINT "gateway_user_status" CHECK ("status" IN ('enabled', 'disabled'));
ALTER TABLE "gateway_user" ADD CONSTRAINT "gateway_user_multiplier" CHECK ("rate_multiplier" > 0 AND "rate_multiplier" <= 100000);
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_status" CHECK ("status" IN ('active', 'disabled', 'revoked'));
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_hash_length" CHECK (octet_length("key_hash") = 32);
ALTER TABLE "budget" ADD CONSTRAINT "budget_owner" CHECK (num_nonnulls("gateway_user_id", "api_key_id") = 1);
ALTER TABLE "budget" ADD CONSTRAINT "budget_amounts" CHECK ("used" >= 0 AND "period_base" >= 0 AND "period_base" <= "used" AND "leased" >= 0 AND "reserved" >= 0);
ALTER TABLE "budget" ADD CONSTRAINT "budget_period" CHECK (("period" = 'none') = ("period_ends_at" IS NULL) AND "period" IN ('none', 'daily', 'weekly', 'monthly'));
ALTER TABLE "budget_lease" ADD CONSTRAINT "budget_lease_amount" CHECK ("amount" >= 0);
ALTER TABLE "quota_grant" ADD CONSTRAINT "quota_grant_amount" CHECK ("amount" <> 0);
ALTER TABLE "ability" ADD CONSTRAINT "ability_order" CHECK ("priority" >= 0 AND "weight" >= 0);
ALTER TABLE "model_price" ADD CONSTRAINT "model_price_amounts" CHECK ("version" > 0 AND "input_usd_per_m" >= 0 AND "output_usd_per_m" >= 0 AND coalesce("cache_read_usd_per_m", 0) >= 0 AND coalesce("cache_write_usd_per_m", 0) >= 0 AND coalesce("reasoning_usd_per_m", 0) >= 0 AND "request_usd" >= 0 AND "image_usd" >= 0 AND "second_usd" >= 0);
ALTER TABLE "usage_log" ADD CONSTRAINT "usage_log_amounts" CHECK ("quota" >= 0 AND "quota_held" >= 0 AND "input_tokens" >= 0 AND "output_tokens" >= 0);
--> statement-breakpoint
CREATE INDEX "api_key_user" ON "api_key" ("gateway_user_id");
CREATE INDEX "quota_grant_budget" ON "quota_grant" ("budget_id", "id");
-- What a user has consumed is read under the lock of the budget: over the grants of the settlement of usage.
CREATE INDEX "quota_grant_budget_kind" ON "quota_grant" ("budget_id", "change_type");
CREATE INDEX "budget_lease_replica" ON "budget_lease" ("replica_id");
--> statement-breakpoint
-- Sealed bytes do not shrink, so the server should not try; and of bytes that are stored as they are it can fetch a part.
-- Partitions take this over when they are made.
ALTER TABLE "payload_segment" ALTER COLUMN "sealed" SET STORAGE EXTERNAL;
-- Sums of the past hardly change any more, and are read without a visit to the row once that is known of their pages.
ALTER TABLE "usage_rollup" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
--> statement-breakpoint
-- Indexes of the logs; each day that is made gets them as well. The settlement follows the order of the writing transactions.
CREATE INDEX "usage_log_cursor" ON "usage_log" ("xid", "request_id");
-- Lists of calls are in the order of time, whatever they are about: with the day in front the partitions are read one after the
-- other until a page is full. What comes after the request id does not change the order, and is compared and counted in the
-- index itself, without a visit to the row: the calls of one key, or those of a user that failed, or of a model.
CREATE INDEX "usage_log_user" ON "usage_log" ("gateway_user_id", "day", "request_id", "api_key_id", "model", "channel_id");
CREATE INDEX "usage_log_model" ON "usage_log" ("model", "day", "request_id");
CREATE INDEX "usage_log_channel" ON "usage_log" ("channel_id", "day", "request_id");
-- What went wrong is a small part of the calls, and is asked for together with whom, what and where it went through.
CREATE INDEX "usage_log_trouble" ON "usage_log" ("day", "request_id", "outcome", "error_code") WHERE "outcome" <> 'completed';
CREATE INDEX "usage_log_user_trouble" ON "usage_log" ("gateway_user_id", "day", "request_id", "outcome", "error_code")
  WHERE "outcome" <> 'completed';
CREATE INDEX "usage_log_model_trouble" ON "usage_log" ("model", "day", "request_id", "outcome", "error_code")
  WHERE "outcome" <> 'completed';
CREATE INDEX "usage_log_channel_trouble" ON "usage_log" ("channel_id", "day", "request_id", "outcome", "error_code")
  WHERE "outcome" <> 'completed';
-- The same of traces: 24 ms instead of 1.2 s for a user of whose calls none is among the 100,000 of that status.
CREATE INDEX "trace_record_user" ON "trace_record" ("gateway_user_id", "day", "request_id");
CREATE INDEX "trace_record_model" ON "trace_record" ("model", "day", "request_id", "gateway_user_id");
CREATE INDEX "trace_record_trouble" ON "trace_record" ("status", "day", "request_id", "gateway_user_id", "model")
  WHERE "status" <> 'completed';
CREATE INDEX "trace_record_http_trouble" ON "trace_record" ("http_status", "day", "request_id", "gateway_user_id", "model")
  WHERE "http_status" >= 400;
--> statement-breakpoint
-- What one step of the settlement did. `place` is `cursor` or `reconcile`: which of the two ways through the log it went.
CREATE TYPE settlement_step AS (
  rows_read integer,
  last_xid xid8,
  last_day date,
  last_request_id uuid,
  rows_settled integer,
  base_quota bigint,
  settled_quota bigint,
  rows_refused integer
);
--> statement-breakpoint
-- A row of the usage log, as far as the settlement is concerned.
CREATE TYPE unsettled_row AS (
  day date,
  request_id uuid,
  xid xid8,
  gateway_user_id bigint,
  user_budget_id bigint,
  quota bigint,
  rate_multiplier numeric
);
--> statement-breakpoint
-- Whose calls of which model may take which exit node. The gateway reads this into its memory; who changes a route, an
-- account, a node or a model has nothing to bring into step.
CREATE VIEW exit_permit AS
SELECT DISTINCT ON (r.gateway_user_id, m.name, c.id)
  r.gateway_user_id, m.name AS model, c.id AS channel_id, c.exit_node_code, n.weight, a.node_account
FROM exit_node_route r
JOIN exit_provider_account a ON a.provider = r.provider AND a.auth_type = 'api_key' AND a.status IN ('testing', 'active')
JOIN exit_node n ON n.id = a.exit_node_id AND n.status IN ('testing', 'active')
  AND (r.exit_node_id IS NULL OR r.exit_node_id = n.id)
JOIN channel c ON c.exit_node_code = n.node_code
JOIN model m ON m.name LIKE replace(replace(r.model_pattern, '_', '\_'), '*', '%')
WHERE r.status IN ('testing', 'active')
ORDER BY r.gateway_user_id, m.name, c.id, r.route_code, a.account_code;
--> statement-breakpoint
-- A trigger can't be made before its function. The functions are in ../functions and replace these as soon as the migrations
-- are through.
DO $$
DECLARE
  v_name text;
BEGIN
  FOREACH v_name IN ARRAY ARRAY['announce_key_change', 'announce_key_budget', 'announce_user_change', 'announce_catalog_change',
    'announce_setting_change', 'quota_grant_is_append_only', 'refuse_change', 'refuse_unbalanced_posting', 'keep_owner_email',
    'keep_owner_email_of_orders']
  LOOP
    EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', v_name,
      format('BEGIN RAISE EXCEPTION ''the function %s is not there yet''; END', v_name));
  END LOOP;
END
$$;
--> statement-breakpoint
-- What replicas keep in memory is announced by the database itself, so that no writer can forget to: a key that is
-- revoked by hand in SQL stops working as fast as one revoked in the console.
CREATE TRIGGER announce AFTER UPDATE OR DELETE ON api_key FOR EACH ROW EXECUTE FUNCTION announce_key_change();
CREATE TRIGGER announce AFTER INSERT ON budget FOR EACH ROW WHEN (NEW.api_key_id IS NOT NULL) EXECUTE FUNCTION announce_key_budget();
CREATE TRIGGER announce AFTER UPDATE OR DELETE ON gateway_user FOR EACH ROW EXECUTE FUNCTION announce_user_change();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON setting FOR EACH STATEMENT EXECUTE FUNCTION announce_setting_change();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON channel FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON ability FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON model FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON model_price FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON messages_model FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON exit_node_route FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON exit_provider_account FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
--> statement-breakpoint
-- Written once, never changed, whoever writes.
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON quota_grant FOR EACH STATEMENT EXECUTE FUNCTION quota_grant_is_append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_posting FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payment FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON review_payment FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON subscription_change FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- A posting that does not sum to zero can't be committed. It is summed once, by the statement that writes its entries.
CREATE TRIGGER sums_to_zero AFTER INSERT ON ledger_entry REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_unbalanced_posting();
--> statement-breakpoint
-- Orders are searched by the address of their user or, while nobody has claimed them, by their own. A condition over two tables
-- has no index: half a second for an address that nobody has, among 500,000 orders. So the address stands in the order.
CREATE TRIGGER sales_order_owner_email BEFORE INSERT OR UPDATE OF user_id, email ON sales_order
  FOR EACH ROW EXECUTE FUNCTION keep_owner_email();
CREATE TRIGGER user_profile_owner_email AFTER UPDATE OF email ON user_profile
  FOR EACH ROW WHEN (OLD.email IS DISTINCT FROM NEW.email) EXECUTE FUNCTION keep_owner_email_of_orders();
--> statement-breakpoint
-- The beginning of the chain of accesses to payloads.
INSERT INTO payload_access_head (id, number, hash) VALUES (1, 0, sha256('sluice: nobody has read a payload'));
--> statement-breakpoint
-- The role as which the application works: it reads and writes rows, but has no right to change the schema, and none to
-- change or delete what was logged or granted. It belongs to the whole server, so that databases of one server share it.
-- Where the server does not let us make roles, the application works as the owner; the start says so.
DO $$
DECLARE
  v_can_set boolean;
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN
    BEGIN
      CREATE ROLE sluice_app NOLOGIN;
    EXCEPTION
      -- Another database of this server was migrated at the same moment.
      WHEN duplicate_object OR unique_violation THEN NULL;
      WHEN insufficient_privilege THEN RETURN;
    END;
  END IF;
  -- Being a member and being allowed to act as the role are two things since version 16, whose privilege older ones don't know.
  EXECUTE format('SELECT pg_has_role(current_user, %L, %L)', 'sluice_app',
    CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) INTO v_can_set;
  IF NOT v_can_set THEN
    BEGIN
      EXECUTE format('GRANT sluice_app TO %I', current_user);
    EXCEPTION
      WHEN insufficient_privilege THEN NULL;
    END;
  END IF;
END
$$;
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT USAGE ON SCHEMA public TO sluice_app;
  GRANT SELECT, INSERT, UPDATE, DELETE ON ability, account_token, admin_allowance, api_key, api_key_use,
    attempt_counter, budget, budget_lease, campaign_event, channel, channel_cost, enterprise_lead, exit_node,
    exit_node_route, exit_node_traffic, exit_provider_account, gateway_user, mail_inbox, mail_log, mail_template,
    messages_model, model, payload_day_count, payload_day_key, plan, recovery_code, refund, replica, sales_order,
    secret, session, settlement_checkpoint, shared_admin_credentials, subscription, support_profile,
    upstream_auth_profile, usage_active, usage_change, usage_quarantine, usage_rollup, usage_rollup_checkpoint,
    usage_user, user_profile TO sluice_app;
  GRANT SELECT, INSERT, UPDATE ON ledger_account, setting TO sluice_app;
  -- Written once, never changed: what was granted and paid, what calls cost, what was charged, and the traces.
  GRANT SELECT, INSERT ON approval, audit_log, gateway_event, ledger_entry, ledger_posting, model_price,
    payload_record, payload_segment, payment, quota_grant, review_payment, settlement_batch, settlement_quarantine,
    subscription_change, trace_record, usage_log, usage_settlement TO sluice_app;
  GRANT USAGE ON SEQUENCE settlement_batch_id_seq TO sluice_app;
  -- What a message of a gateway said and what was asked for stays; what became of it is written later.
  GRANT UPDATE (result, tries, tried_at, last_error) ON gateway_event TO sluice_app;
  GRANT UPDATE (status, decided_by, decided_by_name, decided_at, decision_reason, updated_at, sealed) ON approval TO sluice_app;
  -- Written by functions alone.
  GRANT SELECT ON payload_access, payload_access_head, exit_permit TO sluice_app;
END
$$;
