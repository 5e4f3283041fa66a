ALTER TABLE "account_token" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "account_token" ADD COLUMN "admin_id" bigint;--> statement-breakpoint
ALTER TABLE "account_token" ADD CONSTRAINT "account_token_admin_id_shared_admin_credentials_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."shared_admin_credentials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_token_admin" ON "account_token" USING btree ("admin_id");--> statement-breakpoint
ALTER TABLE "account_token" ADD CONSTRAINT "account_token_is_of_one" CHECK (num_nonnulls("account_token"."user_id", "account_token"."admin_id") = 1);