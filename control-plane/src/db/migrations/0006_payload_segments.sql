-- Payloads of many calls share one row of payload_segment: a row for each cost more than everything else that is written
-- about a call. Each is still sealed for itself; payload_record says where it lies. Payloads of the earlier layout are
-- not taken over: that layout was never released.
DROP TABLE "payload_record";
--> statement-breakpoint
CREATE TABLE "payload_segment" (
	"day" date NOT NULL,
	"segment_id" uuid NOT NULL,
	"key_id" text NOT NULL,
	"sealed" "bytea" NOT NULL,
	CONSTRAINT "payload_segment_day_segment_id_pk" PRIMARY KEY("day","segment_id")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
-- Sealed bytes do not shrink, so the server should not try; and of bytes that are stored as they are it can fetch a part.
-- Partitions take this over when they are made.
ALTER TABLE "payload_segment" ALTER COLUMN "sealed" SET STORAGE EXTERNAL;
--> statement-breakpoint
CREATE TABLE "payload_record" (
	"day" date NOT NULL,
	"request_id" uuid NOT NULL,
	"gateway_user_id" bigint NOT NULL,
	"segment_id" uuid NOT NULL,
	"byte_offset" integer NOT NULL,
	"byte_length" integer NOT NULL,
	"request_bytes" bigint NOT NULL,
	"response_bytes" bigint NOT NULL,
	"is_request_truncated" boolean NOT NULL,
	"is_response_truncated" boolean NOT NULL,
	CONSTRAINT "payload_record_day_request_id_pk" PRIMARY KEY("day","request_id")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NULL THEN RETURN; END IF;
  GRANT SELECT, INSERT ON payload_segment, payload_record TO sluice_app;
END
$$;
