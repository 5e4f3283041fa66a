/** Decides which of the offered tools the sandbox calls, and with which arguments. */
import type { Behaviour } from "../script/behaviour.ts";
import { asArray, asObject, type JsonObject } from "./prompt.ts";
import { schemaInstance } from "./schema-instance.ts";

export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

type OfferedTool = { readonly name: string; readonly parameters: unknown };

/**
 * The calls of one choice. Scripted calls come first; after tool results there are none; a forced tool is called;
 * otherwise every tool whose name occurs in the user's last message.
 */
export function chooseToolCalls(
  body: JsonObject,
  spoken: string | null,
  behaviour: Behaviour,
  newId: (position: number) => string,
): readonly ToolCall[] {
  const offered = offeredTools(body);
  const wanted = behaviour.toolCalls ?? (spoken === null ? [] : namesToCall(body, spoken, offered));
  return wanted.map((call, position) => ({
    id: call.id ?? newId(position),
    name: call.name,
    arguments: writeArguments(call.arguments, offered.find((tool) => tool.name === call.name)?.parameters),
  }));
}

/** Chat completions put the tool under `function`, responses put it flat. */
function offeredTools(body: JsonObject): readonly OfferedTool[] {
  return asArray(body["tools"]).flatMap((tool) => {
    const definition = asObject(asObject(tool)["function"] ?? tool);
    const { name, parameters } = definition;
    return typeof name === "string" ? [{ name, parameters: parameters ?? { type: "object" } }] : [];
  });
}

type WantedCall = NonNullable<Behaviour["toolCalls"]>[number];

function namesToCall(body: JsonObject, spoken: string, offered: readonly OfferedTool[]): readonly WantedCall[] {
  const choice = body["tool_choice"];
  if (offered.length === 0 || choice === "none") {
    return [];
  }
  const forced = asObject(asObject(choice)["function"] ?? choice)["name"];
  if (typeof forced === "string") {
    return [{ name: forced }];
  }
  const allowed = allowedTools(asObject(choice), offered);
  const mode = asObject(asObject(choice)["allowed_tools"] ?? choice)["mode"] ?? choice;
  const named = allowed.filter((tool) => mentions(spoken, tool.name));
  const called = named.length === 0 && mode === "required" ? allowed.slice(0, 1) : named;
  return body["parallel_tool_calls"] === false ? called.slice(0, 1) : called;
}

function allowedTools(choice: JsonObject, offered: readonly OfferedTool[]): readonly OfferedTool[] {
  if (choice["type"] !== "allowed_tools") {
    return offered;
  }
  const listed = offeredTools({ tools: asObject(choice["allowed_tools"] ?? choice)["tools"] }).map((tool) => tool.name);
  return offered.filter((tool) => listed.includes(tool.name));
}

function mentions(spoken: string, name: string): boolean {
  const words = spoken.split(/[^A-Za-z0-9_-]+/);
  return words.includes(name);
}

function writeArguments(given: WantedCall["arguments"], parameters: unknown): string {
  if (typeof given === "string") {
    return given;
  }
  return JSON.stringify(given ?? schemaInstance(parameters ?? { type: "object" }));
}

/** Argument text in short fragments, as models produce it. */
export function* argumentFragments(text: string): Iterable<string> {
  const characters = Array.from(text);
  for (let start = 0; start < characters.length; start += 5) {
    yield characters.slice(start, start + 5).join("");
  }
}
