ALTER TABLE "model" ADD COLUMN "capabilities" text[];--> statement-breakpoint
ALTER TABLE "model" ADD CONSTRAINT "model_capabilities_number" CHECK (cardinality("model"."capabilities") <= 16);