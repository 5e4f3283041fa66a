ALTER TABLE "account_limit" DROP CONSTRAINT "account_limit_place";--> statement-breakpoint
ALTER TABLE "account_limit" DROP CONSTRAINT "account_limit_scope";--> statement-breakpoint
ALTER TABLE "account_limit" ADD COLUMN "plan_code" text;--> statement-breakpoint
ALTER TABLE "account_limit" ADD CONSTRAINT "account_limit_plan_code_plan_plan_code_fk" FOREIGN KEY ("plan_code") REFERENCES "public"."plan"("plan_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_limit_plan" ON "account_limit" USING btree ("plan_code") WHERE "account_limit"."plan_code" is not null;--> statement-breakpoint
ALTER TABLE "account_limit" ADD CONSTRAINT "account_limit_place" UNIQUE NULLS NOT DISTINCT("scope","group_name","gateway_user_id","plan_code");--> statement-breakpoint
ALTER TABLE "account_limit" ADD CONSTRAINT "account_limit_scope" CHECK (("account_limit"."scope" = 'group') = ("account_limit"."group_name" is not null) and ("account_limit"."scope" = 'user') = ("account_limit"."gateway_user_id" is not null)
        and ("account_limit"."scope" = 'plan') = ("account_limit"."plan_code" is not null));