import { AppError } from "../../platform/errors.ts";
import { checkTools } from "./check-tools.ts";
import { refuseInnerDisguise } from "./known-names.ts";

type JsonObject = Record<string, unknown>;

const objectFields = ["file_id", "file_ids", "vector_store_ids"];

/** @throws AppError `provider_object` for a file or a store in the provider's account */
export function refuseObjects(item: JsonObject, param: string): void {
  for (const name of objectFields) {
    if (item[name] !== undefined && item[name] !== null) {
      throw new AppError("provider_object", {
        message: "Files belong to the provider's shared account. Send the content itself.",
        param: `${param}.${name}`,
      });
    }
  }
}

/**
 * Refuses such an object at any depth of a value.
 * @throws AppError `provider_object`, `unpriced_option`, `unknown_field`
 */
export function refuseObjectsWithin(value: unknown, param: string): void {
  if (typeof value !== "object" || value === null) {
    return;
  }
  if (Array.isArray(value)) {
    // `Object.entries` of a list takes microseconds for each of its entries.
    for (const inner of value) {
      refuseObjectsWithin(inner, param);
    }
    return;
  }
  refuseObjects(value as JsonObject, param);
  for (const [name, inner] of Object.entries(value)) {
    if (name === "tools") {
      checkTools(inner, `${param}.tools`);
    } else {
      refuseInnerDisguise(name, param);
      refuseObjectsWithin(inner, param);
    }
  }
}
