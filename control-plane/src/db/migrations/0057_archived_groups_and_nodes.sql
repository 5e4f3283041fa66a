ALTER TABLE "exit_node" ADD COLUMN "archived_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "user_group" ADD COLUMN "archived_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "exit_node" ADD CONSTRAINT "exit_node_archived" CHECK ("exit_node"."archived_at" is null or "exit_node"."status" = 'disabled');--> statement-breakpoint
ALTER TABLE "user_group" ADD CONSTRAINT "user_group_archived" CHECK ("user_group"."archived_at" is null or not "user_group"."is_start");