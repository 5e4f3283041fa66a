import { isAscii } from "node:buffer";
import { AppError } from "./errors.ts";
import { type JsonShape, scanJson } from "./scan-json.ts";

/**
 * These limits are far above the longest agent conversations. A text that consists of little but keys, values or
 * brackets is refused before anything is built from it.
 */
const jsonLimits = { depthMax: 64, keysMax: 100_000, topLevelKeysMax: 1_000, valuesMax: 1_000_000 };
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A JSON object with unchecked fields, and their positions in its text. */
export type ReadObject = { readonly fields: Record<string, unknown>; readonly shape: JsonShape };

/**
 * Reads the body of a call.
 * @throws AppError `invalid_json` for anything but a JSON object, for a duplicate field, and for a body beyond the
 *   limits
 */
export function readJsonObject(bytes: Buffer): ReadObject {
  const shape = scanJson(bytes, jsonLimits);
  if (shape.isOverLimit) {
    throw new AppError("invalid_json", { message: "The JSON is nested too deep or has too many keys or values." });
  }
  let value: unknown;
  try {
    // Most bodies are ASCII, and an ASCII body needs no second copy of its text.
    value = JSON.parse(isAscii(bytes) ? bytes.toString("latin1") : utf8.decode(bytes));
  } catch {
    throw new AppError("invalid_json");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("invalid_json", { message: "The request body must be a JSON object." });
  }
  // Parsers differ in which of two fields with the same name they use, so duplicates are refused at any depth.
  if (shape.hasDuplicateTopLevelKey || countKeys(value) !== shape.keys) {
    throw new AppError("invalid_json", { message: "A field occurs twice in the request body." });
  }
  return { fields: value as Record<string, unknown>, shape };
}

/** Keys at all depths of a value whose depth is limited. */
function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) {
    return 0;
  }
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
  let keys = inner === value ? 0 : inner.length;
  for (let index = 0; index < inner.length; index += 1) {
    const item = inner[index];
    keys += typeof item === "object" ? countKeys(item) : 0;
  }
  return keys;
}
