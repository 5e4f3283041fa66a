import { z } from "zod";
import { modelKinds } from "./model-kinds.ts";
import { priceColumns } from "./priced-units.ts";
import { strictObject } from "./strict-object.ts";
import { wireLongPrompt } from "./wire.ts";

/** What a provider's model would be in the catalog. An admin confirms it; it changes nothing by itself. */
export const modelProposal = strictObject(() => ({
  /** The provider's name of the model. */
  upstream_model: z.string(),
  /** The name for calls: the provider's without the vendor, as long as no other model of the list has it. */
  name: z.string(),
  display_name: z.string(),
  owned_by: z.string(),
  kind: z.enum(modelKinds),
  context_tokens_max: z.int(),
  output_tokens_max: z.int(),
  image_tokens_max: z.int(),
  /** Whether neither the provider nor our table states the limits, so that they are a common value. */
  are_limits_assumed: z.boolean(),
  /** US dollars; null when no price is known. Without its own entry a unit has no price of its own. */
  prices: z.partialRecord(z.enum(priceColumns), z.string()).nullable(),
  /** The prices of calls with a longer prompt; null if they are the same. */
  long_prompt: wireLongPrompt,
  /** Where the prices are from and as of which day; null without prices. */
  price_source: z.string().nullable(),
  /** What the provider also charges, or charges differently, in words. */
  price_notes: z.array(z.string()),
  /** Whether the catalog has a model of this name, which keeps its own prices and limits. */
  is_in_catalog: z.boolean(),
}));
export type ModelProposal = z.output<typeof modelProposal>;

export const proposedModels = strictObject(() => ({
  models: z.array(modelProposal),
  /** The models of the list that no call can use, such as those that make videos. */
  left_out: z.int(),
}));
