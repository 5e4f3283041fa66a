import { AppError } from "../../platform/errors.ts";
import { plainRequestNames, refuseDisguise } from "./known-names.ts";
import { type Option, type OptionPlace, optionsOf } from "./option-table.ts";

type JsonObject = Record<string, unknown>;

/** The options of each plain name, or null. Nearly every field is found here. */
const plainOptions: ReadonlyMap<string, readonly Option[] | null> = new Map(
  [...plainRequestNames].map((name) => [name, optionsOf(name) ?? null]),
);

/**
 * Checks every field of a request, or of the part of an event that resembles one.
 * @param prefix comes before the field's name in an error
 * @throws AppError with the field in `param`: `unpriced_option`, `provider_object`, `unknown_field`
 */
export function checkOptions(fields: JsonObject, place: OptionPlace | null, prefix = ""): void {
  for (const name in fields) {
    let options = plainOptions.get(name);
    if (options === undefined) {
      refuseDisguise(name, `${prefix}${name}`);
      options = optionsOf(name) ?? null;
    }
    if (options !== null) {
      checkValue(fields[name], options, place, `${prefix}${name}`);
    }
  }
}

/** Checks one option. @throws AppError as `checkOptions` does */
export function checkOption(name: string, value: unknown, place: OptionPlace | null): void {
  checkValue(value, optionsOf(name) ?? [], place, name);
}

function checkValue(value: unknown, options: readonly Option[], place: OptionPlace | null, param: string): void {
  const isSet = value !== null && value !== undefined;
  const found = isSet
    ? options.find(({ places }) => places === null || (place !== null && places.includes(place)))
    : undefined;
  if (found !== undefined && !found.isHarmless(value)) {
    throw new AppError(found.code, { message: `The option '${param}' is not offered. ${found.why}`, param });
  }
}
