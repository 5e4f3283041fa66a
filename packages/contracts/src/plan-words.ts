import type { Locale } from "./locales.ts";
import type { PlanNames, PlanTexts } from "./plan-texts.ts";

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

/** What the plan of an order or a subscription is called in a language. */
export function planNameIn(
  named: { readonly plan_name: string; readonly plan_names: PlanNames },
  locale: Locale,
): string {
  return named.plan_names[locale] ?? named.plan_name;
}
