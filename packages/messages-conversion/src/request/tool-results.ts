import type { ContentPart } from "../chat-completions.ts";
import { invalidRequest } from "../errors/messages-error.ts";
import { type JsonObject, textOf } from "../json.ts";
import { asObject, requireText } from "./check-fields.ts";
import type { RequestContext } from "./context.ts";
import { toDocumentParts, toImagePart, toSearchResultText } from "./media-parts.ts";
import { renderBlock } from "./render-block.ts";

export type ToolResult = {
  /** The path of the block. */
  readonly at: string;
  readonly toolUseId: string;
  readonly text: string;
  /** Content that a tool message can't hold; it goes into the following user message. */
  readonly attachments: readonly ContentPart[];
};

/**
 * The result of one tool call as text and attachments. A failed call is marked in its text, because a tool message has
 * no flag for it.
 * @param at path of the block
 * @throws MessagesError when the block is malformed or contains what the model does not accept
 */
export function readToolResult(block: JsonObject, at: string, context: RequestContext): ToolResult {
  context.dropped.addMarksOf(block);
  const place = `${at}.tool_result`;
  const toolUseId = requireText(block, "tool_use_id", place);
  const lines: string[] = [];
  const attachments: ContentPart[] = [];
  for (const [index, value] of contentOf(block, place).entries()) {
    const part = `${place}.content.${index}`;
    readBlock(typeof value === "string" ? { type: "text", text: value } : asObject(value, part), part, context, {
      lines,
      attachments,
    });
  }
  const text = lines.join("\n");
  return { at, toolUseId, text: block["is_error"] === true ? asFailure(text) : text, attachments };
}

function contentOf(block: JsonObject, place: string): readonly unknown[] {
  const { content } = block;
  if (typeof content === "string") {
    return content === "" ? [] : [content];
  }
  if (content === undefined || content === null) {
    return [];
  }
  if (Array.isArray(content)) {
    return content;
  }
  throw invalidRequest(`${place}.content`, "Input should be a valid string or list");
}

function readBlock(
  block: JsonObject,
  at: string,
  context: RequestContext,
  into: { lines: string[]; attachments: ContentPart[] },
): void {
  context.dropped.addMarksOf(block);
  switch (block["type"]) {
    case "text": {
      const text = requireText(block, "text", `${at}.text`);
      if (text !== "") {
        into.lines.push(text);
      }
      return;
    }
    case "image":
      into.lines.push("[image attached in the next user message]");
      into.attachments.push(toImagePart(block, at, context));
      return;
    case "document":
      for (const part of toDocumentParts(block, at, context)) {
        if (part.type === "text") {
          into.lines.push(part.text);
        } else {
          const kind = part.type === "file" ? "document" : "image";
          into.lines.push(`[${kind} attached in the next user message]`);
          into.attachments.push(part);
        }
      }
      return;
    case "search_result":
      into.lines.push(toSearchResultText(block, at, context));
      return;
    case "tool_reference":
      into.lines.push(`[tool loaded: ${textOf(block["tool_name"]) ?? "unknown"}]`);
      return;
    default:
      into.lines.push(renderBlock(block, at));
  }
}

function asFailure(text: string): string {
  if (text === "") {
    return "Error";
  }
  return text.startsWith("Error") || text.startsWith("<tool_use_error>") ? text : `Error: ${text}`;
}

/** The attachments of a result with a line that says where they come from. */
export function toAttachmentParts(result: ToolResult): ContentPart[] {
  const { attachments, toolUseId } = result;
  if (attachments.length === 0) {
    return [];
  }
  const kind = attachments.every((part) => part.type === "file") ? "Document" : "Image";
  return [{ type: "text", text: `${kind} from tool result ${toolUseId}:` }, ...attachments];
}
