import type { ContentPart, TextPart } from "@sluice/messages-conversion/chat-completions";
import { FieldReader, wrongType } from "../field-reader.ts";
import { ConversionError } from "../model.ts";

/** A part of a user's message, or of what a tool returned. */
export type UserPart = ContentPart | { type: "image_url"; image_url: { url: string; detail?: string } };

const details = new Set(["auto", "low", "high"]);

/** The parts of `content` or `output`: a text is one part. @throws ConversionError if there is none */
function partsOf(holder: FieldReader, name: string): readonly FieldReader[] {
  const value = holder.get(name);
  if (typeof value === "string") {
    return [new FieldReader({ type: "input_text", text: value }, holder.pathOf(name))];
  }
  if (!Array.isArray(value)) {
    throw wrongType(holder.pathOf(name), "a string or an array", value);
  }
  return holder.objects(name);
}

/** What a user says, as chat completions have it. @throws ConversionError if a part has no counterpart */
export function readUserParts(holder: FieldReader, name: string): readonly UserPart[] {
  return partsOf(holder, name).map(toUserPart);
}

function toUserPart(part: FieldReader): UserPart {
  const type = part.requiredText("type");
  switch (type) {
    case "input_text":
    case "output_text":
    case "text":
      return { type: "text", text: part.requiredText("text") };
    case "input_image":
      return toImagePart(part);
    case "input_file":
      return toFilePart(part);
    default:
      throw unsupported(part);
  }
}

function toImagePart(part: FieldReader): UserPart {
  refuseStored(part);
  const url = part.requiredName("image_url");
  const detail = part.text("detail");
  return { type: "image_url", image_url: detail === null || !details.has(detail) ? { url } : { url, detail } };
}

function toFilePart(part: FieldReader): ContentPart {
  refuseStored(part);
  if (part.has("file_url")) {
    const path = part.pathOf("file_url");
    throw new ConversionError("This model does not load files. Send the content as 'file_data'.", path);
  }
  return {
    type: "file",
    file: { filename: part.text("filename") ?? "file", file_data: part.requiredName("file_data") },
  };
}

function refuseStored(part: FieldReader): void {
  if (part.has("file_id")) {
    const path = part.pathOf("file_id");
    throw new ConversionError("This model has no stored files. Send the content itself.", path);
  }
}

/** The texts of a message that may hold nothing else, one per part. @throws ConversionError if a part is not text */
export function readTexts(holder: FieldReader, name: string): readonly string[] {
  return partsOf(holder, name).map((part) => {
    switch (part.requiredText("type")) {
      case "input_text":
      case "output_text":
      case "text":
      case "summary_text":
      case "reasoning_text":
        return part.requiredText("text");
      case "refusal":
        return part.requiredText("refusal");
      case "encrypted_content":
        return part.requiredText("encrypted_content");
      default:
        throw unsupported(part);
    }
  });
}

export function isText(part: UserPart): part is TextPart {
  return part.type === "text";
}

function unsupported(part: FieldReader): ConversionError {
  const path = part.pathOf("type");
  return new ConversionError("This model does not accept content of this type here.", path);
}
