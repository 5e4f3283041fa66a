import type { Locale } from "./locales.ts";
import type { PlanTexts } from "./plan-texts.ts";

type PlanWords = { readonly name: string; readonly description: string; readonly features: readonly string[] };

/** What a plan is called and promises in a language. */
export function planWords(plan: PlanWords & { readonly texts: PlanTexts }, locale: Locale): PlanWords {
  const own = plan.texts[locale];
  return {
    name: own?.name ?? plan.name,
    description: own?.description ?? plan.description,
    features: own?.features ?? plan.features,
  };
}
