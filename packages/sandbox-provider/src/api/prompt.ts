/** Reads request bodies. A client wrote them, so nothing about their shape is assumed. */
import type { IncomingRequest } from "../script/incoming-request.ts";
import { refuse } from "./json-answer.ts";

export type JsonObject = { readonly [name: string]: unknown };

export function asObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * The body as an object that names a model.
 * @throws RequestRefused with the words of the real provider
 */
export function requireBody(request: IncomingRequest): JsonObject & { readonly model: string } {
  if (!/^application\/json\b/i.test(request.header("content-type") ?? "")) {
    throw refuse("Invalid Content-Type header. Expected 'application/json'.");
  }
  const body = request.jsonObject;
  if (body === null) {
    throw refuse("We could not parse the JSON body of your request. The API expects a JSON payload.");
  }
  if (typeof body["model"] !== "string" || body["model"] === "") {
    throw refuse("you must provide a model parameter");
  }
  return { ...body, model: body["model"] };
}

/**
 * An integer of at least `least`, or null when the field is absent.
 * @throws RequestRefused
 */
export function optionalCount(body: JsonObject, name: string, least: number): number | null {
  const value = body[name] ?? null;
  if (value === null) {
    return null;
  }
  if (typeof value !== "number" || !Number.isInteger(value)) {
    throw refuse(`Invalid type for '${name}': expected an integer.`, name, "invalid_type");
  }
  if (value < least) {
    throw refuse(`Invalid '${name}': integer below minimum value.`, name, "integer_below_min_value");
  }
  return value;
}

/** The text of a message or an input item, whatever the form of its content. */
export function textOf(content: unknown): string {
  if (typeof content === "string") {
    return content;
  }
  return asArray(content)
    .map((part) => asObject(part)["text"])
    .filter((text) => typeof text === "string")
    .join(" ");
}

/** The text of the last message if it is the user's, or null. */
export function lastUserText(request: IncomingRequest): string | null {
  const body = request.jsonObject ?? {};
  const spoken = body["messages"] ?? body["input"] ?? body["prompt"];
  if (typeof spoken === "string") {
    return spoken;
  }
  const last = asArray(spoken).at(-1);
  if (typeof last === "string") {
    return last;
  }
  return asObject(last)["role"] === "user" ? textOf(asObject(last)["content"]) : null;
}
