import { z } from "zod";
import { modelKinds } from "./model-kinds.ts";
import { wireLongPrompt, wirePrices } from "./wire.ts";

/** A model that the user's keys can call, as the console shows it. Prices are in US dollars, before the multiplier. */
const offeredModel = z.strictObject({
  name: z.string(),
  display_name: z.string(),
  owned_by: z.string(),
  kind: z.enum(modelKinds),
  ...wirePrices,
  long_prompt: wireLongPrompt,
  context_tokens_max: z.int(),
  output_tokens_max: z.int(),
  takes_images: z.boolean(),
  deprecated_at: z.iso.datetime({ offset: true }).nullable(),
  sunset_at: z.iso.datetime({ offset: true }).nullable(),
});
export const offeredModelsResponse = z.strictObject({ models: z.array(offeredModel) });
