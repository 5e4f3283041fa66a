import { AppError } from "../../../platform/errors.ts";
import type { JsonObject } from "../model.ts";

/** The fields by their names in camel case. Each may be there once, in one of its spellings. */
export function readFields(fields: JsonObject, known: ReadonlyMap<string, string>, prefix: string): JsonObject {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const spelt = known.get(name);
    if (spelt === undefined || spelt in read) {
      throw new AppError("unknown_field", { param: `${prefix}${name}` });
    }
    read[spelt] = value;
  }
  return read;
}

/** The API accepts `maxOutputTokens` and `max_output_tokens`, and knows no other spelling. */
export function fieldsOf(names: readonly string[]): ReadonlyMap<string, string> {
  const inSnakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return new Map(names.flatMap((name) => [[name, name] as const, [inSnakeCase(name), name] as const]));
}

export function objectOf(value: unknown, param: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("invalid_type", { message: `'${param}' must be an object.`, param });
  }
  return value as JsonObject;
}

export function listOf(value: unknown, param: string): readonly unknown[] {
  if (!Array.isArray(value)) {
    throw new AppError("invalid_type", { message: `'${param}' must be an array.`, param });
  }
  return value;
}
