ALTER TABLE "user_profile" ADD COLUMN "sorted_remaining" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "user_profile" ADD COLUMN "sorted_used" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "user_profile" ADD COLUMN "sorted_call_at" timestamp with time zone DEFAULT 'epoch' NOT NULL;--> statement-breakpoint
CREATE INDEX "user_profile_sorted_remaining" ON "user_profile" USING btree ("sorted_remaining","id");--> statement-breakpoint
CREATE INDEX "user_profile_sorted_used" ON "user_profile" USING btree ("sorted_used","id");--> statement-breakpoint
CREATE INDEX "user_profile_sorted_call_at" ON "user_profile" USING btree ("sorted_call_at","id");