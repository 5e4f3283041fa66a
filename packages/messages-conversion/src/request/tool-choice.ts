import type { ChatCompletionRequest, ChatToolChoice } from "../chat-completions.ts";
import { invalidRequest } from "../errors/messages-error.ts";
import { isGiven, type JsonObject } from "../json.ts";
import { asObject, requireText } from "./check-fields.ts";
import type { RequestContext } from "./context.ts";
import type { ConvertedTools } from "./tools.ts";

const plainChoices: ReadonlyMap<unknown, ChatToolChoice> = new Map([
  ["auto", "auto"],
  ["any", "required"],
  ["none", "none"],
]);

type ChoiceFields = Pick<ChatCompletionRequest, "tool_choice" | "parallel_tool_calls">;

/**
 * Which tool the model should use, and whether several at once. Without tools there is nothing to choose.
 * @throws MessagesError for an unknown form, and for a tool that is not in the list
 */
export function convertToolChoice(value: unknown, tools: ConvertedTools, context: RequestContext): ChoiceFields {
  if (tools.tools.length === 0 || !isGiven(value)) {
    return {};
  }
  const choice = asObject(value, "tool_choice");
  const fields: ChoiceFields = { tool_choice: toChatToolChoice(choice, tools, context) };
  if (choice["disable_parallel_tool_use"] !== true) {
    return fields;
  }
  if (!context.flags.parallel_flag) {
    context.dropped.add("disable_parallel_tool_use");
    return fields;
  }
  return { ...fields, parallel_tool_calls: false };
}

function toChatToolChoice(choice: JsonObject, tools: ConvertedTools, context: RequestContext): ChatToolChoice {
  const plain = plainChoices.get(choice["type"]);
  if (plain !== undefined) {
    return plain;
  }
  if (choice["type"] !== "tool") {
    throw invalidRequest("tool_choice.type", "Input should be 'auto', 'any', 'tool' or 'none'");
  }
  const name = requireText(choice, "name", "tool_choice");
  const refusal = tools.serverTools.get(name);
  if (refusal !== undefined && !tools.names.has(name)) {
    throw refusal;
  }
  if (!tools.names.has(name)) {
    throw invalidRequest("tool_choice.name", `Tool '${name}' not found in provided tools`);
  }
  return { type: "function", function: { name: context.names.toUpstream(name) } };
}
