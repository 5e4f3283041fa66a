import type { FieldReader } from "../field-reader.ts";
import type { ToolResultBlock, UserBlock } from "./blocks.ts";
import type { RequestContext } from "./request-context.ts";
import { toUserBlocks } from "./user-message.ts";

/** A result that does not know yet which call it belongs to. */
export type UnplacedResult = Omit<ToolResultBlock, "tool_use_id">;

/**
 * A message of a tool. A mark on one of its parts becomes the mark of the whole result, because nothing smaller can be
 * cached. @throws ConversionError
 */
export function toToolResult(message: FieldReader, context: RequestContext): UnplacedResult {
  const blocks = toUserBlocks(message, context);
  const marked = blocks.findLast(({ cache_control: control }) => control !== undefined)?.cache_control;
  const mark = marked === undefined ? {} : { cache_control: marked };
  const plain = blocks.map(withoutMark);
  const [first, second] = plain;
  if (first === undefined) {
    return { type: "tool_result", ...mark };
  }
  const content = second === undefined && first.type === "text" ? first.text : plain;
  return { type: "tool_result", content, ...mark };
}

function withoutMark(block: UserBlock): UserBlock {
  const { cache_control: _mark, ...plain } = block;
  return plain;
}
