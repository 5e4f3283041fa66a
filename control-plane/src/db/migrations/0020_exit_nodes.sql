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
ALTER TABLE "ability" ADD COLUMN "is_exit_node" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "channel" ADD COLUMN "exit_node_code" text;--> statement-breakpoint
ALTER TABLE "channel" ADD COLUMN "is_exit_node" boolean GENERATED ALWAYS AS (exit_node_code is not null) STORED;--> statement-breakpoint
ALTER TABLE "channel" ADD COLUMN "pinned_address" text;--> statement-breakpoint
ALTER TABLE "exit_node" ADD CONSTRAINT "exit_node_source_node_id_exit_node_id_fk" FOREIGN KEY ("source_node_id") REFERENCES "public"."exit_node"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "exit_node_route" ADD CONSTRAINT "exit_node_route_gateway_user_id_gateway_user_id_fk" FOREIGN KEY ("gateway_user_id") REFERENCES "public"."gateway_user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "exit_node_route" ADD CONSTRAINT "exit_node_route_exit_node_id_exit_node_id_fk" FOREIGN KEY ("exit_node_id") REFERENCES "public"."exit_node"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "exit_node_traffic" ADD CONSTRAINT "exit_node_traffic_exit_node_id_exit_node_id_fk" FOREIGN KEY ("exit_node_id") REFERENCES "public"."exit_node"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "exit_provider_account" ADD CONSTRAINT "exit_provider_account_exit_node_id_exit_node_id_fk" FOREIGN KEY ("exit_node_id") REFERENCES "public"."exit_node"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "exit_node_route_user" ON "exit_node_route" USING btree ("gateway_user_id");--> statement-breakpoint
CREATE INDEX "exit_provider_account_node" ON "exit_provider_account" USING btree ("exit_node_id");--> statement-breakpoint
ALTER TABLE "channel" ADD CONSTRAINT "channel_id_is_exit_node" UNIQUE("id","is_exit_node");--> statement-breakpoint
ALTER TABLE "ability" ADD CONSTRAINT "ability_says_what_its_channel_is" FOREIGN KEY ("channel_id","is_exit_node") REFERENCES "public"."channel"("id","is_exit_node") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel" ADD CONSTRAINT "channel_exit_node_code_exit_node_node_code_fk" FOREIGN KEY ("exit_node_code") REFERENCES "public"."exit_node"("node_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel" ADD CONSTRAINT "channel_exit_node_code_unique" UNIQUE("exit_node_code");--> statement-breakpoint
ALTER TABLE "ability" ADD CONSTRAINT "ability_exit_node_group" CHECK (not "ability"."is_exit_node" or "ability"."group_name" = 'node-test');--> statement-breakpoint
ALTER TABLE "channel" ADD CONSTRAINT "channel_exit_node_is_pinned" CHECK ("channel"."exit_node_code" is null or "channel"."pinned_address" is not null);--> statement-breakpoint
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
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON exit_node_route FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON exit_provider_account FOR EACH STATEMENT EXECUTE FUNCTION announce_catalog_change();
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT SELECT, INSERT, UPDATE, DELETE ON exit_node, exit_provider_account, exit_node_route, exit_node_traffic TO sluice_app;
  GRANT SELECT ON exit_permit TO sluice_app;
END
$$;
