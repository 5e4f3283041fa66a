import { z } from "zod";
import { strictObject } from "./strict-object.ts";

/** What an operator sets up before customers come, in this order. */
export const setupSteps = [
  "provider",
  "models",
  "plan",
  "payment",
  "mail",
  "address",
  "brand",
  "legal",
  "backup",
  "authenticator",
] as const;

export const setupOutput = strictObject(() => ({
  steps: z.array(z.strictObject({ step: z.enum(setupSteps), is_done: z.boolean() })),
}));
