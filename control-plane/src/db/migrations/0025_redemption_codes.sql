CREATE TABLE "code_batch" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "code_batch_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"plan_code" text,
	"plan_kind" text NOT NULL,
	"quota" bigint NOT NULL,
	"group_name" text,
	"count" integer NOT NULL,
	"is_once_per_user" boolean NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"created_by" text NOT NULL,
	"sealed_seed" "bytea",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "code_batch_value" CHECK ("code_batch"."quota" > 0 and "code_batch"."count" > 0),
	CONSTRAINT "code_batch_plan" CHECK (("code_batch"."plan_kind" = 'monthly') = ("code_batch"."plan_code" is not null))
);
--> statement-breakpoint
CREATE TABLE "code_redemption" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "code_redemption_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"code_id" bigint NOT NULL,
	"batch_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"order_id" bigint NOT NULL,
	"is_once_per_user" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "code_redemption_code_id_unique" UNIQUE("code_id"),
	CONSTRAINT "code_redemption_order" UNIQUE("order_id")
);
--> statement-breakpoint
CREATE TABLE "redemption_code" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "redemption_code_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"batch_id" bigint NOT NULL,
	"digest" "bytea" NOT NULL,
	CONSTRAINT "redemption_code_digest_unique" UNIQUE("digest")
);
--> statement-breakpoint
ALTER TABLE "code_batch" ADD CONSTRAINT "code_batch_group_name_user_group_name_fk" FOREIGN KEY ("group_name") REFERENCES "public"."user_group"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_redemption" ADD CONSTRAINT "code_redemption_code_id_redemption_code_id_fk" FOREIGN KEY ("code_id") REFERENCES "public"."redemption_code"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_redemption" ADD CONSTRAINT "code_redemption_batch_id_code_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."code_batch"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_redemption" ADD CONSTRAINT "code_redemption_user_id_user_profile_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_redemption" ADD CONSTRAINT "code_redemption_order_id_sales_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."sales_order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemption_code" ADD CONSTRAINT "redemption_code_batch_id_code_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."code_batch"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "code_batch_created" ON "code_batch" USING btree ("created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "code_redemption_once" ON "code_redemption" USING btree ("batch_id","user_id") WHERE "code_redemption"."is_once_per_user";--> statement-breakpoint
CREATE INDEX "code_redemption_batch" ON "code_redemption" USING btree ("batch_id");--> statement-breakpoint
CREATE INDEX "code_redemption_user" ON "code_redemption" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "redemption_code_batch" ON "redemption_code" USING btree ("batch_id");--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON redemption_code FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON code_redemption FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
DO $$
BEGIN
  IF to_regrole('sluice_app') IS NOT NULL THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON code_batch, redemption_code, code_redemption TO sluice_app;
  END IF;
END
$$;
