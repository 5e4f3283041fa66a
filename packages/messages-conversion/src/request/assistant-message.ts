import type { ChatAssistantMessage, ChatToolCall } from "../chat-completions.ts";
import { invalidRequest } from "../errors/messages-error.ts";
import { type JsonObject, textOf } from "../json.ts";
import { asObject, compactJson, listOf, requireText } from "./check-fields.ts";
import type { RequestContext } from "./context.ts";
import { toDocumentParts } from "./media-parts.ts";
import { renderBlock } from "./render-block.ts";

/** The content of one or more assistant messages, collected before it is written. */
export class AssistantTurn {
  readonly calls: ChatToolCall[] = [];
  readonly #callIds = new Set<string>();
  #text = "";
  /** Known without looking at the text, which would have to be joined for each of its pieces. */
  #isAtLineStart = true;
  #reasoning: string | null = null;
  #isAfterRendering = false;

  addText(text: string): void {
    this.#append(this.#isAfterRendering && text !== "" ? `\n${text}` : text);
    this.#isAfterRendering = this.#isAfterRendering && text === "";
  }

  /** Text that replaces a block gets its own lines. */
  addRendering(text: string): void {
    this.#append(this.#isAtLineStart ? text : `\n${text}`);
    this.#isAfterRendering = true;
  }

  #append(piece: string): void {
    if (piece !== "") {
      this.#text += piece;
      this.#isAtLineStart = piece.endsWith("\n");
    }
  }

  addReasoning(text: string): void {
    this.#reasoning = (this.#reasoning ?? "") + text;
  }

  /** @throws MessagesError when the id was used before; its results would be ambiguous */
  addCall(call: ChatToolCall, at: string): void {
    if (this.#callIds.has(call.id)) {
      throw invalidRequest(at, "`tool_use` ids must be unique");
    }
    this.#callIds.add(call.id);
    this.calls.push(call);
  }

  /** Merges the next message, which followed directly. */
  absorb(next: AssistantTurn, at: string): void {
    this.addText(next.#text);
    if (next.#reasoning !== null) {
      this.addReasoning(next.#reasoning);
    }
    for (const call of next.calls) {
      this.addCall(call, at);
    }
  }

  /** The message; null when it would be empty. */
  toMessage(context: RequestContext): ChatAssistantMessage | null {
    const hasCalls = this.calls.length > 0;
    if (this.#text === "" && !hasCalls && (this.#reasoning ?? "") === "") {
      return null;
    }
    const needsNull = this.#text === "" && hasCalls && context.flags.empty_content === "null";
    return {
      role: "assistant",
      content: needsNull ? null : this.#text,
      ...(this.#reasoning === null ? {} : { reasoning_content: this.#reasoning }),
      ...(hasCalls ? { tool_calls: this.calls } : {}),
    };
  }
}

/**
 * Adds an assistant message to the turn.
 * @param at path of the message
 * @throws MessagesError when a block is malformed or does not belong here
 */
export function readAssistantContent(content: unknown, at: string, turn: AssistantTurn, context: RequestContext): void {
  if (typeof content === "string") {
    turn.addText(content);
    return;
  }
  for (const [index, value] of (content as readonly unknown[]).entries()) {
    const place = `${at}.content.${index}`;
    if (typeof value === "string") {
      turn.addText(value);
    } else {
      readBlock(asObject(value, place), place, turn, context);
    }
  }
}

function readBlock(block: JsonObject, at: string, turn: AssistantTurn, context: RequestContext): void {
  context.dropped.addMarksOf(block);
  switch (block["type"]) {
    case "text":
      if (Array.isArray(block["citations"]) && block["citations"].length > 0) {
        context.dropped.add("citations");
      }
      turn.addText(requireText(block, "text", `${at}.text`));
      return;
    case "tool_use":
      turn.addCall(toToolCall(block, at, context), at);
      return;
    case "thinking":
      if (context.flags.reasoning_history === "keep") {
        turn.addReasoning(textOf(block["thinking"]) ?? "");
      } else {
        context.dropped.add("thinking_history");
      }
      return;
    case "redacted_thinking":
    case "fallback":
      context.dropped.add(block["type"]);
      return;
    case "compaction":
      turn.addText(textOf(block["content"]) ?? "");
      takeToolChanges(block, at, context);
      return;
    case "tool_result":
      throw invalidRequest(at, "tool_result blocks can only be in user messages");
    default:
      readForeignBlock(block, at, turn, context);
  }
}

/** A client that cuts the front of the conversation may send tool changes here. */
function takeToolChanges(block: JsonObject, at: string, context: RequestContext): void {
  for (const [index, value] of listOf(block, "tool_changes", `${at}.`).entries()) {
    const place = `${at}.tool_changes.${index}`;
    context.talk.takeToolChange(asObject(value, place), place, context.dropped);
  }
}

/** Blocks that an upstream assistant message can't hold are rendered as text, so that no turn is lost. */
function readForeignBlock(block: JsonObject, at: string, turn: AssistantTurn, context: RequestContext): void {
  const { type, title } = block;
  const label = textOf(type);
  if (label === null) {
    throw invalidRequest(`${at}.type`, "Field required");
  }
  if (label === "image") {
    context.dropped.add("assistant.image");
    turn.addRendering("[image]");
    return;
  }
  if (label !== "document") {
    turn.addRendering(renderBlock(block, at));
    return;
  }
  const { source } = block;
  const kind = typeof source === "object" && source !== null ? (source as JsonObject)["type"] : null;
  if (kind === "text") {
    const [part] = toDocumentParts(block, at, context);
    turn.addRendering(part?.type === "text" ? part.text : "");
    return;
  }
  context.dropped.add("assistant.document");
  turn.addRendering(`[document ${textOf(title) ?? ""}`.trimEnd().concat("]"));
}

function toToolCall(block: JsonObject, at: string, context: RequestContext): ChatToolCall {
  const place = `${at}.tool_use`;
  const id = requireText(block, "id", place);
  context.toolIds.add(id);
  const name = context.names.toUpstream(requireText(block, "name", place));
  const { input } = block;
  if (input === undefined || input === null) {
    return { id, type: "function", function: { name, arguments: "{}" } };
  }
  return {
    id,
    type: "function",
    function: { name, arguments: compactJson(asObject(input, `${place}.input`), `${place}.input`) },
  };
}
