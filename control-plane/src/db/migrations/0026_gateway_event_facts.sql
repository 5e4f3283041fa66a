-- What a message of a gateway said is kept as far as it is acted on, so that one that was not dealt with can be taken again
-- without the gateway. Only what became of it is written later.
ALTER TABLE "gateway_event" ADD COLUMN "facts" jsonb;--> statement-breakpoint
ALTER TABLE "gateway_event" ADD COLUMN "tries" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway_event" ADD COLUMN "tried_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "gateway_event" ADD COLUMN "last_error" text;--> statement-breakpoint
CREATE INDEX "gateway_event_by_received" ON "gateway_event" USING btree ("received_at","id");--> statement-breakpoint
CREATE INDEX "gateway_event_by_order" ON "gateway_event" USING btree ("order_no");--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT UPDATE (tries, tried_at, last_error) ON gateway_event TO sluice_app;
END
$$;
