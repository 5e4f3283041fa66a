import { z } from "zod";
import { allLocales } from "./locales.ts";
import { strictObject } from "./strict-object.ts";
import type { Unsent } from "./wire.ts";

export const planNameMax = 100;
export const planDescriptionMax = 1_000;
export const planFeaturesMax = 20;

export const planName = z.string().trim().min(1).max(planNameMax);
export const planDescription = z.string().trim().max(planDescriptionMax);
export const planFeatures = z.array(z.string().trim().min(1).max(200)).max(planFeaturesMax);

/** The words of a plan by language; what a language lacks is as in the plan itself. */
export const planTexts = z.partialRecord(
  z.enum(allLocales),
  strictObject(() => ({
    name: planName.optional(),
    description: planDescription.min(1).optional(),
    features: planFeatures.min(1).optional(),
  })),
);
export type PlanTexts = Unsent<z.output<typeof planTexts>>;

/** What a plan is called in the languages that have a name of their own for it. */
export const planNames = z.partialRecord(z.enum(allLocales), z.string());
export type PlanNames = Unsent<z.output<typeof planNames>>;
