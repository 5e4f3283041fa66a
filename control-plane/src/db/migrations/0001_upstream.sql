ALTER TABLE "ability" ADD COLUMN "upstream_model" text;--> statement-breakpoint
-- Until now, every channel spoke the OpenAI API at one address, with its credential as a bearer token.
ALTER TABLE "channel" ALTER COLUMN "base_url" TYPE jsonb USING jsonb_build_object(
  'preset', null,
  'dialects', jsonb_build_object(
    'chat', jsonb_build_object('base_url', "base_url", 'auth', 'bearer'),
    'responses', jsonb_build_object('base_url', "base_url", 'auth', 'bearer')),
  'query', '{}'::jsonb,
  'headers', '{"set": {}, "remove": []}'::jsonb,
  'body', '{"set": {}, "remove": []}'::jsonb,
  'flags', '{"asks_usage": true, "token_param": "max_tokens", "developer_role": false, "reasoning_back": false, "betas": null}'::jsonb);--> statement-breakpoint
ALTER TABLE "channel" RENAME COLUMN "base_url" TO "upstream";--> statement-breakpoint
ALTER TABLE "channel" DROP COLUMN "kind";
