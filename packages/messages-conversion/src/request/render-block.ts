import { isJsonObject, type JsonObject, textOf } from "../json.ts";
import { compactJson } from "./check-fields.ts";

const opaqueLengthMin = 256;

/**
 * A block without a counterpart upstream, as text that a model can read: the input of a server-side tool, or its
 * result. Encoded and encrypted content is omitted, because it would cost a lot and say nothing to the model.
 */
export function renderBlock(block: JsonObject, at: string): string {
  const { type, name, input, content } = block;
  const label = textOf(type) ?? "block";
  if (label === "server_tool_use" || label === "mcp_tool_use") {
    return `[${textOf(name) ?? label} ${readableJson(input ?? {}, at)}]`;
  }
  if (label.endsWith("tool_result")) {
    return `[${label}: ${renderResult(content, at)}]`;
  }
  return readableJson(block, at);
}

function renderResult(content: unknown, at: string): string {
  if (typeof content === "string") {
    return content;
  }
  if (!Array.isArray(content)) {
    return readableJson(content ?? null, at);
  }
  return content.map((found) => renderFound(found, at)).join("\n");
}

function renderFound(found: unknown, at: string): string {
  if (!isJsonObject(found)) {
    return readableJson(found, at);
  }
  const title = textOf(found["title"]);
  const url = textOf(found["url"]);
  if (url !== null) {
    return title === null ? url : `${title} ${url}`;
  }
  return textOf(found["text"]) ?? readableJson(found, at);
}

function readableJson(value: unknown, at: string): string {
  return compactJson(withoutOpaqueFields(value, 0), at);
}

const depthMax = 32;

function withoutOpaqueFields(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) {
    return depth > depthMax ? [] : value.map((entry) => withoutOpaqueFields(entry, depth + 1));
  }
  if (!isJsonObject(value)) {
    return value;
  }
  const readable: { [field: string]: unknown } = {};
  for (const [field, inner] of Object.entries(depth > depthMax ? {} : value)) {
    if (field === "cache_control" || field.startsWith("encrypted_")) {
      continue;
    }
    const isEncoded = field === "data" && typeof inner === "string";
    readable[field] =
      isEncoded && (value["type"] === "base64" || inner.length > opaqueLengthMin)
        ? "[data]"
        : withoutOpaqueFields(inner, depth + 1);
  }
  return readable;
}
