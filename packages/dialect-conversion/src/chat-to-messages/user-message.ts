import type { FieldReader } from "../field-reader.ts";
import { ConversionError } from "../model.ts";
import { toTextBlocks, type UserBlock } from "./blocks.ts";
import { markLast, readContent, unsupportedPart } from "./content-parts.ts";
import { toFileBlock, toImageBlock } from "./media-parts.ts";
import type { RequestContext } from "./request-context.ts";

/** The content of a message of the user or a tool as blocks; blank texts are left out. @throws ConversionError */
export function toUserBlocks(message: FieldReader, context: RequestContext): UserBlock[] {
  const content = readContent(message);
  if (content === null || typeof content === "string") {
    return markLast(toTextBlocks(content ?? ""), context.cacheMarks.read(message));
  }
  const blocks = content.flatMap((part) => toUserBlock(part, context));
  return markLast(blocks, context.cacheMarks.read(message));
}

function toUserBlock(part: FieldReader, context: RequestContext): UserBlock[] {
  const mark = context.cacheMarks.read(part);
  switch (part.requiredText("type")) {
    case "text":
      return toTextBlocks(part.requiredText("text"), mark);
    case "image_url":
      return [toImageBlock(part, mark)];
    case "file":
      return [toFileBlock(part, mark)];
    case "input_audio":
      throw new ConversionError("Audio input is not supported by this model.", part.at);
    default:
      throw unsupportedPart(part);
  }
}
