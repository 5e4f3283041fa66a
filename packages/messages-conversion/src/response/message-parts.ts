import { isJsonObject, type JsonObject, textOf } from "../json.ts";

/** The text of `content`: a string, or the text parts of a list. */
export function contentText(content: unknown): string {
  if (typeof content === "string") {
    return content;
  }
  return Array.isArray(content) ? content.map(partText).join("") : "";
}

/** Parts with thinking are not part of the text. */
function partText(part: unknown): string {
  if (typeof part === "string") {
    return part;
  }
  return isJsonObject(part) && part["type"] !== "thinking" ? (textOf(part["text"]) ?? "") : "";
}

/** The thinking in a message or a delta; upstreams have three fields for it and some fill two with the same text. */
export function reasoningText(message: JsonObject): string {
  return (
    textOf(message["reasoning_content"]) ??
    textOf(message["reasoning"]) ??
    detailsText(message["reasoning_details"]) ??
    ""
  );
}

function detailsText(details: unknown): string | null {
  if (!Array.isArray(details)) {
    return null;
  }
  const texts = details.map((detail) => (isJsonObject(detail) ? (textOf(detail["text"]) ?? "") : ""));
  return textOf(texts.join(""));
}
