import type { FieldReader } from "../field-reader.ts";
import { ConversionError } from "../model.ts";
import { toAssistantBlocks } from "./assistant-message.ts";
import { CallIds } from "./call-ids.ts";
import { toTextContent } from "./content-parts.ts";
import type { RequestContext } from "./request-context.ts";
import { toToolResult } from "./tool-result.ts";
import { type ConvertedHistory, TurnWriter } from "./turn-writer.ts";
import { toUserBlocks } from "./user-message.ts";

/**
 * The messages of a chat as turns that alternate and begin with the user, with the results of all calls in the turn
 * after them. Every message is converted from what came before it alone, so that a longer history begins with the turns
 * of the shorter one, and caches and signatures hold.
 * @throws ConversionError
 */
export function convertHistory(request: FieldReader, context: RequestContext): ConvertedHistory {
  const messages = request.objects("messages");
  if (messages.length === 0) {
    throw new ConversionError("'messages' must hold at least one message.", "messages");
  }
  const writer = new TurnWriter(context.flags.systemTurns);
  const ids = new CallIds();
  for (const message of messages) {
    addMessage(writer, message, ids, context);
  }
  return writer.finish();
}

function addMessage(writer: TurnWriter, message: FieldReader, ids: CallIds, context: RequestContext): void {
  const role = message.requiredText("role");
  if (role !== "tool" && message.has("name")) {
    context.dropped.add("name");
  }
  switch (role) {
    case "system":
    case "developer":
      writer.addSystem(toTextContent(message, context));
      return;
    case "user":
      requireContent(message);
      writer.addUser(toUserBlocks(message, context));
      return;
    case "assistant":
      writer.addAssistant(toAssistantBlocks(message, ids, context));
      return;
    case "tool":
      writer.addResult(message.requiredName("tool_call_id"), toToolResult(message, context), message.at);
      return;
    default:
      throw unknownRole(role, message);
  }
}

function requireContent(message: FieldReader): void {
  if (!message.has("content")) {
    throw new ConversionError(`Missing required parameter: '${message.pathOf("content")}'.`, message.pathOf("content"));
  }
}

function unknownRole(role: string, message: FieldReader): ConversionError {
  const text =
    role === "function"
      ? "Use the role 'tool' in place of 'function'."
      : "The role must be one of: system, developer, user, assistant, tool.";
  return new ConversionError(text, message.pathOf("role"));
}
