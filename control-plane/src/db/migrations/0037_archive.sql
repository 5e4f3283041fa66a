ALTER TABLE "plan" ADD COLUMN "archived_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "channel" ADD COLUMN "archived_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "model" ADD COLUMN "archived_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "plan" ADD CONSTRAINT "plan_archived_is_hidden" CHECK ("plan"."archived_at" is null or "plan"."status" = 'hidden');--> statement-breakpoint
ALTER TABLE "channel" ADD CONSTRAINT "channel_archived_is_disabled" CHECK ("channel"."archived_at" is null or "channel"."status" = 'disabled');--> statement-breakpoint
ALTER TABLE "model" ADD CONSTRAINT "model_archived_is_disabled" CHECK ("model"."archived_at" is null or "model"."status" = 'disabled');