import { isJsonObject } from "@sluice/messages-conversion/json";
import { depthMax, isDeeperThan } from "@sluice/messages-conversion/request/check-fields";
import { FieldReader, wrongType } from "../field-reader.ts";
import { ConversionError, type JsonObject } from "../model.ts";
import type { CacheMark, Turn } from "./blocks.ts";
import type { RequestContext } from "./request-context.ts";

type ObjectSchema = JsonObject & { readonly type: "object" };

/** A tool as the Messages API wants it. */
export type MessagesTool = {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: ObjectSchema;
  readonly strict?: true;
} & CacheMark;

/** The tools by the client's names. @throws ConversionError unless they are functions */
export function convertTools(request: FieldReader, context: RequestContext): Map<string, MessagesTool> {
  if (request.has("functions") || request.has("function_call")) {
    const name = request.has("functions") ? "functions" : "function_call";
    throw new ConversionError("Use 'tools' and 'tool_choice' in place of 'functions' and 'function_call'.", name);
  }
  const tools = new Map<string, MessagesTool>();
  for (const tool of request.objects("tools")) {
    const definition = readFunction(tool);
    const name = definition.requiredName("name");
    if (tools.has(name)) {
      throw new ConversionError("Names of tools must be unique.", definition.pathOf("name"));
    }
    tools.set(name, toMessagesTool(tool, definition, context));
  }
  return tools;
}

function readFunction(tool: FieldReader): FieldReader {
  const type = tool.requiredText("type");
  if (type !== "function") {
    const text = `Tools of the type '${type.slice(0, 64)}' are not supported by this model.`;
    throw new ConversionError(text, tool.pathOf("type"));
  }
  return tool.object("function") ?? new FieldReader(null, tool.pathOf("function"));
}

function toMessagesTool(tool: FieldReader, definition: FieldReader, context: RequestContext): MessagesTool {
  const description = definition.text("description") ?? "";
  return {
    name: context.toolNames.toUpstream(definition.requiredName("name")),
    ...(description.trim() === "" ? {} : { description }),
    input_schema: toInputSchema(definition),
    ...(definition.flag("strict") === true ? { strict: true } : {}),
    ...context.cacheMarks.read(definition),
    ...context.cacheMarks.read(tool),
  };
}

/** The Messages API accepts schemas of objects only. */
function toInputSchema(definition: FieldReader): ObjectSchema {
  const schema = definition.get("parameters");
  const param = definition.pathOf("parameters");
  if (schema !== null && !isJsonObject(schema)) {
    throw wrongType(param, "an object", schema);
  }
  if (schema !== null && isDeeperThan(schema, depthMax)) {
    throw new ConversionError(`'${param}' is nested too deeply.`, param);
  }
  const type = schema?.["type"] ?? "object";
  const isOfObjects = type === "object" || (Array.isArray(type) && type.includes("object"));
  if (schema === null || !isOfObjects) {
    return { type: "object", properties: {} };
  }
  return { ...schema, type: "object" };
}

/**
 * Tools for a history with calls whose request names no tools, which upstreams refuse: the called ones, with any
 * arguments. They must not be called.
 */
export function toolsOfHistory(turns: readonly Turn[]): MessagesTool[] {
  const names = new Set<string>();
  for (const turn of turns) {
    for (const block of turn.role === "assistant" ? turn.content : []) {
      if (block.type === "tool_use") {
        names.add(block.name);
      }
    }
  }
  return [...names].map((name) => ({ name, input_schema: { type: "object", properties: {} } }));
}
