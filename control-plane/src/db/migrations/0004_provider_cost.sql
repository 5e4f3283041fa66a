ALTER TABLE "usage_log" ADD COLUMN "provider_cost_usd" numeric(20, 12);--> statement-breakpoint
ALTER TABLE "usage_rollup" ADD COLUMN "provider_cost_usd" numeric(30, 12) DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_rollup" ADD COLUMN "provider_cost_calls" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_rollup" ADD COLUMN "provider_cost_quota" bigint DEFAULT 0 NOT NULL;