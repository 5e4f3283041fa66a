import type { ChatUserMessage, ContentPart } from "../chat-completions.ts";
import { invalidRequest } from "../errors/messages-error.ts";
import { type JsonObject, textOf } from "../json.ts";
import { requireText } from "./check-fields.ts";
import type { RequestContext } from "./context.ts";
import { toDocumentParts, toImagePart, toSearchResultText } from "./media-parts.ts";
import { isToolChange } from "./talk-settings.ts";

/** Blocks about server-side tools, which are ignored: here all tools are known from the beginning. */
const passedOver = new Set(["mcp_tool_listing", "fallback"]);

/**
 * One block of a user message as parts; empty for an empty block.
 * @param at path of the block
 * @throws MessagesError when the block is malformed or can't be converted
 */
export function toUserParts(block: JsonObject, at: string, context: RequestContext): ContentPart[] {
  context.dropped.addMarksOf(block);
  const { type } = block;
  switch (type) {
    case "text": {
      const text = requireText(block, "text", `${at}.text`);
      return text === "" ? [] : [{ type: "text", text }];
    }
    case "image":
      return [toImagePart(block, at, context)];
    case "document":
      return toDocumentParts(block, at, context);
    case "search_result":
      return [{ type: "text", text: toSearchResultText(block, at, context) }];
    default: {
      if (isToolChange(block)) {
        context.talk.takeToolChange(block, at, context.dropped);
        return [];
      }
      const label = textOf(type);
      if (label === null) {
        throw invalidRequest(`${at}.type`, "Field required");
      }
      if (!passedOver.has(label)) {
        throw invalidRequest(at, `${label} blocks are not supported here`);
      }
      context.dropped.add(label);
      return [];
    }
  }
}

/**
 * The parts as a message; null when there are none. A single text is sent as a plain string, which every upstream
 * accepts.
 */
export function toUserMessage(parts: ContentPart[]): ChatUserMessage | null {
  const [first] = parts;
  if (first === undefined) {
    return null;
  }
  return { role: "user", content: parts.length === 1 && first.type === "text" ? first.text : parts };
}
