import type { ChatToolChoice } from "@sluice/messages-conversion/chat-completions";
import { FieldReader } from "../field-reader.ts";
import { ConversionError } from "../model.ts";
import type { RequestTools } from "./request-tools.ts";

export type ConvertedToolChoice = {
  readonly choice: ChatToolChoice;
  /** The upstream's names of the tools that may be called; null for all. */
  readonly allowed: ReadonlySet<string> | null;
};

const modes = ["auto", "none", "required"] as const;

/** @throws ConversionError if the choice is malformed or names a tool that the upstream can't call */
export function convertToolChoice(request: FieldReader, tools: RequestTools): ConvertedToolChoice | null {
  const value = request.get("tool_choice");
  if (value === null) {
    return null;
  }
  if (typeof value === "string") {
    const mode = request.oneOf("tool_choice", modes);
    return mode === null ? null : { choice: mode, allowed: null };
  }
  const choice = new FieldReader(value, "tool_choice");
  if (choice.text("type") !== "allowed_tools") {
    return { choice: { type: "function", function: { name: nameChosen(choice, tools) } }, allowed: null };
  }
  const mode = choice.oneOf("mode", ["auto", "required"]) ?? "auto";
  // An upstream that lists no allowed tools gets only those; it can't call others by mistake.
  return { choice: mode, allowed: new Set(choice.objects("tools").map((tool) => nameChosen(tool, tools))) };
}

function nameChosen(choice: FieldReader, tools: RequestTools): string {
  const type = choice.requiredText("type");
  switch (type) {
    case "function":
    case "custom": {
      const name = choice.requiredName("name");
      return tools.nameOf({ kind: type, name, namespace: choice.text("namespace") }, choice.pathOf("name"));
    }
    case "tool_search":
      return tools.nameOf({ kind: type, name: type, namespace: null }, choice.pathOf("type"));
    default:
      throw new ConversionError(`'${choice.pathOf("type")}' names a tool that this model can't use.`, choice.at);
  }
}
