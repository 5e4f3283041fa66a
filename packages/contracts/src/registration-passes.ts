import { z } from "zod";

/** What a registration proves and brings along. */
export const registrationPasses = {
  /** The code of an invitation. */
  invitation: z.string().max(100).optional(),
  /** The challenge and the number that solves it for this address. */
  proof: z.strictObject({ challenge: z.string().max(300), solution: z.string().max(20) }).optional(),
} as const;
