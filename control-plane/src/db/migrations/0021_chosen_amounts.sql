ALTER TABLE "plan" ADD COLUMN "amount_min_usd" numeric(14, 2);--> statement-breakpoint
ALTER TABLE "plan" ADD COLUMN "amount_max_usd" numeric(14, 2);--> statement-breakpoint
ALTER TABLE "plan" ADD COLUMN "amount_step_usd" numeric(14, 2);--> statement-breakpoint
ALTER TABLE "sales_order" ADD COLUMN "chosen_usd" numeric(14, 2);--> statement-breakpoint
ALTER TABLE "plan" ADD CONSTRAINT "plan_amount" CHECK (num_nonnulls("plan"."amount_min_usd", "plan"."amount_max_usd", "plan"."amount_step_usd") = 0
        or (num_nonnulls("plan"."amount_min_usd", "plan"."amount_max_usd", "plan"."amount_step_usd") = 3
          and "plan"."kind" = 'wallet_balance' and "plan"."amount_step_usd" > 0
          and "plan"."amount_min_usd" >= "plan"."amount_step_usd" and "plan"."amount_max_usd" >= "plan"."amount_min_usd"));