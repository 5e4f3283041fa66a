/** Decides which of the offered tools the sandbox calls, and with which arguments. */
import type { Behaviour } from "../script/behaviour.ts";
import { schemaInstance } from "./schema-instance.ts";
import type { OfferedTool, Wishes } from "./wishes.ts";

export type ToolCall = {
  readonly id: string;
  readonly name: string;
  readonly namespace: string | null;
  /** A custom tool takes any text in place of JSON. */
  readonly isCustom: boolean;
  readonly arguments: string;
};

const customInput = "sandbox input";

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
  return wanted.map((call, position) => {
    const tool = wishes.tools.find((one) => one.name === call.name && fits(one, call));
    return {
      id: call.id ?? newId(position),
      name: call.name,
      namespace: call.namespace ?? tool?.namespace ?? null,
      isCustom: tool?.parameters === null,
      arguments: writeArguments(call.arguments, tool),
    };
  });
}

function fits(tool: OfferedTool, call: WantedCall): boolean {
  return call.namespace === undefined || tool.namespace === call.namespace;
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
  return (toolChoice.isParallel ? called : called.slice(0, 1)).map(({ name, namespace }) => ({ name, namespace }));
}

function mentions(spoken: string, name: string): boolean {
  const words = spoken.split(/[^A-Za-z0-9_-]+/);
  return words.includes(name);
}

function writeArguments(given: WantedCall["arguments"], tool: OfferedTool | undefined): string {
  if (typeof given === "string") {
    return given;
  }
  if (given === undefined && tool?.parameters === null) {
    return customInput;
  }
  return JSON.stringify(given ?? schemaInstance(tool?.parameters ?? { type: "object" }));
}

/** Argument text in short fragments, as models produce it. */
export function* argumentFragments(text: string): Iterable<string> {
  const characters = Array.from(text);
  for (let start = 0; start < characters.length; start += 5) {
    yield characters.slice(start, start + 5).join("");
  }
}

/** The arguments as a value; scripted ones that are not JSON stay the text that they are. */
export function parsedArguments(call: ToolCall): unknown {
  try {
    return JSON.parse(call.arguments);
  } catch {
    return call.arguments;
  }
}
