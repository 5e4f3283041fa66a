CREATE TABLE "brand_image" (
	"kind" text PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"content_type" text NOT NULL,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"updated_by" bigint NOT NULL,
	"updated_by_name" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "brand_image_is_bounded" CHECK (octet_length("brand_image"."bytes") between 1 and 262144)
);
--> statement-breakpoint
CREATE TABLE "brand_text" (
	"locale" text PRIMARY KEY NOT NULL,
	"headline" text NOT NULL,
	"sub_line" text NOT NULL,
	"links" jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"updated_by" bigint NOT NULL,
	"updated_by_name" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "legal_text" (
	"page" text NOT NULL,
	"locale" text NOT NULL,
	"markdown" text NOT NULL,
	"effective_on" date NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"updated_by" bigint NOT NULL,
	"updated_by_name" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "legal_text_page_locale_version_pk" PRIMARY KEY("page","locale","version")
);
--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON legal_text FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON brand_image, brand_text TO sluice_app;
    GRANT SELECT, INSERT ON legal_text TO sluice_app;
  END IF;
END
$$;
