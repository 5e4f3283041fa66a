import { z } from "zod";
import { modelName } from "./catalog-admin.ts";
import { fallbacksMax } from "./fallback-limits.ts";
import { groupName } from "./groups.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";

/** Without any model, the rule is removed. */
export const saveFallbacksInput = strictObject(() => ({
  model: modelName,
  group_name: groupName
    .nullable()
    .default(null)
    .describe("The group of the callers; null for all groups without a rule of their own."),
  fallback_models: z
    .array(modelName)
    .max(fallbacksMax)
    .default([])
    .describe("The models that may answer once every channel of the model has failed, in this order."),
  larger_model: modelName.nullable().default(null).describe("The model for prompts that are too long for it."),
  is_for_every_key: z
    .boolean()
    .default(false)
    .describe("Whether the rule applies to every key, or only to keys that allow it."),
  reason: reasonText(500).optional(),
}));
export type SaveFallbacksInput = z.output<typeof saveFallbacksInput>;

export const fallbackRule = strictObject(() => ({
  group_name: z.string().nullable(),
  fallback_models: z.array(z.string()),
  larger_model: z.string().nullable(),
  is_for_every_key: z.boolean(),
}));
