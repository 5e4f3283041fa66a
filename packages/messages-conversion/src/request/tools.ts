import type { ChatTool } from "../chat-completions.ts";
import { invalidRequest, type MessagesError } from "../errors/messages-error.ts";
import { isGiven, isJsonObject, type JsonObject, textOf } from "../json.ts";
import { asObject, requireObject, requireShallow, requireText } from "./check-fields.ts";
import type { RequestContext } from "./context.ts";
import type { ToolChange } from "./talk-settings.ts";
import { toolKindOf } from "./tool-kinds.ts";

export type ConvertedTools = {
  readonly tools: readonly ChatTool[];
  /** The client's names of the tools that are sent upstream. */
  readonly names: ReadonlySet<string>;
  /** The client's names of tools whose arguments it wants in deltas. */
  readonly eagerToolNames: ReadonlySet<string>;
  /** The error for each server-side tool that can't be used, by the client's name. */
  readonly serverTools: ReadonlyMap<string, MessagesError>;
};

/** The tools by the client's names. */
type Gathered = {
  readonly tools: Map<string, ChatTool>;
  readonly withdrawn: Map<string, ChatTool>;
  readonly eagerToolNames: Set<string>;
  readonly serverTools: Map<string, MessagesError>;
};

/**
 * The tools of a request, after the conversation's changes. Server-side tools are dropped as long as others remain: a
 * model without them does what it can, but a call for them alone would be answered with inventions.
 * @throws MessagesError when a tool is malformed, or none is left that the model could use
 */
export function convertTools(definitions: readonly unknown[], context: RequestContext): ConvertedTools {
  const gathered: Gathered = {
    tools: new Map(),
    withdrawn: new Map(),
    eagerToolNames: new Set(),
    serverTools: new Map(),
  };
  for (const [index, value] of definitions.entries()) {
    const at = `tools.${index}`;
    addTool(asObject(value, at), at, context, gathered);
  }
  for (const change of context.talk.toolChanges) {
    applyChange(change, context, gathered);
  }
  const [firstRefusal] = gathered.serverTools.values();
  if (firstRefusal !== undefined && gathered.tools.size === 0) {
    throw firstRefusal;
  }
  const { tools, eagerToolNames, serverTools } = gathered;
  return { tools: [...tools.values()], names: new Set(tools.keys()), eagerToolNames, serverTools };
}

/**
 * A removed tool is no longer offered until it is added again. Naming an undefined tool has no effect here: it is a
 * server-side one.
 */
function applyChange({ at, name, definition, isAddition }: ToolChange, context: RequestContext, into: Gathered): void {
  if (definition !== null) {
    into.withdrawn.delete(name);
    remove(name, into);
    addTool(definition, at, context, into);
    return;
  }
  if (!isAddition) {
    const removed = remove(name, into);
    if (removed !== null) {
      into.withdrawn.set(name, removed);
    }
    return;
  }
  const withdrawn = into.withdrawn.get(name);
  if (withdrawn !== undefined) {
    into.withdrawn.delete(name);
    into.tools.set(name, withdrawn);
  } else if (!into.tools.has(name)) {
    context.dropped.add("tool_addition");
  }
}

function remove(name: string, into: Gathered): ChatTool | null {
  const tool = into.tools.get(name) ?? null;
  into.tools.delete(name);
  into.serverTools.delete(name);
  return tool;
}

function addTool(definition: JsonObject, at: string, context: RequestContext, into: Gathered): void {
  const type = textOf(definition["type"]);
  const kind = toolKindOf(type, isJsonObject(definition["input_schema"]));
  if (kind.kind === "server" || kind.kind === "unsupported") {
    const refusal = invalidRequest(at, `${type} is not supported by this model`);
    if (kind.kind === "unsupported") {
      throw refusal;
    }
    context.dropped.add(type ?? "server_tool");
    into.serverTools.set(textOf(definition["name"]) ?? at, refusal);
    return;
  }
  const place = `${at}.${type ?? "custom"}`;
  const name = requireText(definition, "name", place);
  if (name === "") {
    throw invalidRequest(`${place}.name`, "String should have at least 1 character");
  }
  if (into.tools.has(name)) {
    throw invalidRequest("tools", "Tool names must be unique.");
  }
  if (definition["eager_input_streaming"] === true) {
    into.eagerToolNames.add(name);
  }
  noteExtras(definition, context);
  const schema = kind.kind === "client" ? kind.schema : requireObject(definition, "input_schema", place);
  requireShallow(schema, `${place}.input_schema`);
  const description = textOf(definition["description"]) ?? (kind.kind === "client" ? kind.description : null);
  into.tools.set(name, {
    type: "function",
    function: {
      name: context.names.toUpstream(name),
      ...(description === null ? {} : { description }),
      parameters: completeSchema(schema),
      ...(definition["strict"] === true ? { strict: true } : {}),
    },
  });
}

/** Changes only those parts of the schema that upstreams insist on. */
export function completeSchema(schema: JsonObject): JsonObject {
  const hasType = schema["type"] !== undefined;
  const hasProperties = schema["properties"] !== undefined;
  if (hasType && hasProperties) {
    return schema;
  }
  return { ...(hasType ? {} : { type: "object" }), ...schema, ...(hasProperties ? {} : { properties: {} }) };
}

/** Fields of a tool that have no counterpart, and the values with which they have no effect. */
function noteExtras(definition: JsonObject, context: RequestContext): void {
  context.dropped.addMarksOf(definition);
  if (definition["defer_loading"] === true) {
    context.dropped.add("defer_loading");
  }
  const { input_examples: examples, allowed_callers: callers } = definition;
  if (Array.isArray(examples) && examples.length > 0) {
    context.dropped.add("input_examples");
  }
  if (isGiven(callers) && !(Array.isArray(callers) && callers.length === 1 && callers[0] === "direct")) {
    context.dropped.add("allowed_callers");
  }
}
