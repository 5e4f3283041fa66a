CREATE TABLE "account_spend" (
	"gateway_user_id" bigint NOT NULL,
	"day" date NOT NULL,
	"spent" numeric(38, 0) NOT NULL,
	CONSTRAINT "account_spend_gateway_user_id_day_pk" PRIMARY KEY("gateway_user_id","day")
);
--> statement-breakpoint
ALTER TABLE "account_limit" DROP CONSTRAINT "account_limit_values";--> statement-breakpoint
ALTER TABLE "account_limit" ADD COLUMN "spend_per_day" bigint;--> statement-breakpoint
ALTER TABLE "account_limit" ADD COLUMN "spend_per_month" bigint;--> statement-breakpoint
CREATE INDEX "account_limit_spend" ON "account_limit" USING btree ("scope","group_name","gateway_user_id") WHERE "account_limit"."spend_per_day" is not null or "account_limit"."spend_per_month" is not null;--> statement-breakpoint
ALTER TABLE "account_limit" ADD CONSTRAINT "account_limit_values" CHECK ("account_limit"."requests_per_minute" > 0 and "account_limit"."tokens_per_minute" > 0 and "account_limit"."concurrency_max" > 0 and "account_limit"."spend_per_day" > 0 and "account_limit"."spend_per_month" > 0);
--> statement-breakpoint
-- Rows that replicas write meanwhile wait for the trigger.
LOCK TABLE "usage_log" IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
INSERT INTO "account_spend" ("gateway_user_id", "day", "spent")
SELECT "gateway_user_id", "day", sum(ceil("quota" * "rate_multiplier")) FROM "usage_log"
WHERE "quota" > 0 AND "rate_multiplier" > 0 AND "rate_multiplier" <> 'NaN' GROUP BY "gateway_user_id", "day";
--> statement-breakpoint
-- A trigger can't be made before its function; ../functions replaces this one as soon as the migrations are through.
DO $$
BEGIN
  IF to_regproc('note_spend') IS NULL THEN
    CREATE FUNCTION note_spend() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''the function note_spend is not there yet''; END';
  END IF;
END
$$;
--> statement-breakpoint
CREATE TRIGGER usage_log_spend AFTER INSERT ON usage_log
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_spend();
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE ON account_spend TO sluice_app;
  END IF;
END
$$;
