import { z } from "zod";
import { consentPages } from "./brand.ts";
import { strictObject } from "./strict-object.ts";

/** What a registration proves and brings along. */
export const registrationPasses = {
  /** The code of an invitation. */
  invitation: z.string().max(100).optional(),
  /** The challenge and the number that solves it for this address. */
  proof: strictObject(() => ({ challenge: z.string().max(300), solution: z.string().max(20) })).optional(),
  /** The editions of the legal pages that the person accepts: all that the rules name. */
  accepts: z
    .array(strictObject(() => ({ page: z.enum(consentPages), edition: z.int().min(1).max(1_000_000) })))
    .max(consentPages.length)
    .optional(),
} as const;
