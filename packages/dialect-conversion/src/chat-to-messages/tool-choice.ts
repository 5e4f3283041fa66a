import { FieldReader, wrongType } from "../field-reader.ts";
import { ConversionError } from "../model.ts";
import type { RequestContext } from "./request-context.ts";
import type { MessagesTool } from "./tools.ts";

export type MessagesToolChoice =
  | { readonly type: "auto" | "any"; readonly disable_parallel_tool_use?: true }
  | { readonly type: "tool"; readonly name: string; readonly disable_parallel_tool_use?: true }
  | { readonly type: "none" };

export type ChosenTools = {
  readonly tools: MessagesTool[];
  /** Null to leave it to the upstream, which then lets the model choose. */
  readonly choice: MessagesToolChoice | null;
};

const plainChoices = { auto: "auto", required: "any", none: "none" } as const;
type PlainChoice = keyof typeof plainChoices;

/**
 * Which tools the model may use, and whether it has to, or can use several at once.
 * @throws ConversionError for an unknown form, and for a tool that is not in the list
 */
export function chooseTools(
  request: FieldReader,
  tools: ReadonlyMap<string, MessagesTool>,
  context: RequestContext,
): ChosenTools {
  const isSingle = request.flag("parallel_tool_calls") === false;
  const choice = request.get("tool_choice");
  const chosen = readChoice(request, tools, context);
  if (tools.size === 0) {
    requireNoCall(chosen.choice);
    return { tools: [], choice: null };
  }
  if (!isSingle || chosen.choice?.type === "none") {
    return choice === null ? { tools: chosen.tools, choice: null } : chosen;
  }
  return { tools: chosen.tools, choice: { ...(chosen.choice ?? { type: "auto" }), disable_parallel_tool_use: true } };
}

function requireNoCall(choice: MessagesToolChoice | null): void {
  if (choice?.type === "any" || choice?.type === "tool") {
    throw new ConversionError("'tool_choice' requires a call, but there are no tools.", "tool_choice");
  }
}

function readChoice(
  request: FieldReader,
  tools: ReadonlyMap<string, MessagesTool>,
  context: RequestContext,
): ChosenTools {
  const all = [...tools.values()];
  const value = request.get("tool_choice");
  if (value === null) {
    return { tools: all, choice: null };
  }
  if (typeof value === "string") {
    return { tools: all, choice: { type: toPlainType(request) } };
  }
  if (typeof value !== "object") {
    throw wrongType("tool_choice", "a string or an object", value);
  }
  const choice = new FieldReader(value, "tool_choice");
  switch (choice.oneOf("type", ["function", "allowed_tools"])) {
    case "function": {
      const name = requireListed(choice, tools);
      return { tools: all, choice: { type: "tool", name: context.toolNames.toUpstream(name) } };
    }
    case "allowed_tools":
      return chooseAllowed(requiredObject(choice, "allowed_tools"), tools);
    default:
      throw new ConversionError("Missing required parameter: 'tool_choice.type'.", "tool_choice.type");
  }
}

function toPlainType(request: FieldReader): (typeof plainChoices)[PlainChoice] {
  const name = request.oneOf("tool_choice", ["auto", "required", "none"]);
  return plainChoices[name ?? "auto"];
}

/** Other tools are left out, because the Messages API has no such choice. */
function chooseAllowed(allowed: FieldReader, tools: ReadonlyMap<string, MessagesTool>): ChosenTools {
  const names = new Set(allowed.objects("tools").map((tool) => requireListed(tool, tools)));
  const chosen = [...tools].filter(([name]) => names.has(name)).map(([, tool]) => tool);
  const mode = allowed.oneOf("mode", ["auto", "required"]);
  if (chosen.length === 0) {
    throw new ConversionError("'allowed_tools' must name a tool.", allowed.pathOf("tools"));
  }
  return { tools: chosen, choice: { type: plainChoices[mode ?? "auto"] } };
}

function requireListed(holder: FieldReader, tools: ReadonlyMap<string, MessagesTool>): string {
  const target = requiredObject(holder, "function");
  const name = target.requiredName("name");
  if (!tools.has(name)) {
    throw new ConversionError(`Tool '${name.slice(0, 64)}' is not in 'tools'.`, target.pathOf("name"));
  }
  return name;
}

function requiredObject(holder: FieldReader, name: string): FieldReader {
  return holder.object(name) ?? new FieldReader(null, holder.pathOf(name));
}
