import { z } from "zod";
import { modelCapabilities } from "./model-capabilities.ts";
import { modelKinds } from "./model-kinds.ts";
import { strictObject } from "./strict-object.ts";
import { wireDecimal, wireLongPrompt, wireMoment, wirePrices } from "./wire.ts";

/** A group that the user may choose for a key. */
const offeredGroup = strictObject(() => ({
  name: z.string(),
  description: z.string(),
  /** The product of the group's multiplier and the user's own. */
  multiplier: wireDecimal,
  /** When the user loses the group; null for never. */
  ends_at: wireMoment.nullable(),
  /** Whether keys without a group of their own use it. */
  is_chosen: z.boolean(),
}));

/** The models of one group: by default of the one that keys without a group of their own use. */
export const offeredModelsInput = strictObject(() => ({ group: z.string().max(100).optional() }));

/** A model that the user's keys can call. Prices are in US dollars, as the user pays them in this group. */
const offeredModel = strictObject(() => ({
  name: z.string(),
  display_name: z.string(),
  owned_by: z.string(),
  kind: z.enum(modelKinds),
  ...wirePrices,
  long_prompt: wireLongPrompt,
  context_tokens_max: z.int(),
  output_tokens_max: z.int(),
  takes_images: z.boolean(),
  capabilities: z.array(z.enum(modelCapabilities)),
  deprecated_at: z.iso.datetime({ offset: true }).nullable(),
  sunset_at: z.iso.datetime({ offset: true }).nullable(),
  replacement_model: z.string().nullable(),
}));
export const offeredModelsResponse = strictObject(() => ({
  group: z.string(),
  groups: z.array(offeredGroup),
  models: z.array(offeredModel),
}));
