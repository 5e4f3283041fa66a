import { pricesOf } from "@sluice/contracts/priced-units";
import type { SiteModel } from "@sluice/contracts/site-catalogue";
import { capabilitiesOf } from "./capabilities.ts";
import type { ModelRow } from "./model-store.ts";

/** A model with its price as the public pages show it. */
export function siteModel(row: ModelRow): SiteModel {
  return {
    name: row.name,
    display_name: row.display_name,
    owned_by: row.owned_by,
    kind: row.kind,
    ...pricesOf(row),
    long_prompt: row.long_prompt,
    context_tokens_max: row.context_tokens_max,
    output_tokens_max: row.output_tokens_max,
    takes_images: row.image_tokens_max > 0,
    capabilities: capabilitiesOf(row),
    deprecated_at: row.deprecated_at?.toISOString() ?? null,
    sunset_at: row.sunset_at?.toISOString() ?? null,
    replacement_model: row.replacement_model,
  };
}
