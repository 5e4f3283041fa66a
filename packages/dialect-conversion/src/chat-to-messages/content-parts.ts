import { type FieldReader, wrongType } from "../field-reader.ts";
import { ConversionError } from "../model.ts";
import type { CacheMark, TextBlock } from "./blocks.ts";
import { toTextBlocks } from "./blocks.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * The content of a message: a text, its parts, or null if there is none.
 * @throws ConversionError unless it is one of them
 */
export function readContent(message: FieldReader): string | readonly FieldReader[] | null {
  const content = message.get("content");
  if (content === null || typeof content === "string") {
    return content;
  }
  if (!Array.isArray(content)) {
    throw wrongType(message.pathOf("content"), "a string or an array of parts", content);
  }
  return message.objects("content");
}

/** The error for a part that does not belong here. */
export function unsupportedPart(part: FieldReader): ConversionError {
  const type = part.requiredText("type");
  const param = part.pathOf("type");
  return new ConversionError(`Parts of the type '${type.slice(0, 64)}' are not supported here.`, param);
}

/** Content that may hold nothing but text, as blocks. @throws ConversionError */
export function toTextContent(message: FieldReader, context: RequestContext): TextBlock[] {
  const content = readContent(message);
  if (content === null || typeof content === "string") {
    return markLast(toTextBlocks(content ?? ""), context.cacheMarks.read(message));
  }
  const blocks = content.flatMap((part) => {
    if (part.get("type") !== "text") {
      throw unsupportedPart(part);
    }
    return toTextBlocks(part.requiredText("text"), context.cacheMarks.read(part));
  });
  return markLast(blocks, context.cacheMarks.read(message));
}

/** The blocks with the mark on the last one, for marks of a whole message. */
export function markLast<Block extends CacheMark>(blocks: readonly Block[], mark: CacheMark): Block[] {
  const last = blocks.at(-1);
  return last === undefined || mark.cache_control === undefined
    ? [...blocks]
    : [...blocks.slice(0, -1), { ...last, ...mark }];
}
