ALTER TABLE "mail_log" ADD COLUMN "failed_at" timestamp with time zone;--> statement-breakpoint
-- Of those that failed before this was kept, the last change is the nearest.
UPDATE mail_log SET failed_at = updated_at WHERE last_error IS NOT NULL;
