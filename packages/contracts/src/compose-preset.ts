import type { PresetPlace, ProviderPreset } from "./provider-presets.ts";
import type { UpstreamSettingsInput } from "./upstreams.ts";

const forms: Readonly<Record<PresetPlace["form"], { readonly pattern: RegExp; readonly problem: string }>> = {
  word: { pattern: /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/, problem: "Enter letters, digits and hyphens." },
  origin: {
    pattern: /^https?:\/\/(?:[A-Za-z0-9.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(?::\d{1,5})?$/,
    problem: "Enter an address like http://localhost:8000, without a path.",
  },
};

/** What is wrong with the values of a preset's places, by place; empty if nothing is. */
export function placeProblems(
  { places }: ProviderPreset,
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const wrong = places.filter(({ name, form }) => !forms[form].pattern.test(entered(values, name)));
  return Object.fromEntries(wrong.map(({ name, form }) => [name, forms[form].problem]));
}

/**
 * The settings of a channel that is set up by a preset.
 * @param values what the operator entered for the places of its addresses, in which `placeProblems` finds nothing
 */
export function composePreset(preset: ProviderPreset, values: Readonly<Record<string, string>>): UpstreamSettingsInput {
  const fill = (text: string): string => text.replace(/\{([a-z]+)\}/g, (_, name: string) => entered(values, name));
  const dialects = Object.entries(preset.dialects).map(
    ([dialect, { base_url: baseUrl, auth }]) => [dialect, { base_url: fill(baseUrl), auth }] as const,
  );
  return { preset: preset.id, dialects: Object.fromEntries(dialects), flags: preset.flags };
}

function entered(values: Readonly<Record<string, string>>, name: string): string {
  return (values[name] ?? "").trim().replace(/\/+$/, "");
}
