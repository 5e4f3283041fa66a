/** Reads what a request of chat completions, completions or responses wants. */
import { asArray, asObject, type JsonObject, optionalCount, textOf } from "./prompt.ts";
import type { OfferedTool, ToolChoice, Wishes } from "./wishes.ts";

const choicesMax = 128;

/** Reasoning of a chat is only counted; responses show it. @throws RequestRefused */
export function readWishes(body: JsonObject, reasoning: "hidden" | "shown" = "hidden"): Wishes {
  const tools = offeredTools(body["tools"]);
  const { stop } = body;
  return {
    choices: Math.min(optionalCount(body, "n", 1) ?? 1, choicesMax),
    stop: (typeof stop === "string" ? [stop] : asArray(stop)).filter((one) => typeof one === "string"),
    tools,
    toolChoice: readToolChoice(body),
    structure: readStructure(body),
    reasoning: wantsReasoning(body) ? reasoning : "none",
    toolResults: toolResults(body),
  };
}

/** Chat completions put the tool under its type, responses put it flat, and have groups of tools. */
function offeredTools(tools: unknown): readonly OfferedTool[] {
  return asArray(tools).flatMap((entry): readonly OfferedTool[] => {
    const tool = asObject(entry);
    const { name, parameters } = asObject(tool["function"] ?? tool["custom"] ?? tool);
    if (typeof name !== "string") {
      return [];
    }
    if (tool["type"] === "namespace") {
      return offeredTools(tool["tools"]).map((member) => ({ ...member, namespace: name }));
    }
    return [{ name, parameters: tool["type"] === "custom" ? null : (parameters ?? { type: "object" }) }];
  });
}

function readToolChoice(body: JsonObject): ToolChoice {
  const choice = asObject(body["tool_choice"]);
  const forced = asObject(choice["function"] ?? choice["custom"] ?? choice)["name"];
  const mode = asObject(choice["allowed_tools"] ?? choice)["mode"] ?? body["tool_choice"];
  const isLimited = choice["type"] === "allowed_tools";
  return {
    mode: mode === "none" || mode === "required" ? mode : "auto",
    forced: typeof forced === "string" ? forced : null,
    allowed: isLimited
      ? offeredTools(asObject(choice["allowed_tools"] ?? choice)["tools"]).map((tool) => tool.name)
      : null,
    isParallel: body["parallel_tool_calls"] !== false,
  };
}

function readStructure(body: JsonObject): Wishes["structure"] {
  const format = asObject(body["response_format"] ?? asObject(body["text"])["format"]);
  if (format["type"] === "json_object") {
    return "json";
  }
  return format["type"] === "json_schema" ? { schema: asObject(format["json_schema"] ?? format)["schema"] } : null;
}

function wantsReasoning(body: JsonObject): boolean {
  const effort = body["reasoning_effort"] ?? asObject(body["reasoning"])["effort"] ?? "none";
  return effort !== "none" && effort !== "minimal";
}

function toolResults(body: JsonObject): readonly string[] {
  const messages = asArray(body["messages"] ?? body["input"]).map(asObject);
  const lastOther = messages.findLastIndex((message) => !("tool_call_id" in message || "output" in message));
  return messages.slice(lastOther + 1).map((message) => textOf(message["content"] ?? message["output"]));
}
