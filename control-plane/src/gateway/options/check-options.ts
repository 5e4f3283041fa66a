import { AppError } from "../../platform/errors.ts";
import { refuseDisguise } from "./known-names.ts";
import { type OptionPlace, optionsOf } from "./option-table.ts";

type JsonObject = Record<string, unknown>;

/**
 * Checks every field of a request, or of the part of an event that resembles one.
 * @param prefix comes before the field's name in an error
 * @throws AppError with the field in `param`: `unpriced_option`, `provider_object`, `unknown_field`
 */
export function checkOptions(fields: JsonObject, place: OptionPlace | null, prefix = ""): void {
  for (const name of Object.keys(fields)) {
    refuseDisguise(name, `${prefix}${name}`);
    checkOption(name, fields[name], place, `${prefix}${name}`);
  }
}

/** Checks one option. @throws AppError as `checkOptions` does */
export function checkOption(name: string, value: unknown, place: OptionPlace | null, param = name): void {
  const options = value === null || value === undefined ? undefined : optionsOf(name);
  const found = options?.find(({ places }) => places === null || (place !== null && places.includes(place)));
  if (found !== undefined && !found.isHarmless(value)) {
    throw new AppError(found.code, { message: `The option '${param}' is not offered. ${found.why}`, param });
  }
}
