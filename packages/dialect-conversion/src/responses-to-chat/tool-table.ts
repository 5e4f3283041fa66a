import { ToolNames } from "@sluice/messages-conversion/request/tool-names";
import { sha256Hex } from "../digest.ts";
import { ConversionError } from "../model.ts";

/** How the client wants a call to look: with JSON arguments, with one text as input, or as a search for tools. */
export type ToolKind = "function" | "custom" | "tool_search";

/** A tool as the client knows it. */
export type ClientTool = {
  readonly kind: ToolKind;
  readonly name: string;
  readonly namespace: string | null;
};

/**
 * The names of tools for an upstream, which has only functions, without namespaces: `namespace__name`, shortened where
 * an upstream would refuse it. The same tool has the same name in every request of a conversation.
 */
export class ToolTable {
  readonly #names = new ToolNames(sha256Hex);
  readonly #upstreamNames = new Map<string, string>();
  readonly #tools = new Map<string, ClientTool>();

  /** @throws ConversionError if the name can't be told from another tool's */
  toUpstream(tool: ClientTool): string {
    const key = keyOf(tool);
    const known = this.#upstreamNames.get(key);
    if (known !== undefined) {
      return known;
    }
    const flat = tool.namespace === null ? tool.name : `${tool.namespace}__${tool.name}`;
    const plain = this.#names.toUpstream(flat);
    // The key has signs that no name may have, so that it always ends in a digest.
    const name = this.#tools.has(plain) ? this.#names.toUpstream(`${flat}${key}`) : plain;
    if (this.#tools.has(name)) {
      throw new ConversionError("Tool names must be unique.", "tools");
    }
    this.#upstreamNames.set(key, name);
    this.#tools.set(name, tool);
    return name;
  }

  /** The upstream's name of a known tool, or null. */
  find(tool: ClientTool): string | null {
    return this.#upstreamNames.get(keyOf(tool)) ?? null;
  }

  /** The client's tools by the upstream's names. */
  get tools(): ReadonlyMap<string, ClientTool> {
    return this.#tools;
  }
}

/** The tool that the upstream called. A name that no tool has is passed on as a function: the client refuses it. */
export function fromUpstream(tools: ReadonlyMap<string, ClientTool>, name: string): ClientTool {
  return tools.get(name) ?? { kind: "function", name, namespace: null };
}

function keyOf({ kind, name, namespace }: ClientTool): string {
  return JSON.stringify([kind, namespace, name]);
}
