ALTER TABLE "model_price" ADD COLUMN "cache_write_1h_usd_per_m" numeric(20, 8);--> statement-breakpoint
ALTER TABLE "model_price" ADD COLUMN "search_usd_per_k" numeric(20, 8) DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_log" ADD COLUMN "cache_write_1h_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_log" ADD COLUMN "searches" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "channel_cost" ADD COLUMN "cache_write_1h_usd_per_m" numeric(20, 8);--> statement-breakpoint
ALTER TABLE "channel_cost" ADD COLUMN "search_usd_per_k" numeric(20, 8) DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_rollup" ADD COLUMN "cache_write_1h_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_rollup" ADD COLUMN "searches" bigint DEFAULT 0 NOT NULL;