-- Counts that hardly any call has are null instead of 0, which takes no bytes. Rows of programs that do not know them have 0.
ALTER TABLE "usage_log" ALTER COLUMN "cache_write_1h_tokens" DROP NOT NULL, ALTER COLUMN "searches" DROP NOT NULL;
