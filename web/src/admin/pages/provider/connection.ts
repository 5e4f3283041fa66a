import { composePreset, placeProblems } from "@sluice/contracts/compose-preset";
import type { ProviderPreset } from "@sluice/contracts/provider-presets";
import type { UpstreamSettingsInput } from "@sluice/contracts/upstreams";
import { t } from "../../translate.ts";
import {
  addressDialects,
  addressField,
  names,
  type SettingsValues,
  settingsProblems,
  toSettings,
  toValues,
} from "../upstreams/settings-values.ts";

/** The fields of a connection; those of the places of a preset are named `place.` and the place. */
export type ConnectionValues = SettingsValues & {
  readonly name: string;
  readonly credential: string;
  /** Names of models, for a provider without a list. */
  readonly names: string;
} & Readonly<Record<`place.${string}`, string>>;

export const placeField = (name: string) => `place.${name}` as const;

export function initialConnection(preset: ProviderPreset | null): ConnectionValues {
  const places = Object.fromEntries((preset?.places ?? []).map(({ name, usual }) => [placeField(name), usual]));
  const settings = preset === null ? null : composePreset(preset, placesOf(preset, places));
  return { ...toValues(settings), name: preset?.name ?? "", credential: "", names: "", ...places } as ConnectionValues;
}

/** What the operator entered for the places of a preset. */
function placesOf({ places }: ProviderPreset, values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(places.map(({ name }) => [name, String(values[placeField(name)] ?? "")]));
}

/** The fields of the addresses as they are when a place has another value. */
export function withPlace(preset: ProviderPreset, values: ConnectionValues, place: string, text: string) {
  const entered = { ...values, [placeField(place)]: text };
  const { dialects } = composePreset(preset, placesOf(preset, entered));
  const addresses = Object.entries(dialects).map(([dialect, { base_url: address }]) => [
    `upstream.dialects.${dialect}.base_url`,
    address,
  ]);
  return { ...entered, ...Object.fromEntries(addresses) } as ConnectionValues;
}

export function connectionProblems(
  preset: ProviderPreset | null,
  values: ConnectionValues,
): Partial<Record<keyof ConnectionValues, string>> {
  const places = preset === null ? {} : placeProblems(preset, placesOf(preset, values));
  const hasAddress = addressDialects.some((dialect) => values[addressField(dialect)].trim() !== "");
  const needsCredential = preset?.needsCredential === true && values.credential.trim() === "";
  const needsNames = preset?.modelList === null && names(values.names).length === 0;
  return {
    ...(hasAddress ? {} : { [addressField("chat")]: t("Enter the address of at least one API.") }),
    ...settingsProblems(values),
    ...Object.fromEntries(Object.entries(places).map(([name, text]) => [placeField(name), text])),
    ...(needsCredential ? { credential: t("Enter the key of your account at the provider.") } : {}),
    ...(needsNames ? { names: t("Enter the name of at least one model.") } : {}),
    ...(values.name.trim() === "" ? { name: t("Enter a name for the channel.") } : {}),
  };
}

export function settingsOf(preset: ProviderPreset | null, values: ConnectionValues): UpstreamSettingsInput {
  return toSettings(values, preset === null ? null : composePreset(preset, placesOf(preset, values)));
}
