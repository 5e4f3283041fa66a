import { invalidRequest } from "../errors/messages-error.ts";
import { isJsonObject, type JsonObject } from "../json.ts";

/** @throws MessagesError that names the field when it is absent or not a string */
export function requireText(holder: JsonObject, field: string, at: string): string {
  const value = holder[field];
  if (typeof value === "string") {
    return value;
  }
  throw invalidRequest(`${at}.${field}`, value === undefined ? "Field required" : "Input should be a valid string");
}

/** @throws MessagesError that names the field when it is absent or not an object */
export function requireObject(holder: JsonObject, field: string, at: string): JsonObject {
  const value = holder[field];
  if (isJsonObject(value)) {
    return value;
  }
  throw invalidRequest(`${at}.${field}`, value === undefined ? "Field required" : "Input should be an object");
}

/** The value as an object. @throws MessagesError that names the location */
export function asObject(value: unknown, at: string): JsonObject {
  if (isJsonObject(value)) {
    return value;
  }
  throw invalidRequest(at, "Input should be an object");
}

/** The field as a list, empty when absent or null. @throws MessagesError that names the field */
export function listOf(holder: JsonObject, field: string, at = ""): readonly unknown[] {
  const value = holder[field];
  if (value === undefined || value === null) {
    return [];
  }
  if (Array.isArray(value)) {
    return value;
  }
  throw invalidRequest(`${at}${field}`, "Input should be a valid list");
}

/** How deep a value of a request may be nested. */
export const depthMax = 256;

/** The value as compact JSON in the order of its keys. @throws MessagesError when it is nested too deeply */
export function compactJson(value: unknown, at: string): string {
  requireShallow(value, at);
  return JSON.stringify(value) ?? "null";
}

/**
 * Refuses excessive nesting before anything serialises it: the serialiser would take seconds to run out of stack.
 * @throws MessagesError that names the location
 */
export function requireShallow(value: unknown, at: string): void {
  if (typeof value === "object" && value !== null && isDeeperThan(value, depthMax)) {
    throw invalidRequest(at, "Input is nested too deeply");
  }
}

/** For lists of values, this check is several times faster than one that visits each field. */
export function isDeeperThan(value: object, depth: number): boolean {
  if (depth === 0) {
    return true;
  }
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return inner.some((entry) => typeof entry === "object" && entry !== null && isDeeperThan(entry, depth - 1));
}
