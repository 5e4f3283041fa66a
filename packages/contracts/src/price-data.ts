import { z } from "zod";
import { priceFileBytesMax } from "./price-file-limits.ts";
import { priceColumns } from "./priced-units.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { wireLongPrompt, wireMoment } from "./wire.ts";

const reason = reasonText(500).optional();

export const uploadPricesInput = strictObject(() => ({
  file_name: z.string().regex(/^[^\p{C}/\\]{1,200}$/u, "the name of a file"),
  /** The text of the file. */
  content: z.string().min(2).max(priceFileBytesMax),
  reason,
}));

/** Null sets no address, so that nothing is fetched. */
export const savePriceSourceInput = strictObject(() => ({
  url: z
    .string()
    .trim()
    .max(2_000)
    .regex(/^https?:\/\/[^\s/?#@]+\/[\x21-\x7e]*$/, "an address like https://prices.example/data.json")
    .nullable(),
  reason,
}));

export const removePricesInput = strictObject(() => ({ reason }));

/** A price of a model in the catalog that differs from the provider's in the data. */
const priceDifference = strictObject(() => ({
  price: z.enum(priceColumns),
  /** US dollars; null where the catalog has no price of its own for the unit. */
  from: z.string().nullable(),
  to: z.string(),
}));

export const priceComparison = strictObject(() => ({
  model: z.string(),
  /** The state that was compared; a later change of the model makes accepting fail. */
  updated_at: wireMoment,
  /** Whose price it is, in which data. */
  source: z.string(),
  upstream_model: z.string(),
  differences: z.array(priceDifference),
  long_prompt: z.strictObject({ from: wireLongPrompt, to: wireLongPrompt }).nullable(),
  notes: z.array(z.string()),
}));

/** The prices of providers that proposals are made from, and what in the catalog differs from them. */
export const priceDataState = strictObject(() => ({
  /** Null for the data that the program ships with. */
  stored: z
    .strictObject({
      kind: z.enum(["upload", "url"]),
      name: z.string(),
      providers: z.int(),
      models: z.int(),
      stored_at: wireMoment,
      stored_by: z.string(),
    })
    .nullable(),
  shipped: z.string(),
  url: z.string().nullable(),
  check: z.strictObject({ checked_at: wireMoment, is_ok: z.boolean(), result: z.string() }).nullable(),
  comparisons: z.array(priceComparison),
  /** How many models of the catalog the data knows, whether they differ or not. */
  compared: z.int(),
}));
