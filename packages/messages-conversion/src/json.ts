/** A JSON object with unchecked fields. */
export type JsonObject = { readonly [field: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Clients write `null` where they mean "not set"; both forms count as absent. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The value if it is a non-empty string, else null. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
