import { AppError } from "../../../platform/errors.ts";
import { checkOption } from "../../options/check-options.ts";
import { isKnownName, refuseDisguise } from "../../options/known-names.ts";
import { type OptionPlace, optionsOf } from "../../options/option-table.ts";
import type { FormPart } from "./read-multipart.ts";

/** A field that affects the price may have at most this many bytes. */
const valueBytesMax = 1_024;
/** These text fields may have any length, and the gateway does not parse them. */
const freeTexts: ReadonlySet<string> = new Set(["prompt"]);
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Some parsers take these names as instructions on how to read the other fields. */
const orders: ReadonlySet<string> = new Set(["_charset_", "_method"]);

/** The form fields that are read here, and the number of files. */
export type Form = { readonly fields: Readonly<Record<string, string>>; readonly files: number };

/**
 * Checks the names of all parts, and the fields the price depends on.
 * @throws AppError `invalid_value` for a field that occurs twice, is a file, or is not a short text; `unknown_field`
 * for a name that only looks like one of these; `unpriced_option`, `provider_object` for options that are not offered
 */
export function checkForm(parts: readonly FormPart[], place: OptionPlace | null): Form {
  const fields: Record<string, string> = {};
  let files = 0;
  for (const part of parts) {
    files += part.file === null ? 0 : 1;
    checkName(part.name);
    if (!isKnownName(part.name) && optionsOf(part.name) === undefined) {
      continue;
    }
    const value = readValue(part);
    if (value === null || part.name in fields) {
      const message = `The form must have one plain field '${part.name}'.`;
      throw new AppError("invalid_value", { message, param: part.name });
    }
    checkOption(part.name, value, place);
    fields[part.name] = value;
  }
  const { stream = "false" } = fields;
  if (!/^(?:true|false)$/i.test(stream)) {
    throw new AppError("invalid_value", { message: "The field 'stream' must be true or false.", param: "stream" });
  }
  return { fields, files };
}

/**
 * Form parsers turn names with brackets and dots into lists and objects, so only the beginning of such a name counts.
 */
function checkName(name: string): void {
  const [first = ""] = name.split(/[.[\]]/);
  if (orders.has(name) || /file_id|vector_store/i.test(name)) {
    const code = orders.has(name) ? "unknown_field" : "provider_object";
    throw new AppError(code, { param: name });
  }
  if (first !== name && isKnownName(first)) {
    throw new AppError("unknown_field", { message: "A field name is almost the same as another one.", param: name });
  }
  refuseDisguise(first, name);
}

function readValue({ name, file, value }: FormPart): string | null {
  if (file !== null) {
    return null;
  }
  if (freeTexts.has(name)) {
    return "";
  }
  try {
    return value.length > valueBytesMax ? null : utf8.decode(value);
  } catch {
    return null;
  }
}
