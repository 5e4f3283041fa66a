import { AppError } from "../../../platform/errors.ts";
import type { JsonObject } from "../model.ts";

/**
 * A whole number, or null when the field is missing.
 * @throws AppError `invalid_value` when it is anything else, or outside the limits
 */
export function readCount(fields: JsonObject, name: string, min: number, max = Number.MAX_SAFE_INTEGER): number | null {
  const value = fields[name];
  if (value === undefined || value === null) {
    return null;
  }
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < min || value > max) {
    throw new AppError("invalid_value", {
      message: `The field '${name}' must be an integer of at least ${min}.`,
      param: name,
    });
  }
  return value;
}
