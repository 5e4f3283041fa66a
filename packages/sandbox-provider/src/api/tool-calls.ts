/** Decides which of the offered tools the sandbox calls, and with which arguments. */
import type { Behaviour } from "../script/behaviour.ts";
import { schemaInstance } from "./schema-instance.ts";
import type { Wishes } from "./wishes.ts";

export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

/**
 * The calls of one choice. Scripted calls come first; after tool results there are none; a forced tool is called;
 * otherwise every tool whose name occurs in the user's last message.
 */
export function chooseToolCalls(
  wishes: Wishes,
  spoken: string | null,
  behaviour: Behaviour,
  newId: (position: number) => string,
): readonly ToolCall[] {
  const wanted = behaviour.toolCalls ?? (spoken === null ? [] : namesToCall(wishes, spoken));
  return wanted.map((call, position) => ({
    id: call.id ?? newId(position),
    name: call.name,
    arguments: writeArguments(call.arguments, wishes.tools.find((tool) => tool.name === call.name)?.parameters),
  }));
}

type WantedCall = NonNullable<Behaviour["toolCalls"]>[number];

function namesToCall({ tools, toolChoice }: Wishes, spoken: string): readonly WantedCall[] {
  if (tools.length === 0 || toolChoice.mode === "none") {
    return [];
  }
  if (toolChoice.forced !== null) {
    return [{ name: toolChoice.forced }];
  }
  const allowed = tools.filter((tool) => toolChoice.allowed?.includes(tool.name) ?? true);
  const named = allowed.filter((tool) => mentions(spoken, tool.name));
  const called = named.length === 0 && toolChoice.mode === "required" ? allowed.slice(0, 1) : named;
  return toolChoice.isParallel ? called : called.slice(0, 1);
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
