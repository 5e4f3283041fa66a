import type { ChatTool } from "@sluice/messages-conversion/chat-completions";
import type { JsonObject } from "@sluice/messages-conversion/json";
import { completeSchema } from "@sluice/messages-conversion/request/tools";
import type { FieldReader } from "../field-reader.ts";
import { ConversionError } from "../model.ts";
import type { DroppedNames } from "./dropped-names.ts";
import { type ClientTool, type ToolKind, ToolTable } from "./tool-table.ts";

type FunctionFacts = Omit<ChatTool["function"], "name">;
type Namespace = { readonly name: string; readonly description: string | null };

/** What a namespace says about itself is repeated for each of its tools that says nothing. */
const sharedLettersMax = 1_000;

const searchDescription = "Searches for tools by what they do. The tools that are found can be called afterwards.";
const searchParameters = { type: "object", properties: { query: { type: "string" } }, required: ["query"] };

/** The tools of a request, as functions. Tools that a provider runs are left out. */
export class RequestTools {
  readonly table = new ToolTable();
  readonly #dropped: DroppedNames;
  readonly #functions = new Map<string, ChatTool>();

  constructor(dropped: DroppedNames) {
    this.#dropped = dropped;
  }

  /**
   * Adds a tool, or the tools of a namespace. A tool that is already known is not changed.
   * @returns the upstream's names of the tools
   * @throws ConversionError if a definition is malformed
   */
  add(definition: FieldReader): readonly string[] {
    if (definition.requiredText("type") !== "namespace") {
      return this.#addTool(definition, null);
    }
    const description = definition.text("description")?.slice(0, sharedLettersMax) ?? null;
    const namespace = { name: definition.requiredName("name"), description };
    return definition.objects("tools").flatMap((tool) => this.#addTool(tool, namespace));
  }

  /** The functions in the order in which they were added, or those that are named. */
  list(names: ReadonlySet<string> | null = null): readonly ChatTool[] {
    const all = [...this.#functions.values()];
    return names === null ? all : all.filter((tool) => names.has(tool.function.name));
  }

  /** The upstream's name of a tool that can be called. @throws ConversionError if there is none */
  nameOf(tool: ClientTool, at: string): string {
    const name = this.table.find(tool);
    if (name === null || !this.#functions.has(name)) {
      throw new ConversionError(`'${at}' names a tool that is not in 'tools'.`, at);
    }
    return name;
  }

  #addTool(definition: FieldReader, namespace: Namespace | null): readonly string[] {
    const type = definition.requiredText("type");
    switch (type) {
      case "function":
        return this.#put(toolOf(definition, type, namespace), functionFacts(definition, namespace));
      case "custom":
        return this.#put(toolOf(definition, type, namespace), {
          description: describeInput(definition),
          parameters: inputParameters,
        });
      case "tool_search":
        if (definition.oneOf("execution", ["server", "client"]) === "client") {
          return this.#put({ kind: type, name: type, namespace: null }, searchFacts(definition));
        }
        break;
      default:
    }
    this.#dropped.add(type);
    return [];
  }

  #put(tool: ClientTool, facts: FunctionFacts): readonly string[] {
    const name = this.table.toUpstream(tool);
    if (!this.#functions.has(name)) {
      this.#functions.set(name, { type: "function", function: { name, ...facts } });
    }
    return [name];
  }
}

function toolOf(definition: FieldReader, kind: ToolKind, namespace: Namespace | null): ClientTool {
  return { kind, name: definition.requiredName("name"), namespace: namespace?.name ?? null };
}

function functionFacts(definition: FieldReader, namespace: Namespace | null): FunctionFacts {
  const description = definition.text("description") ?? namespace?.description ?? null;
  return {
    ...(description === null ? {} : { description }),
    parameters: completeSchema(definition.object("parameters")?.value ?? {}),
    ...(definition.flag("strict") === true ? { strict: true } : {}),
  };
}

function searchFacts(definition: FieldReader): FunctionFacts {
  return {
    description: definition.text("description") ?? searchDescription,
    parameters: completeSchema(definition.object("parameters")?.value ?? searchParameters),
  };
}

const inputParameters: JsonObject = {
  type: "object",
  properties: { input: { type: "string", description: "The whole input of the tool, as plain text." } },
  required: ["input"],
};

/** A grammar can't be enforced by a function; the model is told about it instead. */
function describeInput(definition: FieldReader): string {
  const description = definition.text("description") ?? "";
  const format = definition.object("format");
  const lines = [description, "Pass the whole input of this tool as the text `input`."];
  if (format?.requiredText("type") === "grammar") {
    const syntax = format.requiredText("syntax");
    lines.push(`It must match this ${syntax} grammar:\n${format.requiredText("definition")}`);
  }
  return lines.filter((line) => line !== "").join("\n\n");
}
