CREATE TABLE "buyer_data" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "buyer_data_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint,
	"organisation_id" bigint,
	"name" text NOT NULL,
	"address" text NOT NULL,
	"country" text NOT NULL,
	"tax_id" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "buyer_data_user_id_unique" UNIQUE("user_id"),
	CONSTRAINT "buyer_data_organisation_id_unique" UNIQUE("organisation_id"),
	CONSTRAINT "buyer_data_of_one" CHECK (num_nonnulls("buyer_data"."user_id", "buyer_data"."organisation_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "invoice" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "invoice_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"number" text NOT NULL,
	"prefix" text NOT NULL,
	"year" integer NOT NULL,
	"sequence" bigint NOT NULL,
	"kind" text NOT NULL,
	"order_id" bigint NOT NULL,
	"refund_id" bigint,
	"currency" text NOT NULL,
	"net_usd" numeric(14, 2) NOT NULL,
	"tax_usd" numeric(14, 2) NOT NULL,
	"gross_usd" numeric(14, 2) NOT NULL,
	"tax_rate" numeric(7, 4) NOT NULL,
	"locale" text NOT NULL,
	"facts" jsonb NOT NULL,
	"issued_at" timestamp with time zone NOT NULL,
	CONSTRAINT "invoice_number_unique" UNIQUE("number"),
	CONSTRAINT "invoice_refund_id_unique" UNIQUE("refund_id"),
	CONSTRAINT "invoice_in_range" UNIQUE("prefix","year","sequence"),
	CONSTRAINT "invoice_refund" CHECK (("invoice"."kind" = 'credit_note') = ("invoice"."refund_id" is not null)),
	CONSTRAINT "invoice_amounts" CHECK ("invoice"."gross_usd" = "invoice"."net_usd" + "invoice"."tax_usd" and "invoice"."net_usd" >= 0 and "invoice"."tax_usd" >= 0)
);
--> statement-breakpoint
CREATE TABLE "invoice_range" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "invoice_range_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"prefix" text NOT NULL,
	"year" integer NOT NULL,
	"last" bigint NOT NULL,
	CONSTRAINT "invoice_range_once" UNIQUE("prefix","year")
);
--> statement-breakpoint
CREATE TABLE "invoice_terms" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "invoice_terms_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"is_on" boolean NOT NULL,
	"invoice_prefix" text NOT NULL,
	"credit_prefix" text NOT NULL,
	"seller_name" text NOT NULL,
	"seller_address" text NOT NULL,
	"seller_country" text NOT NULL,
	"seller_tax_id" text DEFAULT '' NOT NULL,
	"seller_email" text DEFAULT '' NOT NULL,
	"tax_name" text NOT NULL,
	"tax_mode" text NOT NULL,
	"tax_rate" numeric(7, 4) NOT NULL,
	"tax_rules" jsonb NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "invoice_terms_ranges" CHECK ("invoice_terms"."invoice_prefix" <> "invoice_terms"."credit_prefix"),
	CONSTRAINT "invoice_terms_rate" CHECK ("invoice_terms"."tax_rate" >= 0 and "invoice_terms"."tax_rate" <= 100)
);
--> statement-breakpoint
ALTER TABLE "refund" DROP CONSTRAINT "refund_amount";--> statement-breakpoint
ALTER TABLE "sales_order" ADD COLUMN "tax_rate" numeric(7, 4);--> statement-breakpoint
ALTER TABLE "sales_order" ADD COLUMN "tax_note" text;--> statement-breakpoint
ALTER TABLE "code_batch" ADD COLUMN "idempotency_key" text;--> statement-breakpoint
ALTER TABLE "buyer_data" ADD CONSTRAINT "buyer_data_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "buyer_data" ADD CONSTRAINT "buyer_data_organisation_id_organisation_id_fk" FOREIGN KEY ("organisation_id") REFERENCES "public"."organisation"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_order_id_sales_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."sales_order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_refund_id_refund_id_fk" FOREIGN KEY ("refund_id") REFERENCES "public"."refund"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "invoice_of_order" ON "invoice" USING btree ("order_id") WHERE "invoice"."kind" = 'invoice';--> statement-breakpoint
CREATE INDEX "invoice_by_order" ON "invoice" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "invoice_issued" ON "invoice" USING btree ("issued_at","id");--> statement-breakpoint
CREATE INDEX "invoice_by_amount" ON "invoice" USING btree ("gross_usd","id");--> statement-breakpoint
ALTER TABLE "code_batch" ADD CONSTRAINT "code_batch_idempotency_key_unique" UNIQUE("idempotency_key");--> statement-breakpoint
ALTER TABLE "refund" ADD CONSTRAINT "refund_amount" CHECK ("refund"."amount_usd" >= 0);
--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON invoice_terms FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON invoice FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON invoice_terms, buyer_data, invoice_range, invoice TO sluice_app;
  END IF;
END
$$;
