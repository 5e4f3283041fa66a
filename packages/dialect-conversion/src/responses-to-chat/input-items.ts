import type { JsonObject } from "@sluice/messages-conversion/json";
import type { FieldReader } from "../field-reader.ts";
import { ConversionError } from "../model.ts";
import { readTexts, readUserParts } from "./content-parts.ts";
import type { Conversation } from "./conversation.ts";
import type { DroppedNames } from "./dropped-names.ts";
import { callOfDetail, readEncryptedReasoning } from "./reasoning-details.ts";
import type { RequestTools } from "./request-tools.ts";
import { readToolOutput, type ToolOutputs } from "./tool-outputs.ts";
import type { ToolKind } from "./tool-table.ts";

/** The type of an item; messages may come without one. @throws ConversionError */
export function typeOf(item: FieldReader): string {
  return item.text("type") ?? (item.has("role") ? "message" : "item_reference");
}

/** Items about calls that a provider ran; what they found is in the messages that follow. */
const providerItems = new Set([
  ...["web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"],
  ...["mcp_list_tools", "mcp_call", "mcp_approval_request", "mcp_approval_response"],
]);
/** Items that stand for something that is stored elsewhere, or that only the provider that made them can read. */
const storedItems = new Set([
  ...["item_reference", "compaction", "compaction_summary", "compaction_trigger", "context_compaction"],
]);

export type InputContext = {
  readonly conversation: Conversation;
  readonly tools: RequestTools;
  readonly dropped: DroppedNames;
};

/**
 * What has to be known before the conversation is read: outputs, which may be far from their calls, and tools that were
 * added on the way. @throws ConversionError
 */
export function collectItem(item: FieldReader, tools: RequestTools, outputs: ToolOutputs): void {
  switch (typeOf(item)) {
    case "function_call_output":
    case "custom_tool_call_output":
      outputs.add(item.requiredName("call_id"), readToolOutput(item));
      return;
    case "tool_search_output":
      addFoundTools(item, tools, outputs);
      return;
    case "additional_tools":
      for (const tool of item.objects("tools")) {
        tools.add(tool);
      }
      return;
    default:
  }
}

/** Tools that a search found can be called from then on, so they are offered like the others. */
function addFoundTools(item: FieldReader, tools: RequestTools, outputs: ToolOutputs): void {
  const names = item.objects("tools").flatMap((tool) => tools.add(tool));
  if (isProviderSearch(item)) {
    return;
  }
  const text = names.length === 0 ? "No tools were found." : `These tools can be called now: ${names.join(", ")}`;
  outputs.add(item.requiredName("call_id"), { at: item.at, text, attachments: [] });
}

/** A provider that searches gives its calls no ids. */
function isProviderSearch(item: FieldReader): boolean {
  return item.oneOf("execution", ["server", "client"]) !== "client" && !item.has("call_id");
}

/** Adds an item to the conversation. @throws ConversionError if it is malformed or has no counterpart */
export function readItem(item: FieldReader, context: InputContext): void {
  const { conversation, dropped } = context;
  const type = typeOf(item);
  switch (type) {
    case "message":
      readMessage(item, conversation);
      return;
    case "agent_message":
      readAgentMessage(item, conversation);
      return;
    case "reasoning":
      readReasoning(item, conversation);
      return;
    case "function_call":
      readCall(item, "function", item.requiredText("arguments"), context);
      return;
    case "custom_tool_call":
      readCall(item, "custom", JSON.stringify({ input: item.requiredText("input") }), context);
      return;
    case "tool_search_call":
      readSearch(item, context);
      return;
    case "function_call_output":
    case "custom_tool_call_output":
    case "tool_search_output":
      conversation.endTurn();
      return;
    case "additional_tools":
      return;
    default:
      if (!providerItems.has(type)) {
        throw refusalOf(type, item);
      }
      dropped.add(type);
  }
}

function refusalOf(type: string, item: FieldReader): ConversionError {
  const why = storedItems.has(type)
    ? "Only the provider that made it can read it. Send the whole conversation instead."
    : "This model has no counterpart for it.";
  return new ConversionError(`'${item.at}' can't be sent to this model. ${why}`, item.at);
}

const roles = ["user", "assistant", "system", "developer"] as const;

function readMessage(item: FieldReader, conversation: Conversation): void {
  const role = item.oneOf("role", roles);
  switch (role) {
    case null:
      throw new ConversionError(`Missing required parameter: '${item.pathOf("role")}'.`, item.pathOf("role"));
    case "user":
      conversation.ask(readUserParts(item, "content"));
      return;
    case "assistant":
      conversation.say(readTexts(item, "content").join(""));
      return;
    case "system":
    case "developer":
      conversation.instruct(role, readTexts(item, "content").join("\n\n"));
  }
}

/** A message of another agent. It is not the user's word, so that it says whose it is. */
function readAgentMessage(item: FieldReader, conversation: Conversation): void {
  const author = item.text("author");
  const text = readTexts(item, "content").join("\n");
  conversation.ask([{ type: "text", text: author === null ? text : `Message from agent ${author}:\n${text}` }]);
}

/** The reasoning itself if it was given, else its summary; and what only its upstream can read. */
function readReasoning(item: FieldReader, conversation: Conversation): void {
  const texts = item.has("content") ? readTexts(item, "content") : [];
  const summary = item.has("summary") ? readTexts(item, "summary") : [];
  const encrypted = item.text("encrypted_content");
  const entries = encrypted === null ? null : readEncryptedReasoning(encrypted, item.pathOf("encrypted_content"));
  const details: JsonObject[] = [];
  for (const entry of entries ?? []) {
    const call = callOfDetail(entry);
    if (call === null) {
      details.push(entry);
    } else {
      conversation.keepForCall(...call);
    }
  }
  conversation.think((texts.length > 0 ? texts : summary).join("\n\n"), details);
}

function readCall(item: FieldReader, kind: ToolKind, callArguments: string, context: InputContext): void {
  const tool = { kind, name: item.requiredName("name"), namespace: item.text("namespace") };
  context.conversation.call(item.requiredName("call_id"), context.tools.table.toUpstream(tool), callArguments);
}

function readSearch(item: FieldReader, { conversation, tools, dropped }: InputContext): void {
  if (isProviderSearch(item)) {
    dropped.add("tool_search_call");
    return;
  }
  const value = item.get("arguments");
  const callArguments = typeof value === "string" ? value : JSON.stringify(value ?? {});
  const name = tools.table.toUpstream({ kind: "tool_search", name: "tool_search", namespace: null });
  conversation.call(item.requiredName("call_id"), name, callArguments);
}
