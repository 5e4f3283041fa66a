import { z } from "zod";
import { strictObject } from "./strict-object.ts";
import { wireInteger } from "./wire.ts";

/** After a clearing: how many there have been. */
export const clearedCacheOutput = strictObject(() => ({ generation: wireInteger }));

/** What users are offered: whether keys can use the cache, and what a hit costs in hundredths of a percent of its normal price. */
export const cacheOfferResponse = strictObject(() => ({ is_offered: z.boolean(), price_basis_points: z.int() }));
