-- Calls whose multiplier is one are settled in lists, and no longer with a row each. What is settled already stays as it is.
CREATE TABLE "settled_calls" (
	"day" date NOT NULL,
	"shard" smallint NOT NULL,
	"minute" text COLLATE "C" NOT NULL,
	"batch_id" bigint NOT NULL,
	"calls" uuid[] NOT NULL,
	CONSTRAINT "settled_calls_day_shard_minute_batch_id_pk" PRIMARY KEY("day","shard","minute","batch_id")
);
--> statement-breakpoint
CREATE INDEX "settled_calls_batch" ON "settled_calls" USING btree ("batch_id");
--> statement-breakpoint
-- IDs do not compress.
ALTER TABLE "settled_calls" ALTER COLUMN "calls" SET STORAGE EXTERNAL;
--> statement-breakpoint
-- A trigger can't be made before its function; ../functions replaces these as soon as the migrations are through. Until then the
-- functions of the release before settle calls with rows alone, which the first of these lets through.
DO $$
BEGIN
  IF to_regproc('refuse_listed_calls') IS NULL THEN
    CREATE FUNCTION refuse_listed_calls() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
  END IF;
  IF to_regproc('refuse_settled_calls') IS NULL THEN
    CREATE FUNCTION refuse_settled_calls() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''the function refuse_settled_calls is not there yet''; END';
  END IF;
END
$$;
--> statement-breakpoint
CREATE TRIGGER settled_once AFTER INSERT ON usage_settlement
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION refuse_listed_calls();
--> statement-breakpoint
CREATE TRIGGER settled_once AFTER INSERT ON settled_calls FOR EACH ROW EXECUTE FUNCTION refuse_settled_calls();
--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON settled_calls FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- Every call that is settled. What is null is what the usage row says, with a multiplier of one.
CREATE VIEW settled_call AS
  SELECT day, request_id, batch_id, gateway_user_id, base_quota, rate_multiplier, settled_quota, quota_delta FROM usage_settlement
  UNION ALL
  SELECT day, unnest(calls), batch_id, NULL, NULL, NULL, NULL, NULL FROM settled_calls;
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT ON settled_calls TO sluice_app;
    GRANT SELECT ON settled_call TO sluice_app;
  END IF;
END
$$;
