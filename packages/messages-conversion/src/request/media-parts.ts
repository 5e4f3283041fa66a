import type { ContentPart, ImagePart } from "../chat-completions.ts";
import { invalidRequest } from "../errors/messages-error.ts";
import { isGiven, isJsonObject, type JsonObject, textOf } from "../json.ts";
import { asObject, listOf, requireObject, requireText } from "./check-fields.ts";
import type { RequestContext } from "./context.ts";

/**
 * An image block as an image part. @param at path of the block
 * @throws MessagesError when the model does not accept images or the source can't be converted
 */
export function toImagePart(block: JsonObject, at: string, context: RequestContext): ImagePart {
  if (!context.flags.vision) {
    throw invalidRequest(at, "images are not supported by this model");
  }
  const place = `${at}.image.source`;
  const source = requireObject(block, "source", `${at}.image`);
  switch (source["type"]) {
    case "base64": {
      const url = `data:${requireText(source, "media_type", place)};base64,${requireText(source, "data", place)}`;
      return { type: "image_url", image_url: { url } };
    }
    case "url":
      return { type: "image_url", image_url: { url: requireText(source, "url", place) } };
    default:
      throw unsupportedSource(source, place);
  }
}

/**
 * A document block as parts: plain text and lists of blocks as their parts, a PDF as a file.
 * @throws MessagesError when the model does not accept files or the source can't be converted
 */
export function toDocumentParts(block: JsonObject, at: string, context: RequestContext): ContentPart[] {
  noteDocumentExtras(block, context);
  const place = `${at}.document.source`;
  const source = requireObject(block, "source", `${at}.document`);
  const title = textOf(block["title"]);
  switch (source["type"]) {
    case "text":
      return [{ type: "text", text: titled(title, requireText(source, "data", place)) }];
    case "content":
      return toContentParts(source, place, context);
    case "base64":
      return [toFilePart(source, title, at, context)];
    default:
      throw unsupportedSource(source, place);
  }
}

/** A search result as text: title, source and content, each on its own line. */
export function toSearchResultText(block: JsonObject, at: string, context: RequestContext): string {
  const place = `${at}.search_result`;
  const lines = [requireText(block, "title", place), requireText(block, "source", place)];
  for (const [index, value] of listOf(block, "content", `${place}.`).entries()) {
    const part = `${place}.content.${index}`;
    lines.push(requireText(asObject(value, part), "text", part));
  }
  noteDocumentExtras(block, context);
  return lines.join("\n");
}

function toContentParts(source: JsonObject, place: string, context: RequestContext): ContentPart[] {
  const { content } = source;
  if (typeof content === "string") {
    return [{ type: "text", text: content }];
  }
  return listOf(source, "content", `${place}.`).map((value, index) => {
    const at = `${place}.content.${index}`;
    const block = asObject(value, at);
    context.dropped.addMarksOf(block);
    if (block["type"] === "image") {
      return toImagePart(block, at, context);
    }
    return { type: "text", text: requireText(block, "text", at) };
  });
}

function toFilePart(source: JsonObject, title: string | null, at: string, context: RequestContext): ContentPart {
  const place = `${at}.document.source`;
  const mediaType = requireText(source, "media_type", place);
  if (mediaType !== "application/pdf") {
    throw invalidRequest(`${place}.media_type`, "Input should be 'application/pdf'");
  }
  if (!context.flags.files) {
    throw invalidRequest(at, "PDF documents are not supported by this model");
  }
  const data = requireText(source, "data", place);
  const file = { filename: title ?? "document.pdf", file_data: `data:${mediaType};base64,${data}` };
  return { type: "file", file };
}

function titled(title: string | null, text: string): string {
  return title === null ? text : `<document title="${title.replaceAll('"', "&quot;")}">\n${text}\n</document>`;
}

function noteDocumentExtras(block: JsonObject, context: RequestContext): void {
  const { citations, context: about } = block;
  if (isJsonObject(citations) && citations["enabled"] === true) {
    context.dropped.add("citations");
  }
  if (isGiven(about)) {
    context.dropped.add("document.context");
  }
}

function unsupportedSource(source: JsonObject, place: string) {
  const { type } = source;
  return invalidRequest(place, typeof type === "string" ? `${type} sources are not supported` : "type: Field required");
}
